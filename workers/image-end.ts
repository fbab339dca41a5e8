// Whether an image ends too early, by its last bytes. Decoders show what there is of it.
import type { MediaName } from '../core/model/media.js';

/** As many of the last bytes as tell. */
export const END_BYTES = 512;

const RIFF_HEAD_BYTES = 8;

/** Of the bytes of compressed data half are above 7F: of texts and of zeros that follow an image, few. */
const COMPRESSED_SHARE = 0.25;

/** Compressed data of a JPEG has no marker but those that number its parts: an FF is followed by 00, or D0 to D7. */
const isJpegData = (end: Buffer): boolean => {
  for (let at = end.indexOf(0xff); at >= 0 && at + 1 < end.length; at = end.indexOf(0xff, at + 2)) {
    const next = end[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return false;
  }
  return end.reduce((high, byte) => high + (byte >> 7), 0) > end.length * COMPRESSED_SHARE;
};

const GIF_TRAILER = 0x3b;

const CUT: Partial<Record<MediaName, (end: Buffer) => boolean>> = {
  jpeg: isJpegData,
  png: (end) => !end.includes('IEND'),
  gif: (end) => end.findLast((byte) => byte !== 0) !== GIF_TRAILER,
};

/** By the last bytes, of types whose end tells; false for all others. */
export const endsEarly = (media: MediaName, end: Uint8Array): boolean =>
  CUT[media]?.(Buffer.from(end.buffer, end.byteOffset, end.byteLength)) ?? false;

/** By the size that the first bytes declare. */
export const isShorterThanDeclared = (media: MediaName, head: Uint8Array, size: number): boolean =>
  media === 'webp' &&
  head.length >= RIFF_HEAD_BYTES &&
  Buffer.from(head.buffer, head.byteOffset, head.length).readUInt32LE(4) + RIFF_HEAD_BYTES > size;
