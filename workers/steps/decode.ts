// The content of one page by its table entry: unpacked, or rendered to fit the requested box.
import { drawBytesOf } from '../decode-size.js';
import { readPage } from '../formats/read-page.js';
import { step } from '../step.js';

export const decode = step({
  name: 'decode',
  needs: ['file', 'page', 'box', 'format', 'limits'],
  gives: ['source'],
  run: async ({ file, page, box, format, limits }, run) => {
    run.keepRoom(drawBytesOf(page, box, format)); // the pixels are there until the page is encoded
    return { source: await readPage(file, page, { limits, box, check: run.check }) };
  },
});
