// A zip archive is an EPUB book or a bundle of images: what is inside decides, not the name.
import { imagesOf } from './cbz.js';
import { isEpub, openEpub } from './epub.js';
import type { Format } from './format.js';
import { openZip } from './zip.js';

const startsWith = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

export const zipped: Format = {
  sniff: (head) => startsWith(head, 0x50, 0x4b, 0x03, 0x04) || startsWith(head, 0x50, 0x4b, 0x05, 0x06),
  open: (file, context) => {
    const archive = openZip(file, context.limits);
    return isEpub(archive) ? openEpub(archive, context) : imagesOf(archive, context.limits.xmlBytes);
  },
};
