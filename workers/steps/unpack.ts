// The bytes of one page that is an image file in its book, by its table entry.
import { readBytesOf } from '../decode-size.js';
import { readImage } from '../formats/read-page.js';
import { besideGrowth, withModuleRoom } from '../read-in-room.js';
import { step } from '../step.js';

/** Transferred to another thread as a whole, so the memory must not be shared; most pages have their own already. */
const owned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

export const unpack = step({
  name: 'unpack',
  needs: ['file', 'page', 'limits'],
  gives: ['pageBytes'],
  run: async ({ file, page, limits }, run) => {
    const bytes = readBytesOf(page);
    const read = (isGrowing: boolean): Promise<Uint8Array> => {
      run.keepRoom(isGrowing ? besideGrowth(bytes) : bytes);
      return readImage(file, page, { limits, check: run.check });
    };
    return { pageBytes: owned(await withModuleRoom(read, run)) };
  },
});
