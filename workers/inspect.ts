// What the files of a folder are: one after the other where the disk answers at once, several at once where it takes long.
import { lstatSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { readsMax, SLOW_MS } from './read-ahead.js';

/** Undefined stats: nothing is there (any more). */
export type Inspected = { readonly stats: Stats | undefined } | { readonly thrown: unknown };

const isNothing = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

const now = (path: string): Inspected => {
  try {
    return { stats: lstatSync(path, { throwIfNoEntry: false }) };
  } catch (thrown) {
    return { thrown };
  }
};

const later = async (path: string): Promise<Inspected> => {
  try {
    return { stats: await lstat(path) };
  } catch (thrown) {
    return isNothing(thrown) ? { stats: undefined } : { thrown };
  }
};

/** In the order of the paths. Links are not followed. `check` is called before each call or batch of calls. */
export const inspect = async (
  paths: readonly string[],
  check: () => void,
  { atOnce, slowMs } = { atOnce: readsMax, slowMs: SLOW_MS },
): Promise<readonly Inspected[]> => {
  const found: Inspected[] = [];
  let isSlow = false;
  while (found.length < paths.length) {
    check();
    const batch = paths.slice(found.length, found.length + (isSlow ? atOnce : 1));
    const started = performance.now();
    found.push(...(isSlow ? await Promise.all(batch.map(later)) : batch.map(now)));
    isSlow = atOnce > 1 && performance.now() - started > slowMs;
  }
  return found;
};
