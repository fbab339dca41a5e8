// How much memory decoding an image takes. Most images are decoded line by line and take little, unless their lines are very long; some
// kinds only as a whole.
import { DECODE_ROOM_BYTES } from '../core/model/decode-budget.js';
import { type Box, DRAWN_PIXELS_MAX, type OutputFormat, type PageEntry } from '../core/model/jobs.js';
import type { MediaName } from '../core/model/media.js';
import { METHOD } from '../core/model/page-table.js';
import type { Extent } from './formats/format.js';
import { type ImageHead, imageTurn, mediaOfBytes, sizeOfBytes } from './image-head.js';
import { keptFormat } from './image-rules.js';
import type { PageSource } from './page-source.js';
import { shownPixels } from './shown-size.js';

/** Bytes per pixel of images decoded as a whole; the last two by a reader that makes a copy. */
const WHOLE: Partial<Record<MediaName, number>> = { webp: 4, gif: 5, tiff: 4, avif: 8, heif: 8, jp2: 8, bmp: 8 };
/** Peak memory of these, with copies: measured for BMP. One that takes more than the whole budget has it to itself. */
const AT_THE_PEAK: Partial<Record<MediaName, number>> = { bmp: 11, jp2: 18 };
/** The coefficients of all passes are kept, two bytes each, with half or all of the colour. */
const PROGRESSIVE_BYTES = 5;
const INTERLACED_BYTES = 4;
/** Rotating needs all lines at once. */
const TURNED_BYTES = 3;

const INTERLACED_AT = 28;
const SOF = { first: 0xc0, progressive: 0xc2, last: 0xcf };
/** In the same range as frame markers, but not frame markers. */
const NO_FRAME: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** By its frame marker, which comes after the other segments. */
const isProgressive = (bytes: Uint8Array): boolean => {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= SOF.first && marker <= SOF.last && !NO_FRAME.has(marker)) return marker === SOF.progressive;
    at += marker === 0xff ? 1 : 2 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
  }
  return false;
};

/** Shrinking keeps about so many lines, as measured, however much it shrinks. */
const LINES_KEPT = 2000;
/** Of these, what ordinary pages take counts for nothing: they never wait for others. */
const UNCOUNTED_LINES_BYTES = 32 * 1024 * 1024;
const PNG_DEPTH_AT = 24;
const PNG_COLOUR_AT = 25;
/** Samples per pixel by colour type: grey, RGB, palette, grey and alpha, RGB and alpha. A palette is decoded to RGB. */
const PNG_SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 };
/** Three, at half the width: that much a JPEG is shrunk while it is decoded. */
const JPEG_BYTES = 1.5;

/** Bytes per pixel of an image decoded line by line; 0 for others. */
const lineBytesPerPixel = (bytes: Uint8Array, media: MediaName): number => {
  if (media === 'jpeg') return JPEG_BYTES;
  if (media !== 'png') return 0;
  const samples = PNG_SAMPLES[bytes[PNG_COLOUR_AT] ?? 0] ?? 0;
  return bytes[PNG_DEPTH_AT] === 16 ? samples * 2 : samples;
};

const linesBytesOf = (bytes: Uint8Array, { media, width, height }: ImageHead): number => {
  const kept = width * Math.min(height, LINES_KEPT) * lineBytesPerPixel(bytes, media);
  return kept > UNCOUNTED_LINES_BYTES ? Math.min(kept, DECODE_ROOM_BYTES) : 0;
};

const bytesPerPixel = (bytes: Uint8Array, media: MediaName): number => {
  if (media === 'png') return bytes[INTERLACED_AT] === 1 ? INTERLACED_BYTES : 0;
  if (media === 'jpeg')
    return (isProgressive(bytes) ? PROGRESSIVE_BYTES : 0) + (imageTurn(bytes) > 1 ? TURNED_BYTES : 0);
  return WHOLE[media] ?? 0;
};

/** Zero for images of ordinary size that are decoded line by line, for those no decoder reads, and for pixels, which are already in memory. */
export const decodeBytesOf = (source: PageSource): number => {
  if (source.kind === 'pixels') return 0;
  const { bytes } = source;
  const media = mediaOfBytes(bytes);
  const size = media === undefined ? undefined : sizeOfBytes(bytes, media);
  if (size === undefined) return 0;
  const pixels = size.width * size.height;
  const least = pixels * bytesPerPixel(bytes, size.media);
  const peak = Math.min(pixels * (AT_THE_PEAK[size.media] ?? 0), DECODE_ROOM_BYTES);
  return Math.max(least, peak, linesBytesOf(bytes, size));
};

/** Encoding a WebP takes all of its pixels; other formats are written line by line. */
const WEBP_BYTES = 5;

const encodeBytesOf = (pixels: number, format: OutputFormat | null): number =>
  format === 'webp' ? pixels * WEBP_BYTES : 0;

/**
 * What fitting a page into a box takes: decoding it and encoding it again. A page that can be decoded is never refused because of its
 * encoding.
 */
export const renderBytesOf = (source: PageSource, box: Box, format: OutputFormat | null): number => {
  if (source.kind === 'pixels') return 0;
  const decoding = decodeBytesOf(source);
  const encoding = encodeBytesOf(shownPixels(source, box), format ?? keptFormat(source.bytes));
  return Math.max(decoding, Math.min(decoding + encoding, DECODE_ROOM_BYTES));
};

/** Pages of ordinary size never wait for others. */
const UNCOUNTED_BYTES = 16 * 1024 * 1024;

/** What holding a page takes, packed and unpacked, at most the whole budget; nothing for pages that are drawn, and for all of ordinary size. */
export const readBytesOf = ({ method, packedSize, size }: Extent): number => {
  const isPacked = method === METHOD.deflated || method === METHOD.pdfImage;
  const bytes = method === METHOD.pdf ? 0 : size + (isPacked ? packedSize : 0);
  return bytes > UNCOUNTED_BYTES ? Math.min(bytes, DECODE_ROOM_BYTES) : 0;
};

/** A page is rendered in bands, and the pixels of all of them are kept. */
const DRAWN_BYTES = 3;
/** Memory of the reader, for pages that are more than one band. */
const BAND_BYTES = 24 * 1000 * 1000;

/** What rendering a page into a box and encoding it takes; nothing for pages that are images. */
export const drawBytesOf = ({ method, width, height }: PageEntry, box: Box, format: OutputFormat | null): number => {
  if (method !== METHOD.pdf || width === 0 || height === 0) return 0;
  const scale = Math.min((box.width ?? Infinity) / width, (box.height ?? Infinity) / height);
  const wanted = width * height * (Number.isFinite(scale) ? scale * scale : 1);
  const pixels = Math.min(wanted, DRAWN_PIXELS_MAX);
  return pixels * DRAWN_BYTES + Math.min(pixels * DRAWN_BYTES, BAND_BYTES) + encodeBytesOf(pixels, format);
};
