// How much memory decoding an image takes, by its type and its header. Most images are decoded line by line, and what that takes grows with
// the length of their lines; some only as a whole. The figures are peaks, measured with the libraries in use.
import { jxlBytes } from '../core/model/decode-budget.js';
import { AppError } from '../core/model/errors.js';
import type { MediaName } from '../core/model/media.js';
import { type DecoderHead, imageTurn, mediaOfBytes, sizeOfBytes } from './image-head.js';
import { canDecode } from './image-rules.js';
import { jp2PixelBytes, jp2Size } from './jp2-head.js';
import { jp2Reduction } from './jp2-reduced.js';
import { jpegFrame } from './jpeg-frame.js';
import { pngFacts } from './png-chunks.js';
import { mendBytesOf } from './png-mend.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Memory {
  /** Bytes of a pixel for as long as the image is decoded: of those decoded as a whole, with copies. */
  readonly heldBytes: number;
  /** Bytes of a pixel in a line. */
  readonly lineBytes: number;
}

/** Longer sides only occur in hostile files; several formats end there anyway. */
export const SIDE_MAX = 65_535;

/**
 * Lines in memory while an image is shrunk: some for every image, those of the window that becomes a line of the result, and the lines the
 * decoder is ahead. From about a thousand lines on it depends little on the height.
 */
const LINES = { least: 400, perLine: 1.5, most: 1900 };

const linesOf = ({ height }: Size): number => Math.min(LINES.least + height * LINES.perLine, LINES.most);

/** Rotating needs all rows at once. */
const TURNED_BYTES = 3.5;
/** A JPEG is shrunk to half its width while it is decoded, or the result is about as large, and then few lines are kept. */
const JPEG_SHRUNK = 0.5;

const jpegMemory = (bytes: Uint8Array): Memory => {
  const { heldBytes, components } = jpegFrame(bytes);
  return {
    heldBytes: heldBytes + (imageTurn(bytes) > 1 ? TURNED_BYTES : 0),
    lineBytes: components * JPEG_SHRUNK,
  };
};

const pngMemory = (bytes: Uint8Array): Memory => {
  const { pixelBytes, isWhole } = pngFacts(bytes);
  return { heldBytes: isWhole ? pixelBytes : 0, lineBytes: pixelBytes };
};

/** Bytes of a sample by its name in libvips. */
const SAMPLE_BYTES: Readonly<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
  double: 8,
  complex: 8,
};
const SAMPLE_MOST = 16;

const GIF_BYTES = 6;
/** With the block tables of the codec, which take more than the pixels; for eight bits a sample and for more. */
const AVIF_BYTES = { usual: 24, deep: 28 };

/** Types whose header only the decoder reads as the decoder does. */
const BY_DECODER: Partial<Record<MediaName, (head: DecoderHead) => Memory>> = {
  tiff: ({ channels, depth }) => {
    const pixelBytes = channels * (SAMPLE_BYTES[depth] ?? SAMPLE_MOST);
    return { heldBytes: Math.max(4, pixelBytes), lineBytes: pixelBytes };
  },
  gif: () => ({ heldBytes: GIF_BYTES, lineBytes: 4 }),
  avif: ({ depth }) => ({ heldBytes: depth === 'uchar' ? AVIF_BYTES.usual : AVIF_BYTES.deep, lineBytes: 4 }),
};

/** Types whose header is read here as the decoder reads it. */
const BY_HEADER: Partial<Record<MediaName, (bytes: Uint8Array) => Memory>> = {
  jpeg: jpegMemory,
  png: pngMemory,
  webp: () => ({ heldBytes: 9, lineBytes: 0 }),
  bmp: () => ({ heldBytes: 11, lineBytes: 0 }),
  jp2: (bytes) => ({ heldBytes: jp2PixelBytes(bytes), lineBytes: 0 }),
};

const ofDecoder = async (bytes: Uint8Array, media: MediaName): Promise<(Size & Memory) | undefined> => {
  const { headByDecoder } = await import('./image-codec.js');
  const head = await headByDecoder(bytes);
  if (head === undefined) return undefined;
  const channels = head.channels * (SAMPLE_BYTES[head.depth] ?? SAMPLE_MOST);
  const memory = BY_DECODER[media]?.(head) ?? BY_HEADER[media]?.(bytes) ?? { heldBytes: channels, lineBytes: channels };
  return { ...memory, width: head.width, height: head.height };
};

const memoryOf = async (bytes: Uint8Array, media: MediaName): Promise<(Size & Memory) | undefined> => {
  const ofHeader = BY_HEADER[media];
  const size = media === 'jp2' ? jp2Size(bytes) : sizeOfBytes(bytes, media);
  if (ofHeader === undefined || size === undefined) return ofDecoder(bytes, media);
  return { ...ofHeader(bytes), width: size.width, height: size.height };
};

const refuseLongSide = ({ width, height }: Size): void => {
  if (Math.max(width, height) > SIDE_MAX)
    throw new AppError(
      'LimitExceeded',
      `The image is ${width} × ${height} pixels; images with a side of more than ${SIDE_MAX} pixels are not decoded.`,
    );
};

/** The peak while an image is decoded and shrunk; 0 for what no decoder reads. LimitExceeded when a side is too long for any. */
export const imageMemory = async (bytes: Uint8Array): Promise<number> => {
  const media = mediaOfBytes(bytes);
  if (media === undefined || !canDecode(media)) return 0;
  if (media === 'jxl') {
    const size = sizeOfBytes(bytes, media);
    return size === undefined ? 0 : jxlBytes(size.width * size.height);
  }
  const found = await memoryOf(bytes, media);
  if (found === undefined) return 0;
  refuseLongSide(found);
  const reduced = media === 'jp2' ? jp2Reduction(bytes) : undefined;
  if (reduced !== undefined) return reduced.bytes;
  const { width, height, heldBytes, lineBytes } = found;
  const mending = media === 'png' ? mendBytesOf(bytes) : 0;
  return width * height * heldBytes + width * linesOf(found) * lineBytes + mending;
};
