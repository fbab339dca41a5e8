// cbz: a zip archive of images.
import type { Format } from './format.js';
import { openZip } from './zip.js';

const startsWith = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

export const cbz: Format = {
  format: 'cbz',
  sniff: (head) => startsWith(head, 0x50, 0x4b, 0x03, 0x04) || startsWith(head, 0x50, 0x4b, 0x05, 0x06),
  open: (file, limits) => openZip(file, limits, 'cbz'),
};
