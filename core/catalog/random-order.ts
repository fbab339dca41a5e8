// A list in random order, a page at a time: the same order for the same seed, so that pages neither repeat nor skip a row. Pure.
import type { Window } from '../model/paging.js';

/** Of 2^32 places, by their highest bits: few of them hold a page, and only those are sorted. */
const BUCKET_BITS = 12;
const SHIFT = 32 - BUCKET_BITS;

/** Every key gets another place (each step can be undone). Murmur3's finalizer. */
const placeOf = (key: number, seed: number): number => {
  let mixed = (key ^ seed) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

export const randomPage = (keys: readonly number[], seed: number, { page, pageSize }: Window): readonly number[] => {
  const [start, end] = [(page - 1) * pageSize, page * pageSize];
  const counts = new Uint32Array(2 ** BUCKET_BITS);
  for (const key of keys) {
    const bucket = placeOf(key, seed) >>> SHIFT;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  let [first, last, before, seen] = [0, -1, 0, 0];
  for (const [bucket, count] of counts.entries()) {
    if (seen + count <= start) [first, before] = [bucket + 1, seen + count];
    else if (seen < end) last = bucket;
    seen += count;
  }
  const isNear = (key: number): boolean => {
    const bucket = placeOf(key, seed) >>> SHIFT;
    return bucket >= first && bucket <= last;
  };
  const near = keys.filter(isNear).sort((a, b) => placeOf(a, seed) - placeOf(b, seed));
  return near.slice(start - before, end - before);
};

const PERIOD_MS = 3_600_000;

/** Another order for each user, and a new one every hour. */
export const seedFor = (userKey: number, nowMs: number): number =>
  placeOf(userKey, placeOf(Math.floor(nowMs / PERIOD_MS), 0));
