// The cache folder: derived bytes and the pages of solid archives, under one budget, on one disk.
import { join } from 'node:path';
import type { Blobs } from './blob-types.js';
import { openBlobs } from './blobs.js';
import type { CacheDisk } from './cache-disk.js';
import { Spills } from './spills.js';
import { cacheDiskOf, type Notes } from './told-once.js';

export interface Cache {
  readonly cacheDisk: CacheDisk;
  readonly blobs: Blobs;
  readonly spills: Spills;
}

/** Share of the cache budget for spill files of solid archives; the rest is for everything else that is derived. */
const SPILL_SHARE = 0.25;

export const openCache = async (
  clock: { now(): number },
  folder: string,
  budgetBytes: number,
  notes: Notes,
): Promise<Cache> => {
  const cacheDisk = cacheDiskOf(folder, notes);
  const blobs = await openBlobs({
    disk: cacheDisk,
    budgetBytes: budgetBytes * (1 - SPILL_SHARE),
    now: () => clock.now(),
    onRebuilt: (reason) => notes.onNote(`the cache was damaged and is rebuilt: ${reason}`),
  });
  return { cacheDisk, blobs, spills: new Spills(join(folder, 'spill'), budgetBytes * SPILL_SHARE, cacheDisk) };
};
