// What a process holds, as the system sees it, and what its data folder takes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export type Vitals = Readonly<Record<'rssMb' | 'descriptors' | 'threads' | 'databaseMb' | 'walMb', number>>;

const MB = 1024 * 1024;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const figure = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);

export const vitalsOf = (pid: number, data: string): Vitals => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    rssMb: figure(status, 'VmRSS') / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: figure(status, 'Threads'),
    databaseMb: sizeOf(join(data, 'longbox.db')) / MB,
    walMb: sizeOf(join(data, 'longbox.db-wal')) / MB,
  };
};

/** Growth per minute below which nothing leaks: smaller than what one more page of memory or one connection makes. */
export const ALLOWED: Vitals = { rssMb: 0.1, descriptors: 0.05, threads: 0.02, databaseMb: 0.2, walMb: 0.2 };
