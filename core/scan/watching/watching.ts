// Folder watching for all libraries that enable it. If the library changes, watching restarts at once, with a scan of the whole library.
import { allLibraries, type Library } from '../../catalog/libraries.js';
import type { WalkOutput } from '../../model/jobs.js';
import { isOfDisk } from '../../store/connection.js';
import { Reloading } from '../reloading.js';
import type { WatchRoom } from './folder-watchers.js';
import type { WatchParts } from './watch-parts.js';
import { WatchedLibrary, type WatchState } from './watched-library.js';

interface Entry {
  /** The fields of the library that watching depends on. */
  readonly setting: string;
  readonly watched: WatchedLibrary;
}

const settingOf = ({ scanEnabled, scanWatch, root, excluded }: Library): string | null =>
  scanEnabled && scanWatch ? JSON.stringify([root, excluded]) : null;

export class Watching {
  readonly #parts: WatchParts;
  readonly #room: WatchRoom;
  readonly #entries = new Map<number, Entry>();
  readonly #reload = new Reloading(() => this.#later(() => this.#load()));
  #working: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#room = { left: parts.settings.watchedMax };
  }

  start(): void {
    const { db, scans } = this.#parts;
    scans.follower = this;
    this.#reload.listen(db);
    this.#later(() => this.#load());
  }

  looked(libraryKey: number, found: WalkOutput): void {
    this.#entries.get(libraryKey)?.watched.looked(found);
  }

  freed(libraryKey: number): void {
    this.#entries.get(libraryKey)?.watched.freed();
  }

  /** Polls the folders of all libraries now, with their current settings. */
  async list(): Promise<void> {
    this.#later(() => this.#load());
    await this.#working;
    await Promise.all([...this.#entries.values()].map(({ watched }) => watched.list()));
  }

  /** The state of each watched library, by key. */
  state(): ReadonlyMap<number, WatchState> {
    return new Map([...this.#entries].map(([key, { watched }]) => [key, watched.state]));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#parts.scans.follower = undefined;
    this.#reload.stop();
    await this.#working;
    await this.#keepOnly(new Map());
  }

  #later(step: () => Promise<void>): void {
    this.#working = this.#working
      .then(() => (this.#isStopped ? undefined : step()))
      .catch((thrown: unknown) => {
        if (!this.#isStopped && !isOfDisk(thrown)) this.#parts.onFault(thrown);
      });
  }

  async #load(): Promise<void> {
    const libraries = await allLibraries(this.#parts.db);
    const wanted = new Map(
      libraries.flatMap((library) => {
        const setting = settingOf(library);
        return setting === null ? [] : [[library.key, { setting, library }] as const];
      }),
    );
    await this.#keepOnly(new Map([...wanted].map(([key, { setting }]) => [key, setting])));
    for (const [key, { setting, library }] of wanted) {
      if (this.#isStopped || this.#entries.has(key)) continue;
      const watched = new WatchedLibrary(this.#parts, library, this.#room);
      this.#entries.set(key, { setting, watched });
      watched.start();
    }
  }

  /** Stops watching all other libraries. */
  async #keepOnly(settings: ReadonlyMap<number, string>): Promise<void> {
    const ended = [...this.#entries].filter(([key, { setting }]) => settings.get(key) !== setting);
    for (const [key] of ended) this.#entries.delete(key);
    await Promise.all(ended.map(([, { watched }]) => watched.stop()));
  }
}
