// Whether an image ends too early, by its last bytes. Decoders show what there is of it.
import type { MediaName } from '../core/model/media.js';

/** The last bytes: other bytes may follow the end mark. */
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

const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_END = 0x3b;

/** Zeros may follow, and then nothing tells. */
const isGifData = (end: Buffer): boolean => (end.findLast((byte) => byte !== 0) ?? GIF_END) !== GIF_END;

/** Whether bytes without an end mark are the middle of an image, and not something that follows it. */
const IS_DATA: Partial<Record<MediaName, (end: Buffer) => boolean>> = {
  jpeg: isJpegData,
  gif: isGifData,
  png: () => true,
};

/** Types whose end is marked. */
const MARKS: Partial<Record<MediaName, Buffer | string>> = {
  jpeg: JPEG_END,
  png: 'IEND',
  gif: Buffer.from([0, GIF_END]),
};

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** True also for types whose end tells nothing. */
const hasEnd = (media: MediaName, end: Uint8Array): boolean => {
  const mark = MARKS[media];
  return mark === undefined || bufferOf(end).includes(mark);
};

/** By the last bytes. */
export const endsEarly = (media: MediaName, end: Uint8Array): boolean =>
  !hasEnd(media, end) && IS_DATA[media]?.(bufferOf(end)) === true;

const isShorterThanRiff = (head: Buffer, size: number): boolean =>
  head.length >= RIFF_HEAD_BYTES && head.readUInt32LE(4) + RIFF_HEAD_BYTES > size;

const BOX_HEAD_BYTES = 8;
const LONG_BOX_HEAD_BYTES = 16;
/** The first box of each format; what begins without one is a bare stream, which has no length. */
const FIRST_BOXES: ReadonlySet<string> = new Set(['ftyp', 'jP  ', 'JXL ']);

/** Boxes state their lengths (ISO/IEC 14496-12, 4.2); one without a length reaches to the end, wherever that is. */
const isShorterThanBoxes = (head: Buffer, size: number): boolean => {
  if (!FIRST_BOXES.has(head.toString('latin1', 4, BOX_HEAD_BYTES))) return false;
  for (let at = 0; at + LONG_BOX_HEAD_BYTES <= head.length; ) {
    const short = head.readUInt32BE(at);
    const length = short === 1 ? Number(head.readBigUInt64BE(at + BOX_HEAD_BYTES)) : short;
    if (length < BOX_HEAD_BYTES) return false;
    at += length;
    if (at > size) return true;
  }
  return false;
};

const DECLARED: Partial<Record<MediaName, (head: Buffer, size: number) => boolean>> = {
  webp: isShorterThanRiff,
  avif: isShorterThanBoxes,
  heif: isShorterThanBoxes,
  jp2: isShorterThanBoxes,
  jxl: isShorterThanBoxes,
};

/** By the lengths that the first bytes declare. */
export const isShorterThanDeclared = (media: MediaName, head: Uint8Array, size: number): boolean =>
  DECLARED[media]?.(bufferOf(head), size) === true;
