// Folder watching for one library: folders are watched where that works, and all are polled from time to time. Events are only hints where
// to scan: an ordinary scan finds out what changed. It starts once nothing has happened for a while, or at the latest after a maximum.
import type { Library } from '../../catalog/libraries.js';
import { Mounts } from '../../engine/mounts.js';
import { faultOf } from '../../model/errors.js';
import type { FoldersOutput, WalkOutput } from '../../model/jobs.js';
import { isJunk } from '../../model/junk.js';
import { isOfDisk } from '../../store/connection.js';
import { FOLDERS_MAX } from '../part.js';
import { FolderWatchers, type WatchRoom } from './folder-watchers.js';
import { Hints } from './hints.js';
import { isLocal, localIn } from './local.js';
import { Quiet } from './quiet.js';
import type { WatchParts } from './watch-parts.js';

/** Names of files that matter to a scan. */
const OF_BOOKS = /\.(?:cbz|cbr|cbt|epub|pdf|opf)$|^series\.json$|^(?:cover|folder|poster)\.(?:jpe?g|png|webp)$/i;
/** Ahead of scheduled scans, but behind requested ones. */
const PRIORITY = 590;
/** Temporary errors: the disk does not respond, the server is busy or stopping. */
const PASSING: ReadonlySet<string> = new Set(['FileUnreadable', 'Overloaded', 'Cancelled', 'Timeout']);
/** Polling takes at most one part in this many of the time. */
const LISTING_SHARE = 100;
const REST_MAX_MS = 600_000;

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** What keeps changes from being noticed, or scanned, at once. */
type Trouble = 'remote' | 'partly' | 'too many' | 'quarantined';

export interface WatchState {
  /** Counts of watched and of known folders. */
  readonly watched: number;
  readonly known: number;
  /** Whether everything that happened has been handled. */
  readonly isIdle: boolean;
}

export class WatchedLibrary {
  readonly #parts: WatchParts;
  readonly #library: Library;
  readonly #room: WatchRoom;
  readonly #stop = new AbortController();
  readonly #known = new Map<string, number>();
  #root: string | null = null;
  #watchers: FolderWatchers | null = null;
  /** Whether every folder is watched. */
  #isWatched = false;
  #isRefused = false;
  readonly #told = new Set<Trouble>();
  /** Where to scan. */
  readonly #hints = new Hints();
  /** What to scan again after a while. */
  readonly #again = new Hints();
  /** Where folders may have been added or removed; beyond FOLDERS_MAX, anywhere. */
  readonly #looks = new Set<string>();
  readonly #quiet: Quiet;
  #scanStartedMs: number | null = null;
  #listTimer: NodeJS.Timeout | undefined;
  #againTimer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #steps = 0;

  constructor(parts: WatchParts, library: Library, room: WatchRoom) {
    this.#parts = parts;
    this.#library = library;
    this.#room = room;
    this.#quiet = new Quiet({ ...parts.settings, onQuiet: () => this.#after(() => this.#act()) });
  }

