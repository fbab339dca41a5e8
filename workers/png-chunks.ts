// The chunks of a PNG: which matter for decoding it, and the texts and profiles that do not. Compressed ones may unpack to any size: a few
// megabytes of them took gigabytes, since the decoder unpacks each before it looks at a pixel.
import type { MediaName } from '../core/model/media.js';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const FRAME_BYTES = 12;
/** Of all texts together: real ones are edit histories and prompts of a few kilobytes. */
const TEXT_MAX_BYTES = 1024 * 1024;

interface Chunk {
  readonly type: string;
  readonly at: number;
  readonly end: number;
}

function* chunksOf(bytes: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= bytes.length; ) {
    const end = Math.min(bytes.length, at + FRAME_BYTES + bytes.readUInt32BE(at));
    yield { type: bytes.toString('latin1', at + 4, at + 8), at, end };
    at = end;
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

const HEADER = { depthAt: 24, colourAt: 25, interlacedAt: 28 };
/** Samples per pixel by colour type: grey, RGB, palette, grey and alpha, RGB and alpha. A palette is decoded to RGB. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 };

export interface PngFacts {
  /** Bytes of a decoded pixel. */
  readonly pixelBytes: number;
  /** Its lines are not stored from top to bottom, or it may be shown rotated: all of it is decoded before any line is used. */
  readonly isWhole: boolean;
}

export const pngFacts = (bytes: Uint8Array): PngFacts => {
  let isTransparent = false;
  let isWhole = bytes[HEADER.interlacedAt] !== 0;
  for (const { type } of chunksOf(bufferOf(bytes))) {
    if (type === 'IDAT') break;
    isTransparent ||= type === 'tRNS';
    isWhole ||= type === 'eXIf';
  }
  const samples = (SAMPLES[bytes[HEADER.colourAt] ?? 0] ?? 4) + Number(isTransparent);
  return { pixelBytes: bytes[HEADER.depthAt] === 16 ? samples * 2 : samples, isWhole };
};

const isText = ({ type }: Chunk): boolean => type === 'zTXt' || type === 'iTXt' || type === 'tEXt';

/** Compressed texts may be bombs. */
const isTooMuch = (texts: readonly Chunk[]): boolean =>
  texts.some(({ type }) => type !== 'tEXt') || texts.reduce((sum, { at, end }) => sum + end - at, 0) > TEXT_MAX_BYTES;

/** The bytes that are given to the decoder: a PNG without its texts, anything else as it is. */
export const withoutTexts = (bytes: Uint8Array, media: MediaName): Uint8Array => {
  if (media !== 'png') return bytes;
  const buffer = bufferOf(bytes);
  const texts = [...chunksOf(buffer)].filter(isText);
  if (!isTooMuch(texts)) return bytes;
  const parts: Buffer[] = [];
  let from = 0;
  for (const { at, end } of texts) {
    parts.push(buffer.subarray(from, at));
    from = end;
  }
  return Buffer.concat([...parts, buffer.subarray(from)]);
};
