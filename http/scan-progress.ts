// Shows running scans to the person who started the program, and prints a line whenever one ends.

import { allLibraries } from '../core/catalog/libraries.js';
import type { ScanStatus } from '../core/scan/status.js';
import type { App } from '../core/start.js';
import { counted, printable } from './printable.js';
import type { ProgressOutput, ProgressWriter } from './progress-line.js';
import { ScanRate } from './scan-rate.js';

interface Seen {
  readonly name: string;
  readonly startedAt: number;
  readonly rate: ScanRate;
}

const LOOK_EVERY_MS = 250;
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

const endingOf = (name: string, status: ScanStatus, nowMs: number): string => {
  const { errors } = status;
  const seconds = Math.max(0.1, ((status.completedAt ?? nowMs) - status.startedAt) / 1000).toFixed(1);
  const found = `${counted(status.booksFound, 'book')} in ${status.seriesFound} series, ${seconds} s`;
  const warnings = errors.length === 0 ? '' : `, ${counted(errors.length, 'warning')}:`;
  const shown = errors.slice(0, WARNINGS_SHOWN).map((error) => `\n  ${printable(error)}`);
  const rest = errors.length - shown.length;
  const more = rest > 0 ? `\n  and ${rest} more: GET /api/v1/libraries/${status.libraryId}/scan-status` : '';
  return `scan of ${printable(name)} ${status.state}: ${found}${warnings}${shown.join('')}${more}\n`;
};

/** With its folder where another library has the same name. Undefined when the library is deleted, or being removed. */
const nameOf = async (app: App, id: string): Promise<string | undefined> => {
  const libraries = await allLibraries(app.db);
  const library = libraries.find((one) => one.id === id);
  if (library === undefined) return undefined;
  const isShared = libraries.some((one) => one !== library && one.name === library.name);
  return isShared ? `${library.name} (${library.root})` : library.name;
};

/** Draws the running scans a few times a second; the end of each is announced by the scan itself, however short it was. `onFault` gets what cannot be read. */
export const watchScans = (
  app: App,
  progress: ProgressWriter,
  out: ProgressOutput,
  onFault: (thrown: unknown) => void,
): { stop(): void } => {
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
  const end = async (status: ScanStatus): Promise<void> => {
    const known = seen.get(status.libraryKey);
    seen.delete(status.libraryKey);
    const name = known?.name ?? (await nameOf(app, status.libraryId).catch(onFault));
    progress.clear();
    out.write(endingOf(name ?? `the deleted library ${status.libraryId}`, status, app.clock.now()));
  };
  app.scans.announce = (status) => void end(status).catch(onFault);
  let looking = false;
  const timer = setInterval(() => {
    if (looking || app.scans.active().length === 0) return;
    looking = true;
    look()
      .catch(onFault)
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
};
