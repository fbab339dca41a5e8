// What committed transactions changed. Each transaction reports it as values: the only way listeners and caches learn what is stale.
import { uuidOfHex } from '../model/ids.js';

/** `everything`: a transaction that wrote without reporting what. */
export type Kind =
  | 'book'
  | 'series'
  | 'library'
  | 'folder'
  | 'collection'
  | 'read_list'
  | 'genre'
  | 'tag'
  | 'want_to_read'
  | 'user'
  /** What users may see: sharing tags, grants, groups, library lists, age limits. */
  | 'restriction'
  /** By user keys: sessions, refresh tokens, links sent by mail, identities at sign-on providers. */
  | 'session'
  /** By user keys. */
  | 'api_key'
  /** By user keys: when their sessions and API keys were used last. */
  | 'last_use'
  /** By entry keys. */
  | 'audit'
  | 'setting'
  /** These three by user keys. What e-readers synchronise; by the key 0, what they call the books of the server. */
  | 'document'
  | 'preference'
  | 'reader_profile'
  | 'scan'
  | 'duplicates'
  | 'task'
  | 'server'
  | 'everything';

/** Kinds of rows that clients know by a public id. */
export type PublicKind = 'book' | 'series' | 'library' | 'collection' | 'read_list' | 'genre' | 'tag' | 'user' | 'task';

export type Change = 'created' | 'updated' | 'removed';

/** Groups of columns, by who reads them; a report combines several in one number. */
export const ASPECTS = {
  /** What conditions and orders of lists read, genres and tags included. */
  list: 1,
  /** What is searched, or compared as text. */
  text: 2,
  /** What users read, and the counters that follow from it. */
  reading: 4,
  /** Which collections and read lists a row is in. */
  members: 8,
  /** The file and its pages: what the page path caches. */
  content: 16,
  /** The picture that represents a row. */
  cover: 32,
  /** What is only displayed, or only concerns background work. */
  details: 64,
} as const;

export const ALL_ASPECTS = 127;

/** The series and library of a book, or the library of a series. */
export interface Parents {
  readonly libraryKey?: number;
  readonly seriesKey?: number;
}

/** Created, removed and moved books and series always carry their parents: nobody can look them up afterwards. */
export interface Report extends Parents {
  readonly kind: Kind;
  readonly change: Change;
  /** Row keys; `all`: any row of the kind, or of the library or series that is named. */
  readonly keys: readonly number[] | 'all';
  /** A bit set of ASPECTS. A created or removed row concerns all of them. */
  readonly aspects: number;
  /** For created and removed rows of a PublicKind, in the order of `keys`; absent with `all`. */
  readonly publicIds?: readonly string[];
  /** Where the rows were before they moved to another series or library. */
  readonly before?: Parents;
  /** The only user who sees the change. */
  readonly userKey?: number;
  /** The changed fields, named for events; if absent, anything may have changed. */
  readonly fields?: readonly string[];
  /** The content of the rows is unchanged; something else changed how, or by whom, they are found. */
  readonly isIndirect?: boolean;
  /** Removed books: they were never readable. Updated books: this change made them readable for the first time. */
  readonly wasNeverReadable?: boolean;
}

/** The key of the user on whose behalf something is written. SYSTEM: the server itself, in the background or for its command line. */
export type By = number | null;

export const SYSTEM = null;

export interface Batch {
  /** Stored in the transaction itself; grows from batch to batch, with gaps where another process wrote. */
  readonly sequence: number;
  readonly by: By;
  readonly reports: readonly Report[];
}

/** Called after each commit, in order and synchronously; must not query. */
export interface Listener {
  onBatch(batch: Batch): void;
  /** Drops everything it cached: it failed, and may have missed something. */
  forget(): void;
}

/** A report with more keys is delivered as `all`: querying again is as quick as checking each. */
export const KEYS_MAX = 4000;

const EVERYTHING: Report = { kind: 'everything', change: 'updated', keys: 'all', aspects: ALL_ASPECTS };

/** As returned by `RETURNING id, hex(uuid) AS hex`. */
export interface PublicRow {
  readonly id: number;
  readonly hex: string;
}

export const keysIn = (rows: readonly { readonly id: number }[]): readonly number[] => rows.map(({ id }) => id);

const withIds = (kind: PublicKind, change: Change, rows: readonly PublicRow[], parents: Parents): Report => ({
  kind,
  change,
  keys: keysIn(rows),
  aspects: ALL_ASPECTS,
  publicIds: rows.map(({ hex }) => uuidOfHex(hex)),
  ...parents,
});

export const created = (kind: PublicKind, rows: readonly PublicRow[], parents: Parents = {}): Report =>
  withIds(kind, 'created', rows, parents);

export const removed = (kind: PublicKind, rows: readonly PublicRow[], parents: Parents = {}): Report =>
  withIds(kind, 'removed', rows, parents);

/** Whole rows of a kind that clients never see. */
export const internal = (kind: 'folder' | 'scan', change: Change, keys: readonly number[]): Report => ({
  kind,
  change,
  keys,
  aspects: ALL_ASPECTS,
});

