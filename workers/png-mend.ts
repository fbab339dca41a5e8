// Makes an ordinary PNG of one that libvips shows black or refuses: one that is cut off, whose existing rows become the upper part of a page
// of full size, and one optimised for iOS (CgBI), which does not conform to the PNG specification.
import { constants, deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { pngChunk } from '../core/model/png-chunk.js';
import { passesOf, placeRows, type Raster } from './png-rows.js';

const HEAD_BYTES = 33;
const SIGNATURE_BYTES = 8;
const CHUNK_BYTES = 12;
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PALETTE = 3;
/** Chunks that say how the pixels are to be understood. */
const KEPT: ReadonlySet<string> = new Set(['PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'eXIf']);
/** Pixels of a larger one would take too much memory: libvips shows what it can. */
const MENDED_MAX_BYTES = 64 * 1024 * 1024;
/** The pixels before and after, and both compressed. */
const COPIES = 4;

interface Chunk {
  readonly type: string;
  readonly at: number;
  readonly length: number;
}

interface Chunks {
  readonly all: readonly Chunk[];
  readonly isWhole: boolean;
}

/** The last one may be cut off. */
const chunksOf = (bytes: Buffer): Chunks => {
  const all: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') return { all, isWhole: true };
    all.push({ type, at, length });
    at += CHUNK_BYTES + length;
  }
  return { all, isWhole: false };
};

interface Png extends Chunks {
  readonly bytes: Buffer;
  readonly raster: Raster;
  readonly isForIos: boolean;
}

/** Null for one that libvips reads as it is, and for one whose header cannot be used. */
const toMend = (given: Uint8Array): Png | null => {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const { all, isWhole } = chunksOf(bytes);
  const isForIos = all[0]?.type === 'CgBI';
  if (isWhole && !isForIos) return null;
  const head = all.find(({ type }) => type === 'IHDR');
  if (head === undefined || bytes.length < head.at + HEAD_BYTES - SIGNATURE_BYTES) return null;
  const at = head.at + 8;
  const depth = bytes.readUInt8(at + 8);
  const colour = bytes.readUInt8(at + 9);
  const channels = CHANNELS[colour] ?? 0;
  const raster = {
    width: bytes.readUInt32BE(at),
    height: bytes.readUInt32BE(at + 4),
    bitsPerPixel: channels * depth,
    isInterlaced: bytes.readUInt8(at + 12) === 1,
  };
  const isKnown = channels > 0 && [1, 2, 4, 8, 16].includes(depth) && raster.width > 0 && raster.height > 0;
  if (!isKnown || rawBytes(raster) > MENDED_MAX_BYTES || (isForIos && raster.bitsPerPixel !== 32)) return null;
  return { bytes, all, isWhole, raster, isForIos };
};

const rawBytes = ({ width, height, bitsPerPixel }: Raster): number =>
  (Math.ceil((width * bitsPerPixel) / 8) + 1) * height;

/** What mending an image takes; nothing for one that needs none. */
export const mendBytesOf = (bytes: Uint8Array): number => {
  const png = toMend(bytes);
  return png === null ? 0 : rawBytes(png.raster) * COPIES;
};

/** Filtered rows, as far as there are any; null when the data is damaged in another way. */
const unpacked = ({ bytes, all, raster, isForIos }: Png): Buffer | null => {
  const parts = all
    .filter(({ type }) => type === 'IDAT')
    .map(({ at, length }) => bytes.subarray(at + 8, at + 8 + length));
  const packed = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  const size = passesOf(raster).reduce((sum, { rows, rowBytes }) => sum + rows * (rowBytes + 1), 0);
  const options = { maxOutputLength: size, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    return isForIos ? inflateRawSync(packed, options) : inflateSync(packed, options);
  } catch {
    return null;
  }
};

/** A byte full of the lightest colour of the palette; white where there is none. */
const blankByte = ({ bytes, all, raster }: Png): number => {
  const palette = all.find(({ type }) => type === 'PLTE');
  const isPalette = bytes.readUInt8((all.find(({ type }) => type === 'IHDR')?.at ?? 0) + 17) === PALETTE;
  if (!isPalette || palette === undefined) return 0xff;
  let lightest = 0;
  let most = -1;
  const colours = Math.min(Math.floor(palette.length / 3), 2 ** raster.bitsPerPixel);
  for (let index = 0; index < colours; index += 1) {
    const at = palette.at + 8 + index * 3;
    const light = (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) + (bytes[at + 2] ?? 0);
    if (light > most) [lightest, most] = [index, light];
  }
  let byte = 0;
  for (let bits = 0; bits < 8; bits += raster.bitsPerPixel) byte |= lightest << bits;
  return byte;
};

/** BGRA with the colours multiplied by the opacity, to RGBA. */
const fromIos = (rows: Buffer, { width, height }: Raster): void => {
  const whole = (colour: number, alpha: number): number =>
    alpha === 0 ? 0 : Math.min(255, Math.round((colour * 255) / alpha));
  for (let y = 0; y < height; y += 1) {
    for (let at = y * (width * 4 + 1) + 1, end = at + width * 4; at < end; at += 4) {
      const alpha = rows[at + 3] ?? 0;
      const blue = rows[at] ?? 0;
      rows[at] = whole(rows[at + 2] ?? 0, alpha);
      rows[at + 1] = whole(rows[at + 1] ?? 0, alpha);
      rows[at + 2] = whole(blue, alpha);
    }
  }
};

/** Null when the image needs no mending, or nothing of it can be saved. */
export const mendedPng = (given: Uint8Array): Uint8Array | null => {
  const png = toMend(given);
  if (png === null) return null;
  const { bytes, all, raster } = png;
  const filtered = unpacked(png);
  if (filtered === null || filtered.length === 0) return null;
  const rows = Buffer.alloc(rawBytes(raster), blankByte(png));
  placeRows(filtered, raster, rows);
  if (png.isForIos) fromIos(rows, raster);
  const header = all.find(({ type }) => type === 'IHDR');
  if (header === undefined) return null;
  const head = Buffer.from(bytes.subarray(header.at + 8, header.at + 21));
  head.writeUInt8(0, 12); // no longer interlaced
  const kept = all
    .filter(({ type, at, length }) => KEPT.has(type) && at + CHUNK_BYTES + length <= bytes.length)
    .map(({ type, at, length }) => pngChunk(type, bytes.subarray(at + 8, at + 8 + length)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    pngChunk('IHDR', head),
    ...kept,
    pngChunk('IDAT', deflateSync(rows, { level: 1 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
};
