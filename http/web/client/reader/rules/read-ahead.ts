// Which pages to hold ready. A fast reader gets more pages ahead, one who goes back gets those behind, and memory is bounded by what decoded
// images take.
import type { Size } from './pages.js';

export interface Pace {
  /** Times of the latest turns, oldest first, in milliseconds. */
  readonly turnsMs: readonly number[];
  /** 1 forwards, -1 backwards. */
  readonly heading: 1 | -1;
}

export const START: Pace = { turnsMs: [], heading: 1 };

const TURNS_KEPT = 6;
/** A longer pause says nothing about how fast somebody reads. */
const PAUSE_MS = 60_000;

export const turned = (pace: Pace, heading: 1 | -1, nowMs: number): Pace => {
  const recent = pace.turnsMs.filter((at) => nowMs - at < PAUSE_MS);
  // Whoever turns round reads at another pace.
  return { turnsMs: [...(heading === pace.heading ? recent : []), nowMs].slice(-TURNS_KEPT), heading };
};

/** The median, so that one long look at a page does not count. Undefined before two turns. */
export const turnMs = ({ turnsMs }: Pace): number | undefined => {
  const gaps = turnsMs.slice(1).map((at, index) => at - (turnsMs[index] ?? at));
  return gaps.sort((a, b) => a - b)[gaps.length >> 1];
};

/** Pages within this time are loaded before they are needed, also over a slow line. */
const AHEAD_MS = 6_000;
const AHEAD = { min: 2, max: 12, usual: 3 };
const BEHIND = 1;

export const aheadOf = (pace: Pace): number => {
  const each = turnMs(pace);
  if (each === undefined) return AHEAD.usual;
  return Math.min(AHEAD.max, Math.max(AHEAD.min, Math.ceil(AHEAD_MS / Math.max(1, each))));
};

export interface ReadAheadOptions {
  /** The pages on the screen, from 0. */
  readonly first: number;
  readonly last: number;
  readonly pace: Pace;
  /** As they are asked for, in pixels. */
  readonly sizes: readonly Size[];
  /** Decoded images may take this many pixels, those on the screen not counted. */
  readonly pixels: number;
}

export interface ReadAheadPlan {
  /** In the order in which to load them; those on the screen come first. */
  readonly pages: readonly number[];
  /** Whether the reader will soon need the next book. */
  readonly wantsNextBook: boolean;
}

const range = (from: number, count: number, step: 1 | -1): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);

export const planAhead = ({ first, last, pace, sizes, pixels }: ReadAheadOptions): ReadAheadPlan => {
  const ahead = aheadOf(pace);
  const [onward, back] =
    pace.heading === 1
      ? [range(last + 1, ahead, 1), range(first - 1, BEHIND, -1)]
      : [range(first - 1, ahead, -1), range(last + 1, BEHIND, 1)];
  let left = pixels;
  const pages: number[] = [...range(first, last - first + 1, 1)];
  // The very next page comes first, then the one just left, then those further on.
  for (const page of [...onward.slice(0, 1), ...back, ...onward.slice(1)]) {
    const size = sizes[page];
    if (size === undefined) continue;
    left -= size.width * size.height;
    if (left < 0) break;
    pages.push(page);
  }
  return { pages, wantsNextBook: pace.heading === 1 && last + ahead >= sizes.length - 1 };
};
