// The bytes of one page that is an image file in its book, by its table entry.
import { readImage } from '../formats/read-page.js';
import { step } from '../step.js';

export const unpack = step({
  name: 'unpack',
  needs: ['file', 'page', 'limits'],
  gives: ['pageBytes'],
  run: async ({ file, page, limits }, run) => ({
    // Moved to another thread as a whole, so the memory must be its own.
    pageBytes: new Uint8Array(await readImage(file, page, { limits, check: run.check })),
  }),
});
