// Type and size of an image from its first bytes, without decoding it. Only importer of image-size. Knows nothing of archives.
import { imageSize } from 'image-size';
import type { MediaName } from '../core/model/media.js';
import { sizeOfPlainJpeg } from './jpeg-frame.js';
import { sizeOfJxl } from './jxl-head.js';

export interface ImageHead {
  readonly media: MediaName;
  /** Pixels as shown: EXIF orientations 5 to 8 rotate the image by a quarter turn. */
  readonly width: number;
  readonly height: number;
}

/** What the image library says about a file without decoding it; pixels as stored. */
export interface DecoderHead extends Pick<ImageHead, 'width' | 'height'> {
  readonly channels: number;
  readonly depth: string;
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** Shorter, or empty, if the bytes end before that. */
const latin1 = (bytes: Uint8Array, from: number, to: number): string => bufferOf(bytes).toString('latin1', from, to);

const SVG =
  /^(?:\ufeff|\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[\s\S]{0,500}?-->\s*)?(?:<!DOCTYPE svg[\s\S]{0,600}?>\s*)?<svg[\s>]/i;

/** Little and big endian, with positions of four bytes and of eight (BigTIFF). */
const TIFF: ReadonlySet<string> = new Set(['II*\0', 'MM\0*', 'II+\0', 'MM\0+']);

/** The type of the bytes, whatever the name says; undefined when they are not a known image type. */
export const mediaOfBytes = (bytes: Uint8Array): MediaName | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'jpeg';
  const four = latin1(bytes, 0, 4);
  if (four === '\x89PNG') return 'png';
  if (four === 'GIF8') return 'gif';
  if (four === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP') return 'webp';
  if (four.startsWith('BM')) return 'bmp';
  if (TIFF.has(four)) return 'tiff';
  if (bytes[0] === 0xff && bytes[1] === 0x0a) return 'jxl';
  if (latin1(bytes, 4, 8) === 'JXL ') return 'jxl';
  if (latin1(bytes, 4, 8) === 'jP  ' || four === '\xff\x4f\xff\x51') return 'jp2';
  if (latin1(bytes, 4, 8) === 'ftyp') return /avi[fs]/.test(latin1(bytes, 8, 40)) ? 'avif' : 'heif';
  return SVG.test(latin1(bytes, 0, 1024)) ? 'svg' : undefined;
};

const WHITE_SPACE: ReadonlySet<number | undefined> = new Set([0x09, 0x0a, 0x0d, 0x20]);
const SPACE_MAX = 8;

/** The white space before an image, which faulty scripts put there; 0 if no known type follows. */
export const spaceBefore = (bytes: Uint8Array): number => {
  let length = 0;
  while (length < SPACE_MAX && WHITE_SPACE.has(bytes[length])) length += 1;
  return length > 0 && mediaOfBytes(bytes.subarray(length)) !== undefined ? length : 0;
};

/** True for a PNG optimised for iOS: a chunk of Apple's precedes its header. */
export const isForIos = (bytes: Uint8Array): boolean =>
  latin1(bytes, 0, 4) === '\x89PNG' && latin1(bytes, 12, 16) === 'CgBI';

/** VP8X flags: the file has an EXIF chunk, which comes after the image (WebP container, 2.7.1.2). */
const WEBP_FLAGS_AT = 20;
const WEBP_HAS_EXIF = 0x08;

/**
 * How a type declares, where the header parser does not look, that the image is shown rotated or cropped. JPEG is not here: it is parsed.
 */
const TURNS: Partial<Record<MediaName, (bytes: Buffer) => boolean>> = {
  png: (bytes) => bytes.includes('eXIf') || !bytes.includes('IDAT'),
  webp: (bytes) => bytes.toString('latin1', 12, 16) === 'VP8X' && ((bytes[WEBP_FLAGS_AT] ?? 0) & WEBP_HAS_EXIF) !== 0,
  avif: (bytes) => bytes.includes('irot') || bytes.includes('clap'),
  heif: (bytes) => bytes.includes('irot') || bytes.includes('clap'),
  tiff: () => true,
};

/** True when the size in the header may not be the size as shown: only the decoder knows. */
export const mayBeTurned = (bytes: Uint8Array, media: MediaName): boolean => TURNS[media]?.(bufferOf(bytes)) ?? false;

const BRAND_AT = 8;

/**
 * An animated AVIF by the brand of a still one, as which its first image is read: neither the header parser nor libvips knows the other. Other
 * images as they are.
 */
export const asStill = (bytes: Uint8Array): Uint8Array => {
  if (latin1(bytes, BRAND_AT - 4, BRAND_AT + 4) !== 'ftypavis') return bytes;
  const still = Buffer.from(bytes);
  still.write('avif', BRAND_AT, 'latin1');
  return still;
};

const BMP_HEADER_AT = 14;
/** The header of OS/2 1.x, the oldest: it only has room for 16-bit sides, and the header parser misreads it as a newer one. */
const BMP_CORE_BYTES = 12;

type Header = Pick<ReturnType<typeof imageSize>, 'width' | 'height' | 'orientation'>;

const sizeOfBmp = (bytes: Buffer): Header => {
  // The header parser reads past the end when there are too few bytes.
  if (bytes.length < BMP_HEADER_AT + BMP_CORE_BYTES) throw new RangeError('the header is cut off');
  if (bytes.readUInt32LE(BMP_HEADER_AT) !== BMP_CORE_BYTES) return imageSize(bytes);
  return { width: bytes.readUInt16LE(BMP_HEADER_AT + 4), height: bytes.readUInt16LE(BMP_HEADER_AT + 6) };
};

const NO_HEADER: Header = { width: 0, height: 0 };

/** What the header parser misreads, or reads slowly, is parsed here. */
const HEADERS: Partial<Record<MediaName, (bytes: Buffer) => Header>> = {
  jpeg: (bytes) => sizeOfPlainJpeg(bytes) ?? imageSize(bytes),
  bmp: sizeOfBmp,
  jxl: (bytes) => sizeOfJxl(bytes) ?? NO_HEADER,
  avif: (bytes) => imageSize(asStill(bytes)),
};

/** There are no orientations above 8; the image library ignores them. */
const isOnItsSide = (orientation: number): boolean => orientation >= 5 && orientation <= 8;

/** Undefined when the size is not in these bytes (or in no header this library reads). */
export const sizeOfBytes = (bytes: Uint8Array, media: MediaName): ImageHead | undefined => {
  try {
    const { width, height, orientation = 1 } = (HEADERS[media] ?? imageSize)(bufferOf(bytes));
    if (!(width > 0 && height > 0)) return undefined;
    return isOnItsSide(orientation) ? { media, width: height, height: width } : { media, width, height };
  } catch {
    return undefined; // cut off or odd: the caller reads more, or decodes
  }
};

/** EXIF orientation according to the header, 1 to 8; 1 when it has none. */
export const imageTurn = (bytes: Uint8Array): number => {
  if (mediaOfBytes(bytes) === 'jpeg' && sizeOfPlainJpeg(bufferOf(bytes)) !== null) return 1;
  try {
    return imageSize(bytes).orientation ?? 1;
  } catch {
    return 1; // no header: no rotation
  }
};
