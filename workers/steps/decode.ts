// The content of one page by its table entry: unpacked, or drawn to fit the wanted box.
import { drawBytesOf } from '../decode-size.js';
import { readPage } from '../formats/read-page.js';
import { step } from '../step.js';

export const decode = step({
  name: 'decode',
  needs: ['file', 'page', 'box', 'limits'],
  gives: ['source'],
  run: async ({ file, page, box, limits }, run) => ({
    source: await run.withRoom(drawBytesOf(page, box), () => readPage(file, page, { limits, box, check: run.check })),
  }),
});
