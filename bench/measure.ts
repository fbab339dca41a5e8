// What every suite shares: a line of the table, medians, CPU time of a process, commands that may be missing.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** One line of the table: our figure, the limit measured in the same run, and the ratio that is judged. */
export interface Line {
  readonly id: string;
  readonly work: string;
  readonly limit: string;
  /** Our figure and the limit's, with their unit. Null on a line that has no limit. */
  readonly ours: string;
  readonly bare: string;
  /** Null when the line was not measured; then `note` says why. */
  readonly ratio: number | null;
  /** Minimum or maximum for the ratio; null when the target is in `ours` itself. */
  readonly target: { readonly kind: 'min' | 'max'; readonly value: number } | null;
  readonly met: boolean | null;
  readonly note: string;
}

export type Suite = (options: SuiteOptions) => Promise<readonly Line[]>;

export interface SuiteOptions {
  readonly quick: boolean;
  /** Where generated libraries and data folders are kept. */
  readonly folder: string;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

export const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;

/** Two decimals, or three significant digits for values below 1: 0.0124 ms is not 0.01. */
const shown = (value: number): number => (Math.abs(value) < 1 ? Number(value.toPrecision(3)) : round(value));

interface Compared {
  readonly id: string;
  readonly work: string;
  readonly limit: string;
  readonly unit: string;
  readonly ours: number;
  readonly bare: number;
  readonly target: NonNullable<Line['target']>;
  readonly note?: string;
}

/** The ratio is always ours divided by the limit's. */
export const compared = ({ id, work, limit, unit, ours, bare, target, note = '' }: Compared): Line => {
  const ratio = ours / bare;
  return {
    id,
    work,
    limit,
    ours: `${shown(ours)} ${unit}`,
    bare: `${shown(bare)} ${unit}`,
    ratio: round(ratio),
    target,
    met: target.kind === 'min' ? ratio >= target.value : ratio <= target.value,
    note,
  };
};

export const absolute = (id: string, work: string, target: string, ours: string, met: boolean): Line => ({
  id,
  work,
  limit: target,
  ours,
  bare: '',
  ratio: null,
  target: null,
  met,
  note: '',
});

/** A figure that is shown but not judged. */
export const figure = (id: string, work: string, ours: string): Line => ({
  ...absolute(id, work, 'none', ours, true),
  met: null,
});

export const skipped = (id: string, work: string, limit: string, why: string): Line => ({
  id,
  work,
  limit,
  ours: '',
  bare: '',
  ratio: null,
  target: null,
  met: null,
  note: `skipped: ${why}`,
});

export const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** CPU seconds a process (all its threads) has used, from /proc. */
export const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

/** What the program may keep resident when nothing happens, whatever it did before. */
export const IDLE_MAX_MB = 130;
/** Mapped files do not count: the system takes back their pages when others need memory. */
export const IDLE_TARGET = `≤ ${IDLE_MAX_MB} MB without mapped files`;

/** Resident memory in megabytes: all of it, and without pages of mapped files, which the system can take back. */
export const residentMb = (pid: number): { readonly all: number; readonly own: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { all: Math.round(read('VmRSS')), own: Math.round(read('RssAnon')) };
};

/** Peak resident memory in megabytes since the start of a process or since `resetPeak`, as recorded by the kernel. */
export const peakMb = (pid: number): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024);

/** Writing 5 resets the peak (proc(5), clear_refs). */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