export const updated = (kind: Kind, keys: readonly number[] | 'all', aspects: number): Report => ({
  kind,
  change: 'updated',
  keys,
  aspects,
});

/** Whether a report concerns rows of a kind in one of these aspects. */
export const concerns = (report: Report, kind: Kind, aspects: number): boolean =>
  (report.kind === kind || report.kind === 'everything') && (report.aspects & aspects) !== 0;

const withoutIds = ({ publicIds: _, ...report }: Report): Report => report;

/** Row keys that changed, each in one of the two. */
export interface Changed {
  /** Created, or altered in some way. */
  readonly altered: Uint32Array;
  /** Removed since, and so no longer in any result. */
  readonly gone: Uint32Array;
}

/** Collects what one transaction reports. */
export class Reports {
  readonly #list: Report[] = [];
  /** Rows that statements said they changed. */
  #rows = 0;

  add(report: Report): void {
    if (report.keys.length === 0) return;
    const aspects = report.change === 'updated' ? report.aspects : ALL_ASPECTS;
    if (report.keys.length > KEYS_MAX) this.#list.push({ ...withoutIds(report), keys: 'all', aspects });
    else this.#list.push({ ...report, aspects });
  }

  count(rows: number): void {
    this.#rows += rows;
  }

  /** A transaction that wrote without a report may have changed anything. */
  get all(): readonly Report[] {
    return this.#list.length === 0 && this.#rows > 0 ? [EVERYTHING] : this.#list;
  }

  concern(aspects: number): boolean {
    return this.all.some((report) => (report.aspects & aspects) !== 0);
  }
}

/** How many batches are kept, and keys in all of them; anything older counts as stale. */
const BATCHES_MAX = 2000;
const LOGGED_KEYS_MAX = 250_000;

/** A report takes about as much memory as this many keys. */
const REPORT_WEIGHT = 10;

const weightOf = ({ reports }: Batch): number =>
  reports.reduce((sum, { keys }) => sum + REPORT_WEIGHT + (keys === 'all' ? 0 : keys.length), 0);

export class Feed {
  readonly #listeners = new Set<Listener>();
  readonly #onFault: (thrown: unknown) => void;
  readonly #log: Batch[] = [];
  #logged = 0;
  #sequence = 0;
  /** The newest batch that is no longer kept. */
  #dropped = 0;
  #isPending = false;

  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  /** The newest delivered batch. Cached reads are stamped with it before they are read. */
  get sequence(): number {
    return this.#sequence;
  }

  /** True from before a commit until its batch is delivered: readers may already see changes that no listener knows of. */
  get isPending(): boolean {
    return this.#isPending;
  }

  listen(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Batches after a sequence number, oldest first and without public ids; undefined when not all of them are kept. */
  since(sequence: number): readonly Batch[] | undefined {
    if (sequence < this.#dropped) return undefined;
    let from = this.#log.length;
    while (from > 0 && (this.#log[from - 1]?.sequence ?? 0) > sequence) from -= 1;
    return this.#log.slice(from);
  }

  /**
   * Rows of a kind that changed after a sequence number in one of these aspects; undefined: any of them may have. A key can be used again
   * by a new row, also in the transaction that removed the old one, and nothing says in which order a transaction did what it reports: so
   * a key is gone only if its last batch did nothing but remove it.
   */
  changedSince(sequence: number, kind: Kind, aspects: number): Changed | undefined {
    const batches = this.since(sequence);
    if (batches === undefined) return undefined;
    const altered = new Set<number>();
    const gone = new Set<number>();
    const take = ({ keys }: Report, to: Set<number>, from: Set<number>): boolean => {
      if (keys === 'all') return false;
      for (const key of keys) {
        to.add(key);
        from.delete(key);
      }
      return altered.size <= KEYS_MAX;
    };
    for (const { reports } of batches) {
      const concerned = reports.filter((report) => concerns(report, kind, aspects));
      for (const report of concerned) if (report.change === 'removed' && !take(report, gone, altered)) return undefined;
      for (const report of concerned) if (report.change !== 'removed' && !take(report, altered, gone)) return undefined;
    }
    return { altered: Uint32Array.from(altered), gone: Uint32Array.from(gone) };
  }

  /** A transaction is about to commit. */
  announce(): void {
    this.#isPending = true;
  }

  /** The announced transaction was rolled back. */
  withdraw(): void {
    this.#isPending = false;
  }

  /** The announced transaction was committed. */
  tell(batch: Batch): void {
    this.#isPending = false;
    this.#sequence = batch.sequence;
    this.#remember(batch);
    for (const listener of this.#listeners) {
      try {
        listener.onBatch(batch);
      } catch (thrown) {
        listener.forget();
        this.#onFault(thrown);
      }
    }
  }

  #remember(batch: Batch): void {
    this.#log.push({ ...batch, reports: batch.reports.map(withoutIds) });
    this.#logged += weightOf(batch);
    while (this.#log.length > BATCHES_MAX || this.#logged > LOGGED_KEYS_MAX) {
      const oldest = this.#log.shift();
      if (oldest === undefined) return;
      this.#logged -= weightOf(oldest);
      this.#dropped = oldest.sequence;
    }
  }
}
