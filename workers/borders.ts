// Where the even borders of a page end, told from a small grey picture of it. Whatever differs from the colour of the edge is content, apart from
// specks of dust and the grain of a scan: rather too little is cut off than too much.
import { type Insets, NO_INSETS } from '../core/model/page-insets.js';

export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  /** Row by row. */
  readonly bytes: Uint8Array;
}

/** Pixels; the right and the lower bound are outside. */
interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const SIDES = ['left', 'right', 'top', 'bottom'] as const;
type Side = (typeof SIDES)[number];

/** A border that is narrower is not worth cutting off. */
const LEAST = 0.008;
/**
 * The shares of its width or height (both sides together) and of its area that a page may lose. Scanned comic pages lose up to a tenth of
 * their width, a seventh of their height and a sixth of their area. Where far more is empty, as around a caption on a black page or a
 * chapter title, the emptiness is intended, and cropping it would blow up what is in the middle to fill the screen.
 */
const MOST = { side: 0.4, area: 0.5 };
/** What the scanner shows beside the paper; behind it begins the border. */
const SHADOW = 0.02;
/** So much of the outermost line has its colour, or there is no border. */
const EVEN = 0.9;
/** Of a line, so much may be dust. */
const DUST = 0.005;
/** Grey values, of 256. */
const TOLERANCE = { least: 16, most: 48, deviations: 4 };
/** The borders of two sides meet in the corners, so each is looked at again without the others. */
const ROUNDS = 4;
/** Pixels: nothing can be told from less. */
const SIDE_MIN = 16;

const extentOf = ({ left, top, right, bottom }: Bounds, side: Side): number =>
  side === 'left' || side === 'right' ? right - left : bottom - top;

/** The pixels of a line along a side, counted inwards from 0. */
const lineOf = ({ width, bytes }: GreyPicture, bounds: Bounds, side: Side, at: number): Uint8Array => {
  const { left, top, right, bottom } = bounds;
  if (side === 'top' || side === 'bottom') {
    const row = (side === 'top' ? top + at : bottom - 1 - at) * width;
    return bytes.subarray(row + left, row + right);
  }
  const column = side === 'left' ? left + at : right - 1 - at;
  return Uint8Array.from({ length: bottom - top }, (_, y) => bytes[(top + y) * width + column] ?? 0);
};

/** The value in the middle of a histogram. */
const medianOf = (counts: Uint32Array): number => {
  const half = counts.reduce((sum, count) => sum + count, 0) / 2;
  let passed = 0;
  return counts.findIndex((count) => {
    passed += count;
    return passed >= half;
  });
};

interface Edge {
  readonly colour: number;
  readonly tolerance: number;
}

/** Of a normal distribution, by its median deviation. */
const DEVIATION = 1.4826;

/** Of the outermost line; undefined where it has no colour of its own. */
const edgeOf = (picture: GreyPicture, bounds: Bounds, side: Side): Edge | undefined => {
  const counts = new Uint32Array(256);
  for (const grey of lineOf(picture, bounds, side, 0)) counts[grey] = (counts[grey] ?? 0) + 1;
  const colour = medianOf(counts);
  const distances = new Uint32Array(256);
  for (const [grey, count] of counts.entries()) {
    const distance = Math.abs(grey - colour);
    distances[distance] = (distances[distance] ?? 0) + count;
  }
  const { least, most, deviations } = TOLERANCE;
  const tolerance = Math.min(most, Math.max(least, medianOf(distances) * DEVIATION * deviations));
  const even = distances.subarray(0, Math.floor(tolerance) + 1).reduce((sum, count) => sum + count, 0);
  return even >= distances.reduce((sum, count) => sum + count, 0) * EVEN ? { colour, tolerance } : undefined;
};

const isBorder = (line: Uint8Array, { colour, tolerance }: Edge): boolean => {
  const dust = Math.max(1, Math.floor(line.length * DUST));
  let others = 0;
  for (const grey of line) if (Math.abs(grey - colour) > tolerance && ++others > dust) return false;
  return true;
};

const linesOf = (picture: GreyPicture, bounds: Bounds, side: Side, edge: Edge): number => {
  const extent = extentOf(bounds, side);
  let lines = 0;
  while (lines < extent && isBorder(lineOf(picture, bounds, side, lines), edge)) lines += 1;
  return lines;
};

const movedIn = (bounds: Bounds, side: Side, lines: number): Bounds => ({
  ...bounds,
  [side]: bounds[side] + (side === 'left' || side === 'top' ? lines : -lines),
});

/** Null when there is nothing but border. */
const boundsOf = (picture: GreyPicture): Bounds | null => {
  const whole: Bounds = { left: 0, top: 0, right: picture.width, bottom: picture.height };
  const edges = new Map<Side, Edge>();
  let bounds = whole;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = bounds;
    for (const side of SIDES) {
      const cut = Math.abs(bounds[side] - whole[side]);
      // A drawing with an even edge of its own is no border of another colour.
      const isAtEdge = cut < extentOf(whole, side) * SHADOW;
      const edge = isAtEdge ? edgeOf(picture, bounds, side) : edges.get(side);
      if (edge === undefined) continue;
      edges.set(side, edge);
      const lines = linesOf(picture, bounds, side, edge);
      if (lines >= extentOf(bounds, side)) return null;
      bounds = movedIn(bounds, side, lines);
    }
    if (SIDES.every((side) => bounds[side] === before[side])) return bounds;
  }
  return bounds;
};

/** One line is left: an edge of the drawing is seldom where a line of the small picture is. */
const shareOf = (cut: number, extent: number): number => {
  const share = Math.max(0, cut - 1) / extent;
  return share < LEAST ? 0 : share;
};

const isMostlyEmpty = ({ left, top, right, bottom }: Insets): boolean => {
  const [width, height] = [1 - left - right, 1 - top - bottom];
  return Math.min(width, height) < 1 - MOST.side || width * height < 1 - MOST.area;
};

export const insetsOf = (picture: GreyPicture): Insets => {
  const { width, height } = picture;
  const bounds = width < SIDE_MIN || height < SIDE_MIN ? null : boundsOf(picture);
  if (bounds === null) return NO_INSETS;
  const insets: Insets = {
    left: shareOf(bounds.left, width),
    top: shareOf(bounds.top, height),
    right: shareOf(width - bounds.right, width),
    bottom: shareOf(height - bounds.bottom, height),
  };
  return isMostlyEmpty(insets) ? NO_INSETS : insets;
};
