// The content of one page by its table entry: unpacked, or rendered to fit the requested box. Memory for it and for decoding it is held
// until the job ends.
import { drawBytesOf, readBytesOf, renderBytesOf } from '../decode-size.js';
import { readPage } from '../formats/read-page.js';
import type { PageSource } from '../page-source.js';
import { readInRoom } from '../read-in-room.js';
import { step } from '../step.js';

export const decode = step({
  name: 'decode',
  needs: ['file', 'page', 'box', 'format', 'limits'],
  gives: ['source'],
  run: async ({ file, page, box, format, limits }, run) => {
    const reading = {
      bytes: drawBytesOf(page, box, format) + readBytesOf(page),
      read: () => readPage(file, page, { limits, box, check: run.check }),
      decodeBytesOf: (source: PageSource) => renderBytesOf(source, box, format),
    };
    return { source: await readInRoom(reading, run) };
  },
});
