// Shows running scans, and the covers that follow them, to the person who started the program. Prints a line whenever one ends.

import { allLibraries } from '../../core/catalog/libraries.js';
import type { DueInProgress } from '../../core/scan/due-work.js';
import type { ScanStatus } from '../../core/scan/status.js';
import type { App } from '../../core/start.js';
import { counted, printable } from './printable.js';
import type { ProgressWriter } from './progress-line.js';
import { ScanRate } from './scan-rate.js';

interface Seen {
  readonly name: string;
  readonly startedAt: number;
  readonly rate: ScanRate;
}

const LOOK_EVERY_MS = 250;
/** While there is nothing to show: an idle server should seldom wake up. */
const IDLE_MS = 1000;
const WARNINGS_SHOWN = 5;

const lineOf = ({ name, rate }: Seen, status: ScanStatus, nowMs: number) => ({
  phase: status.filesTotal === 0 ? ('discovering' as const) : ('analysing' as const),
  libraryName: name,
  filesFound: status.filesTotal,
  booksDone: status.filesProcessed,
  booksTotal: status.filesTotal,
  errors: status.errors.length,
  ratePerS: rate.at(status.filesProcessed, nowMs),
});

/** Covers of one library. */
interface SeenCovers {
  readonly name: string;
  readonly rate: ScanRate;
  readonly sinceMs: number;
}

const coversLine = ({ name, rate }: SeenCovers, { made, failed, total }: DueInProgress, nowMs: number) => ({
  phase: 'covers' as const,
  libraryName: name,
  filesFound: 0,
  booksDone: made + failed,
  booksTotal: total,
  errors: 0,
  ratePerS: rate.at(made + failed, nowMs),
});

const coversEnding = ({ name, sinceMs }: SeenCovers, { made, failed, total }: DueInProgress, nowMs: number): string => {
  const seconds = Math.max(0.1, (nowMs - sinceMs) / 1000).toFixed(1);
  const left = total - made - failed;
  const notMade = failed === 0 ? '' : `, ${failed} without an image or unreadable`;
  return `covers of ${printable(name)}: ${made} made${notMade}${left > 0 ? `, ${left} left for later` : ''}, ${seconds} s`;
};

const endingOf = (name: string, status: ScanStatus, nowMs: number): string => {
  const { errors } = status;
  const seconds = Math.max(0.1, ((status.completedAt ?? nowMs) - status.startedAt) / 1000).toFixed(1);
  const found = `${counted(status.booksFound, 'book')} in ${status.seriesFound} series, ${seconds} s`;
  const warnings = errors.length === 0 ? '' : `, ${counted(errors.length, 'warning')}:`;
  const shown = errors.slice(0, WARNINGS_SHOWN).map((error) => `\n  ${printable(error)}`);
  const rest = errors.length - shown.length;
  const more = rest > 0 ? `\n  and ${rest} more: GET /api/v1/libraries/${status.libraryId}/scan-status` : '';
  return `scan of ${printable(name)} ${status.state}: ${found}${warnings}${shown.join('')}${more}`;
};

/** With its folder where another library has the same name. Undefined when the library is deleted, or being removed. */
const nameOf = async (app: App, id: string): Promise<string | undefined> => {
  const libraries = await allLibraries(app.db);
  const library = libraries.find((one) => one.id === id);
  if (library === undefined) return undefined;
  const isShared = libraries.some((one) => one !== library && one.name === library.name);
  return isShared ? `${library.name} (${library.root})` : library.name;
};

export interface Watchers {
  readonly progress: ProgressWriter;
  /** Called with a line or more for each scan that has ended, and for the covers after it. */
  readonly onEnded: (sentence: string, isFine: boolean) => void;
  /** Called with what cannot be read. */
  readonly onFault: (thrown: unknown) => void;
}

/** Draws the running scans a few times a second; the end of each is announced by the scan itself, however short it was. */
export const watchScans = (app: App, { progress, onEnded, onFault }: Watchers): { stop(): void } => {
  const seen = new Map<number, Seen>();
  const look = async (): Promise<void> => {
    for (const status of app.scans.active()) {
      const { libraryKey, libraryId, startedAt, filesProcessed } = status;
      const known = seen.get(libraryKey);
      if (known?.startedAt === startedAt) progress.show(lineOf(known, status, app.clock.now()));
      else {
        const name = await nameOf(app, libraryId);
        if (name !== undefined) seen.set(libraryKey, { name, startedAt, rate: new ScanRate(filesProcessed) });
      }
    }
  };
  const seenCovers = new Map<string, SeenCovers>();
  const lookAtCovers = async (): Promise<void> => {
    for (const covers of app.due.covers.active()) {
      const { libraryId, made, failed } = covers;
      const known = seenCovers.get(libraryId);
      const now = app.clock.now();
      if (known !== undefined) progress.show(coversLine(known, covers, now));
      else {
        const name = await nameOf(app, libraryId);
        const isStillMade = app.due.covers.active().some((one) => one.libraryId === libraryId);
        if (name !== undefined && isStillMade)
          seenCovers.set(libraryId, { name, rate: new ScanRate(made + failed), sinceMs: now });
      }
    }
  };
  /** Covers that were made between two looks are not worth a line. */
  app.due.covers.announce = (covers) => {
    const known = seenCovers.get(covers.libraryId);
    seenCovers.delete(covers.libraryId);
    if (known === undefined) return;
    progress.clear();
    onEnded(coversEnding(known, covers, app.clock.now()), true);
  };
  const end = async (status: ScanStatus): Promise<void> => {
    const known = seen.get(status.libraryKey);
    seen.delete(status.libraryKey);
    const name = known?.name ?? (await nameOf(app, status.libraryId).catch(onFault));
    progress.clear();
    const ending = endingOf(name ?? `the deleted library ${status.libraryId}`, status, app.clock.now());
    onEnded(ending, status.state !== 'failed' && status.errors.length === 0);
  };
  app.scans.announce = (status) => void end(status).catch(onFault);
  let timer: NodeJS.Timeout;
  const lookIn = (ms: number): void => {
    timer = setTimeout(() => {
      const isScanning = app.scans.active().length > 0;
      if (!isScanning && app.due.covers.active().length === 0) lookIn(IDLE_MS);
      else
        (isScanning ? look() : lookAtCovers()).catch(onFault).finally(() => {
          if (!isStopped) lookIn(LOOK_EVERY_MS);
        });
    }, ms).unref();
  };
  let isStopped = false;
  lookIn(IDLE_MS);
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
