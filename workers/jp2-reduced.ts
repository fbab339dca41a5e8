// JPEG 2000 stores an image at several resolutions: the largest of them that can be decoded within the budget, where the whole image
// cannot. Only for images whose samples are their colours; anything else needs the decoder that knows it (ISO/IEC 15444-1, annexes A and I).
import { DECODE_ROOM_BYTES } from '../core/model/decode-budget.js';
import type { Box } from '../core/model/jobs.js';
import { isPlainProfile } from './formats/icc-profile.js';
import { GROWTH_MAX_BYTES } from './heaps.js';
import { jp2Bytes, SIZ } from './jp2-head.js';

export interface Reduced {
  /** How often the sides are halved. */
  readonly level: number;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /** Bits of a sample. */
  readonly depth: number;
  /** What decoding takes. */
  readonly bytes: number;
}

type Grid = Omit<Reduced, 'level' | 'bytes'>;

const AT = { width: 8, height: 12, left: 16, top: 20, components: 40, first: 42 };
const COMPONENT_BYTES = 3;
const DEPTH = { least: 8, most: 16 };

/** Undefined for components of different sizes or depths, with a sign, or of unknown meaning, and for an image that begins inside its grid. */
const gridOf = (file: Buffer, at: number): Grid | undefined => {
  const channels = file.readUInt16BE(at + AT.components);
  if (channels !== 1 && channels !== 3) return undefined;
  if (file.readUInt32BE(at + AT.left) !== 0 || file.readUInt32BE(at + AT.top) !== 0) return undefined;
  const depth = file.readUInt8(at + AT.first) + 1;
  if (depth < DEPTH.least || depth > DEPTH.most) return undefined;
  for (let index = 0; index < channels; index += 1) {
    const one = at + AT.first + index * COMPONENT_BYTES;
    if (file.readUInt8(one) !== depth - 1 || file.readUInt16BE(one + 1) !== 0x0101) return undefined;
  }
  return { width: file.readUInt32BE(at + AT.width), height: file.readUInt32BE(at + AT.height), channels, depth };
};

const MARK = { coding: 0xff52, ofComponent: 0xff53, tile: 0xff90 };

/** How often the sides can be halved; 0 where it differs between components or is not stated. */
const levelsOf = (file: Buffer, start: number): number => {
  let levels = 0;
  for (let at = start + 2; ; at += 2 + file.readUInt16BE(at + 2)) {
    const mark = file.readUInt16BE(at);
    if (mark === MARK.tile) return levels;
    if (mark === MARK.ofComponent || mark < 0xff00) return 0;
    if (mark === MARK.coding) levels = file.readUInt8(at + 9);
  }
};

const BOX_BYTES = 8;
const PLAIN_BOXES = new Set(['ihdr', 'bpcc', 'res ', 'colr']);
const COLOURS: Readonly<Record<number, number>> = { 16: 3, 17: 1 };

const isPlainColour = (colour: Buffer, channels: number): boolean =>
  colour[0] === 1
    ? COLOURS[colour.readUInt32BE(3)] === channels
    : colour[0] === 2 && isPlainProfile(colour.subarray(3));

/** Boxes by type; an empty list where their lengths are not plain. */
const boxesIn = (bytes: Buffer): { readonly type: string; readonly content: Buffer }[] => {
  const boxes: { readonly type: string; readonly content: Buffer }[] = [];
  for (let at = 0; at + BOX_BYTES <= bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + BOX_BYTES);
    const stated = bytes.readUInt32BE(at);
    if (type === 'jp2c') return boxes;
    if (stated < BOX_BYTES) return [];
    boxes.push({ type, content: bytes.subarray(at + BOX_BYTES, at + stated) });
    at += stated;
  }
  return boxes;
};

/** True when the boxes add neither a palette nor opacity, and the colours are sRGB or grey. */
const isPlain = (file: Buffer, channels: number): boolean => {
  if (file.indexOf(SIZ) === 0) return true;
  const header = boxesIn(file).find(({ type }) => type === 'jp2h');
  const inner = header === undefined ? [] : boxesIn(header.content);
  const colours = inner.filter(({ type }) => type === 'colr');
  return (
    inner.every(({ type }) => PLAIN_BOXES.has(type)) &&
    colours.length === 1 &&
    colours.every(({ content }) => isPlainColour(content, channels))
  );
};

/** What the memory of the other decoder may take of the budget: more is refused while it decodes. */
const WHOLE_MAX_BYTES = DECODE_ROOM_BYTES - GROWTH_MAX_BYTES;
/** Measured, for the decoder that reduces: at its start, by sample and by byte of the file; then the pixels that are made of it, of eight bits a sample or of more. */
const COST = { start: 50 * 1024 * 1024, sample: 4.5, file: 3, pixel: { usual: 7, deep: 12 }, most: 155 * 1024 * 1024 };

const atLevel = (grid: Grid, level: number, fileBytes: number): Reduced & { readonly decoder: number } => {
  const [width, height] = [Math.ceil(grid.width / 2 ** level), Math.ceil(grid.height / 2 ** level)];
  const samples = width * height * grid.channels;
  const isDeep = grid.depth > DEPTH.least;
  const decoder = samples * COST.sample * (isDeep ? 1.25 : 1) + fileBytes * COST.file;
  const pixels = width * height * (isDeep ? COST.pixel.deep : COST.pixel.usual);
  return { ...grid, level, width, height, decoder, bytes: Math.max(decoder, COST.start) + pixels };
};

/** A resolution is shrunk to the wanted size: with at least this many times its samples on each side, nothing is lost. */
const SPARE = 2;

const isEnough = (size: number, wanted: number | null): boolean => wanted === null || size >= wanted * SPARE;

/** The smallest resolution at least as large as this one needs to be: each takes a quarter of the time of the one before it. */
const forBox = (grid: Grid, from: number, levels: number, { width, height }: Box): number => {
  if (width === null && height === null) return from;
  let level = from;
  const isLarge = (at: number): boolean =>
    isEnough(Math.ceil(grid.width / 2 ** at), width) && isEnough(Math.ceil(grid.height / 2 ** at), height);
  while (level < levels && isLarge(level + 1)) level += 1;
  return level;
};

const WHOLE: Box = { width: null, height: null };

const reductionOf = (file: Buffer, box: Box): Reduced | undefined => {
  const at = file.indexOf(SIZ);
  if (at < 0 || file.indexOf(SIZ, at + 1) >= 0) return undefined;
  const whole = jp2Bytes(file);
  const grid = gridOf(file, at);
  if (whole.bytes <= WHOLE_MAX_BYTES || grid === undefined || !isPlain(file, grid.channels)) return undefined;
  const levels = levelsOf(file, at);
  for (let level = 1; level <= levels; level += 1) {
    const reduced = atLevel(grid, level, file.length);
    if (reduced.decoder + whole.tiles > COST.most) continue;
    const shown = atLevel(grid, forBox(grid, level, levels, box), file.length);
    return { ...shown, bytes: Math.min(shown.bytes + whole.tiles, DECODE_ROOM_BYTES) };
  }
  return undefined;
};

/** Undefined for images that are decoded whole, and for those that have no such resolution. What is to fit into a box needs no more than that. */
export const jp2Reduction = (bytes: Uint8Array, box = WHOLE): Reduced | undefined => {
  try {
    return reductionOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), box);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined; // it ends within its header
    throw thrown;
  }
};
