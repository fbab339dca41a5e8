// A library whose folders are watched, with times short enough for tests, and what it knows and did.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WatchSettings } from '../../core/scan/watching/watch-parts.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert } from '../kit.js';

export interface WatchedShelf {
  readonly temp: TempApp;
  readonly libraryId: string;
  readonly notes: readonly string[];
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Paths of the books that can be read, relative to the shelf. */
  paths(): Promise<readonly string[]>;
  shows(...paths: readonly string[]): Promise<void>;
  /** What the scans so far looked at, the first one first; null: the whole library. */
  scanned(): Promise<readonly (readonly string[] | null)[]>;
  /** Nothing is scanned, and nothing will be. */
  rests(): Promise<void>;
  watched(): number;
}

/** Short, but longer than it takes to write a book. */
export const QUICK: Partial<WatchSettings> = { quietMs: 50, longestMs: 2000, restTimes: 0 };

/** A file that lists what is mounted: a folder as a file system of some kind, in a root of another one. */
export const mountsWith = (folder: string, place: string, kind: string): string => {
  const path = join(folder, `mounts-${kind}`);
  writeFileSync(
    path,
    `22 1 8:1 / / rw - ext4 /dev/sda rw\n23 22 0:40 / ${place} rw,relatime shared:1 - ${kind} far rw\n`,
  );
  return path;
};

/** Folders that this process watches, as the kernel counts them. */
export const kernelWatches = (): number =>
  readdirSync('/proc/self/fd')
    .filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).includes('inotify');
      } catch {
        return false; // the one that lists them
      }
    })
    .reduce((sum, fd) => sum + (readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').match(/^inotify /gm)?.length ?? 0), 0);

interface Options {
  readonly settings?: Partial<WatchSettings> | ((folder: string, shelf: string) => Partial<WatchSettings>);
}

const shelfOf = (
  temp: TempApp,
  libraryId: string,
  notes: readonly string[],
  ask: WatchedShelf['ask'],
): WatchedShelf => {
  const paths = async (): Promise<readonly string[]> => {
    const { json } = await ask('GET', '/books?pageSize=500');
    const found = json.data.filter(({ analyzed }: { analyzed: boolean }) => analyzed);
    return found.map(({ path }: { path: string }) => path.slice(temp.shelf.length + 1)).sort();
  };
  return {
    temp,
    libraryId,
    notes,
    ask,
    paths,
    shows: (...wanted) =>
      until(`the books are ${wanted.join(', ')}`, async () => (await paths()).join() === [...wanted].sort().join()),
    scanned: async () => {
      const rows = await temp.app.db.all<{ parameters: string }>(
        "SELECT parameters FROM task WHERE type = 'scan_library' ORDER BY id",
      );
      return rows.map(({ parameters }) => JSON.parse(parameters).folders ?? null);
    },
    rests: () =>
      until('nothing is left to scan', async () => {
        const isBusy =
          [...temp.app.watching.state().values()].some(({ isIdle }) => !isIdle) ||
          temp.app.scans.active().length > 0 ||
          temp.app.tasks.isBusy;
        return !isBusy;
      }),
    watched: () => [...temp.app.watching.state().values()].reduce((sum, { watched }) => sum + watched, 0),
  };
};

/** `Ants/Ants 1.cbz` and `Bees/Old/Bees 1.cbz`, scanned and watched: four folders with the root. */
export const withWatchedShelf = async (
  use: (shelf: WatchedShelf) => Promise<void>,
  { settings = QUICK }: Options = {},
): Promise<void> => {
  const notes: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'longbox-watched-'));
  const watching = typeof settings === 'function' ? settings(folder, join(folder, 'shelf')) : settings;
  const temp = await tempApp({ folder, engine: { watching, onNote: (note) => notes.push(note) } });
  try {
    const token = await temp.tokenOf('admin');
    const ask: WatchedShelf['ask'] = (method, path, body) =>
      temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
    writeBook(join(temp.shelf, 'Ants', 'Ants 1.cbz'), 1, 'a');
    writeBook(join(temp.shelf, 'Bees', 'Old', 'Bees 1.cbz'), 1, 'b');
    const scanningConfig = { enabled: true, watchFolders: true };
    const { json } = await ask('POST', '/libraries', { name: 'L', path: temp.shelf, scanningConfig });
    assert.is(json.scanningConfig.watchFolders, true);
    const shelf = shelfOf(temp, json.id, notes, ask);
    await temp.app.watching.list();
    await shelf.shows('Ants/Ants 1.cbz', 'Bees/Old/Bees 1.cbz');
    await shelf.rests();
    await use(shelf);
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
