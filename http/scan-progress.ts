// Shows running scans to the person who started the program, and prints one line when each of them ends.

import { type Library, libraryById } from '../core/catalog/libraries.js';
import { AppError } from '../core/model/errors.js';
import type { ScanStatus } from '../core/scan/status.js';
import type { App } from '../core/start.js';
import { printable } from './printable.js';
import type { ProgressOutput, ProgressWriter } from './progress-line.js';

interface Seen {
  readonly name: string;
  readonly startedMs: number;
  readonly doneAtStart: number;
  last: ScanStatus;
}

const LOOK_EVERY_MS = 250;

const lineOf = (seen: Seen, nowMs: number) => {
  const { last } = seen;
  const isDiscovering = last.filesTotal === 0;
  const seconds = Math.max(0.001, (nowMs - seen.startedMs) / 1000);
  return {
    phase: isDiscovering ? ('discovering' as const) : ('analysing' as const),
    libraryName: seen.name,
    filesFound: last.filesTotal,
    booksDone: last.filesProcessed,
    booksTotal: last.filesTotal,
    errors: last.errors.length,
    ratePerS: Math.max(0, last.filesProcessed - seen.doneAtStart) / seconds,
  };
};

const ending = (name: string, status: ScanStatus, nowMs: number): string => {
  const seconds = Math.max(0.1, ((status.completedAt ?? nowMs) - status.startedAt) / 1000).toFixed(1);
  const errors =
    status.errors.length === 0 ? '' : `, ${status.errors.length} warning${status.errors.length === 1 ? '' : 's'}:`;
  const shown = status.errors.slice(0, 5).map((error) => `\n  ${printable(error)}`);
  const more = status.errors.length > 5 ? `\n  and ${status.errors.length - 5} more (see scan-status)` : '';
  return `scan of ${printable(name)} ${status.state}: ${status.booksFound} books in ${status.seriesFound} series, ${seconds} s${errors}${shown.join('')}${more}\n`;
};

export interface ScanWatch {
  /** A scan that was just started: its end is reported even if it comes before the first check. */
  expect(name: string, status: ScanStatus): void;
  stop(): void;
}

/** Undefined when it has been deleted, or is being removed. */
const libraryIfThere = (app: App, id: string): Promise<Library | undefined> =>
  libraryById(app.db, id).catch((thrown: unknown) => {
    if (thrown instanceof AppError && thrown.kind === 'NotFound') return undefined;
    throw thrown;
  });

/** Checks the scans a few times a second while there are any. `onFault` is called with anything a check throws. */
export const watchScans = (
  app: App,
  progress: ProgressWriter,
  out: ProgressOutput,
  onFault: (thrown: unknown) => void,
): ScanWatch => {
  const seen = new Map<number, Seen>();
  const expect = (name: string, status: ScanStatus): void => {
    seen.set(status.libraryKey, { name, startedMs: app.clock.now(), doneAtStart: status.filesProcessed, last: status });
  };
  const look = async (): Promise<void> => {
    const active = app.scans.active();
    for (const status of active) {
      const known = seen.get(status.libraryKey);
      if (known === undefined || known.last.startedAt !== status.startedAt) {
        const library = await libraryIfThere(app, status.libraryId);
        if (library !== undefined) expect(library.name, status);
        continue;
      }
      known.last = status;
      progress.show(lineOf(known, app.clock.now()));
    }
    for (const [key, { name, last }] of seen) {
      if (active.some((status) => status.libraryKey === key)) continue;
      seen.delete(key);
      const library = await libraryIfThere(app, last.libraryId);
      if (library === undefined) continue;
      progress.clear();
      out.write(ending(name, await app.scans.status(library), app.clock.now()));
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking || (seen.size === 0 && app.scans.active().length === 0)) return;
    looking = true;
    look()
      .catch(onFault)
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY_MS);
  timer.unref();
  return { expect, stop: () => clearInterval(timer) };
};
