// The bytes of one page that is an image file in its book, by its table entry.
import { readBytesOf } from '../decode-size.js';
import { readImage } from '../formats/read-page.js';
import { withModuleRoom } from '../read-in-room.js';
import { step } from '../step.js';

/** Transferred to another thread as a whole, so the memory must not be shared; most pages have their own already. */
const owned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

export const unpack = step({
  name: 'unpack',
  needs: ['file', 'page', 'limits'],
  gives: ['pageBytes'],
  run: async ({ file, page, limits }, run) => {
    run.keepRoom(readBytesOf(page));
    const read = () => readImage(file, page, { limits, check: run.check });
    return { pageBytes: owned(await withModuleRoom(read, run)) };
  },
});
