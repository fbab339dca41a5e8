// The folder watchers of one library: opens and closes them and reports their events. Both the server and the system limit their number.
import { type FSWatcher, watch } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many more folders the server may watch. */
export interface WatchRoom {
  left: number;
}

export interface FolderWatchersOptions {
  readonly root: string;
  readonly room: WatchRoom;
  /** `isWritten`: a file there was changed; otherwise something came or went. `name` is null if the system does not report it. */
  readonly onEvent: (folder: string, name: string | null, isWritten: boolean) => void;
  /** Called once, when the system allows no more watches: nothing is watched from then on. */
  readonly onRefused: (code: string) => void;
}

/** Watchers opened in one go: each costs some 10 µs of the main thread. */
const SLICE = 100;
/** The system is out of watches, or the process out of file descriptors. */
const REFUSALS: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

const codeOf = (thrown: unknown): string => String((thrown as NodeJS.ErrnoException).code);

export class FolderWatchers {
  readonly #options: FolderWatchersOptions;
  readonly #open = new Map<string, FSWatcher>();
  #isClosed = false;

  constructor(options: FolderWatchersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Resolves to whether all of them are now watched or gone. */
  async add(folders: Iterable<string>): Promise<boolean> {
    let opened = 0;
    for (const folder of folders) {
      if (this.#open.has(folder)) continue;
      if (this.#isClosed || this.#options.room.left <= 0) return false;
      this.#add(folder);
      opened += 1;
      if (opened % SLICE === 0) await nextTurn();
    }
    return !this.#isClosed;
  }

  delete(folder: string): void {
    const watcher = this.#open.get(folder);
    if (watcher === undefined) return;
    this.#open.delete(folder);
    this.#options.room.left += 1;
    watcher.close();
  }

  close(): void {
    this.#isClosed = true;
    for (const folder of [...this.#open.keys()]) this.delete(folder);
  }

  #add(folder: string): void {
    const { root, room, onEvent } = this.#options;
    try {
      const watcher = watch(folder === '' ? root : `${root}/${folder}`, { persistent: false });
      watcher.on('change', (event, name) => onEvent(folder, name === null ? null : String(name), event === 'change'));
      watcher.on('error', (error) => this.#failed(folder, error));
      this.#open.set(folder, watcher);
      room.left -= 1;
    } catch (thrown) {
      this.#failed(folder, thrown);
    }
  }

  /** A folder that is gone by now or cannot be read does not stop the others from being watched. */
  #failed(folder: string, thrown: unknown): void {
    this.delete(folder);
    if (this.#isClosed || !REFUSALS.has(codeOf(thrown))) return;
    this.close();
    this.#options.onRefused(codeOf(thrown));
  }
}