  get state(): WatchState {
    const hasHints = !this.#hints.isEmpty || !this.#again.isEmpty || this.#looks.size > 0;
    const isIdle = this.#steps === 0 && !hasHints;
    return { watched: this.#watchers?.size ?? 0, known: this.#known.size, isIdle };
  }

  start(): void {
    this.#listAfter(0);
  }

  /** Polls the folders now. */
  list(): Promise<void> {
    this.#after(() => this.#list());
    return this.#working;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#quiet.stop();
    clearTimeout(this.#listTimer);
    clearTimeout(this.#againTimer);
    this.#watchers?.close();
    await this.#working;
  }

  /**
   * Takes what a scan found. Files still being written are scanned again. Where nothing is watched, so is everything that changed, until a
   * scan finds it unchanged: nothing else would reveal the end of a copy there, and the clock of the file server may be wrong.
   */
  looked({ folders, unsettled }: Pick<WalkOutput, 'folders' | 'unsettled'>): void {
    for (const path of unsettled) this.#again.add(path);
    if (!this.#isWatched) for (const { path, files } of folders) if (files !== null) this.#again.add(path);
    if (this.#again.isEmpty || this.#stop.signal.aborted) return;
    this.#againTimer ??= setTimeout(() => {
      this.#againTimer = undefined;
      this.#hints.addAll(this.#again.take());
      this.#quiet.arm();
    }, this.#parts.settings.longestMs).unref();
  }

  /** Called when the last scan of the library has ended. */
  freed(): void {
    if (this.#scanStartedMs !== null)
      this.#quiet.rest(
        Math.min(REST_MAX_MS, this.#parts.settings.restTimes * (performance.now() - this.#scanStartedMs)),
      );
    this.#scanStartedMs = null;
    if (!this.#hints.isEmpty || this.#looks.size > 0) this.#quiet.arm();
  }

  #happened(folder: string, name: string | null, isWritten: boolean): void {
    if (name !== null && isJunk(name)) return;
    const isOfBooks = name === null || OF_BOOKS.test(name);
    if (isWritten && !isOfBooks) return;
    if (isOfBooks) this.#hints.add(folder);
    const mayBeFolder = !isWritten && (name === null || !isOfBooks);
    if (mayBeFolder && this.#looks.size <= FOLDERS_MAX) this.#looks.add(folder);
    this.#quiet.arm();
  }

  #listAfter(ms: number): void {
    clearTimeout(this.#listTimer);
    if (this.#stop.signal.aborted) return;
    const { readers, settings } = this.#parts;
    this.#listTimer = setTimeout(() => {
      if (readers.areReading) this.#listAfter(settings.whileReadingMs);
      else this.#after(() => this.#list());
    }, ms).unref();
  }

  /** Runs one action after the other. What fails temporarily is retried with the next poll. */
  #after(step: () => Promise<void>): void {
    this.#steps += 1;
    this.#working = this.#working
      .then(() => (this.#stop.signal.aborted ? undefined : step()))
      .catch((thrown: unknown) => {
        if (this.#stop.signal.aborted || isOfDisk(thrown) || PASSING.has(faultOf(thrown).kind)) return;
        this.#parts.onFault(thrown);
      })
      .finally(() => {
        this.#steps -= 1;
      });
  }

  /** Looks for new folders where entries came or went, then scans the hints. */
  async #act(): Promise<void> {
    const { scans } = this.#parts;
    if (scans.isActive(this.#library.key)) return; // `freed` follows
    this.#quiet.begin();
    if (this.#looks.size > 0) await this.#lookAround();
    if (this.#hints.isEmpty || this.#stop.signal.aborted) return;
    if (await scans.isQuarantined(this.#library)) {
      this.#tell('quarantined', 'folders that change are not scanned, since its last scan was quarantined');
      return this.#hints.clear();
    }
    const part = this.#hints.take();
    this.#scanStartedMs = performance.now();
    try {
      await scans.start(this.#library, { mode: 'normal', part, priority: PRIORITY, settledOnly: true });
    } catch (thrown) {
      this.#scanStartedMs = null;
      const { kind } = faultOf(thrown);
      if (kind === 'NotFound') return; // it is being removed
      this.#hints.addAll(part);
      if (kind !== 'Conflict') throw thrown; // somebody was faster: `freed` follows
    }
  }

  async #lookAround(): Promise<void> {
    const listed = [...this.#looks];
    this.#looks.clear();
    if (listed.length > FOLDERS_MAX) return this.#compare();
    const found = await this.#foldersOf(listed);
    await (found.root === this.#root ? this.#follow(found) : this.#compare());
  }

  async #list(): Promise<void> {
    const { settings } = this.#parts;
    const began = performance.now();
    try {
      await this.#compare();
    } finally {
      const everyMs = this.#isWatched ? settings.watchedEveryMs : settings.listedEveryMs;
      this.#listAfter(Math.max(everyMs, LISTING_SHARE * (performance.now() - began)));
    }
  }

  async #compare(): Promise<void> {
    let found = await this.#foldersOf(null);
    if (found.root !== this.#root) {
      // Another file system is mounted: nothing that was known or watched is there any more.
      const wasKnown = this.#known.size > 0;
      this.#forget();
      this.#root = found.root;
      if (found.root === null) return; // the disk is missing; a scan would only fail
      if (wasKnown) found = await this.#foldersOf(null);
      this.#hints.add('');
    }
    for (const [path, time] of found.changed) {
      this.#known.set(path, time);
      this.#hints.add(path);
    }
    await this.#follow(found);
    if (!this.#hints.isEmpty) this.#quiet.arm();
  }

  /** Takes added and removed folders into account. */
  async #follow({ added, gone, isComplete }: FoldersOutput): Promise<void> {
    for (const path of gone) {
      this.#known.delete(path);
      this.#watchers?.delete(path);
      this.#hints.add(parentOf(path));
    }
    for (const [path, time] of added) {
      this.#known.set(path, time);
      this.#hints.add(path);
    }
    if (!isComplete) this.#tell('too many', `too many folders: only ${this.#known.size} are followed`);
    await this.#watch();
  }

  async #watch(): Promise<void> {
    if (this.#isRefused) return;
    const { root } = this.#library;
    const mounts = await Mounts.read(this.#parts.settings.mountInfo);
    if (this.#stop.signal.aborted) return;
    if (!isLocal(mounts, root)) {
      this.#tell(
        'remote',
        `its folders are polled, not watched: they are on ${mounts.kindOf(root) || 'an unknown file system'}`,
      );
      return;
    }
    const watchers = this.#watchers ?? this.#openWatchers();
    const isAll = await watchers.add([...this.#known.keys()].filter(localIn(mounts, root)));
    if (!isAll && !this.#isRefused)
      this.#tell('partly', `${watchers.size} of its folders are watched, the others are polled`);
    this.#isWatched = watchers.size === this.#known.size;
  }

  #openWatchers(): FolderWatchers {
    this.#watchers = new FolderWatchers({
      root: this.#library.root,
      room: this.#room,
      onEvent: (folder, name, isWritten) => this.#happened(folder, name, isWritten),
      onRefused: (code) => this.#refused(code),
    });
    return this.#watchers;
  }

  #refused(code: string): void {
    this.#isRefused = true;
    this.#isWatched = false;
    this.#watchers = null;
    this.#parts.onWarning(
      `the library "${this.#library.name}": the system allows no more watches (${code}), so its folders are polled instead; see fs.inotify.max_user_watches`,
    );
    this.#listAfter(this.#parts.settings.listedEveryMs);
  }

  #forget(): void {
    this.#watchers?.close();
    this.#watchers = null;
    this.#isWatched = false;
    this.#known.clear();
    for (const hints of [this.#hints, this.#again, this.#looks]) hints.clear();
  }

  /** Of each kind, the first is logged. */
  #tell(kind: Trouble, what: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    const { onNote, onWarning } = this.#parts;
    (kind === 'quarantined' ? onWarning : onNote)(`the library "${this.#library.name}": ${what}`);
  }

  #foldersOf(listed: readonly string[] | null): Promise<FoldersOutput> {
    const { root, excluded } = this.#library;
    const { foldersMax } = this.#parts.settings;
    const input = { root, excluded, known: this.#known, listed, foldersMax };
    return this.#parts.pool.run('folders', input, { lane: 'background', signal: this.#stop.signal });
  }
}
