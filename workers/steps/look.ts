// How pages look: their small grey pictures as bits (core/model/looks.ts).
import { LOOK_SIDE, lookOf, PAGE_BYTES } from '../../core/model/looks.js';
import { decodeBytesOf, readBytesOf } from '../decode-size.js';
import { readPage } from '../formats/read-page.js';
import { readInRoom } from '../read-in-room.js';
import { step } from '../step.js';

const SHAPE = { width: LOOK_SIDE, height: LOOK_SIDE };

/** A page that has to be rendered is rendered this large. */
const DRAWN = { width: LOOK_SIDE * 16, height: LOOK_SIDE * 16 };

export const look = step({
  name: 'look',
  needs: ['file', 'pages', 'limits'],
  gives: ['look'],
  run: async ({ file, pages, limits }, run) => {
    const { renderGrey } = await import('../image-codec.js');
    const found = new Uint8Array(pages.length * PAGE_BYTES);
    for (const [index, page] of pages.entries()) {
      run.check();
      const read = () => readPage(file, page, { limits, check: run.check, box: DRAWN });
      try {
        const source = await readInRoom({ bytes: readBytesOf(page), read, decodeBytesOf }, run);
        const grey = await renderGrey(source, SHAPE, { pixels: limits.imagePixels, seconds: run.secondsLeft() });
        found.set(lookOf(grey), index * PAGE_BYTES);
      } finally {
        run.leaveRoom();
      }
      run.advance();
    }
    return { look: found };
  },
});
