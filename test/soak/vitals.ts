// What a process holds, as the system and the program itself see it, and what its data folder takes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { House } from '../drills/house.js';
import { medianOf } from './slope.js';

export type Vitals = Readonly<Record<string, number>>;

interface Figure {
  /** Of the samples of a window, which counts: garbage comes and goes, what is left after it was collected is what is held. */
  readonly of: (samples: readonly number[]) => number;
  /** Growth per minute that is no leak: less than one more page of memory or one connection makes, and what is kept by intention. */
  readonly allowed: number;
}

const least = (samples: readonly number[]): number => Math.min(...samples);
const most = (samples: readonly number[]): number => Math.max(...samples);

export const VITALS: Readonly<Record<string, Figure>> = {
  rssMb: { of: medianOf, allowed: 0.15 },
  ownMb: { of: least, allowed: 0.15 },
  heapMb: { of: least, allowed: 0.05 },
  externalMb: { of: least, allowed: 0.05 },
  descriptors: { of: medianOf, allowed: 0.05 },
  threads: { of: medianOf, allowed: 0.02 },
  // The audit log and the tasks of a week grow by some kilobytes a minute.
  databaseMb: { of: medianOf, allowed: 0.1 },
  walMb: { of: most, allowed: 0.1 },
  cacheFileMb: { of: most, allowed: 0.1 },
};

const MB = 1024 * 1024;

const sizeOf = (path: string): number => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / MB;

const figure = (text: string, pattern: string): number =>
  Number(new RegExp(`^${pattern}\\s+([\\d.e+]+)`, 'm').exec(text)?.[1]);

export const vitalsOf = async (house: House): Promise<Vitals> => {
  const { pid = 0 } = house.program().child;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const answer = await house.fetch('/metrics', AbortSignal.timeout(30_000), { accept: 'text/plain' });
  const text = await answer.text();
  return {
    rssMb: figure(status, 'VmRSS:') / 1024,
    ownMb: figure(status, 'RssAnon:') / 1024,
    heapMb: figure(text, 'longbox_heap_used_bytes') / MB,
    externalMb: figure(text, 'longbox_external_memory_bytes') / MB,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: figure(status, 'Threads:'),
    databaseMb: sizeOf(join(house.data, 'longbox.db')),
    walMb: sizeOf(join(house.data, 'longbox.db-wal')),
    cacheFileMb: sizeOf(join(house.data, 'cache', 'data.mdb')),
  };
};
