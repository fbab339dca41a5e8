// How many books a drain analyses at once. Small ones go to threads several at a time (pool-turns.ts), so more of them are under way.
import type { Pool } from '../engine/pool.js';

/**
 * How many books are analysed at once, queued ones included, and how many are marked as attempted in one transaction: so many of any size,
 * and more if they are small. All that are marked or under way are suspects after a crash; the fewer they are, the more transactions it takes.
 */
export interface Pace {
  readonly running: Share;
  readonly marked: Share;
}

interface Share {
  readonly least: number;
  readonly most: number;
}

/** More books than `least` have no more bytes than this. */
const SMALL_BYTES = 16 * 1024 * 1024;

export const hasRoom = ({ least, most }: Share, count: number, bytes: number): boolean =>
  count < least || (count < most && bytes < SMALL_BYTES);

export type PoolSize = Pick<Pool, 'backgroundWidth' | 'backgroundShare'>;

export const ALONE: Pace = { running: { least: 1, most: 1 }, marked: { least: 1, most: 1 } };

/** Small books go to threads several at a time (pool-turns.ts). */
export const paceOf = ({ backgroundWidth: width, backgroundShare: share }: PoolSize): Pace => ({
  running: { least: Math.min(width * 2 + 2, share), most: Math.min(width * 16, share) },
  marked: { least: 16, most: 64 },
});

/** How many of these, the first ones. */
export const fitting = (share: Share, books: readonly { readonly size: number }[]): number => {
  let bytes = 0;
  const end = books.findIndex(({ size }, count) => {
    const fits = hasRoom(share, count, bytes);
    bytes += size;
    return !fits;
  });
  return end < 0 ? books.length : end;
};
