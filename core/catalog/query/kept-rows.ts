// Rows of lists, kept while nothing that they show has changed for their user: lists in other orders, by other filters, and the pages
// somebody goes back to are mostly made of the same rows. The keys of a list are read each time.
import { type BoundedMap, boundedByBytes, boundedByCount } from '../../model/bounded-map.js';
import type { RowKind } from '../../model/row-kind.js';
import type { Viewer } from '../../model/viewer.js';
import type { Reads } from '../../store/db.js';
import type { Feed } from '../../store/feed.js';
import type { Query } from '../../store/packed.js';
import type { Versions } from '../../store/versions.js';
import type { Summarised } from '../long-summaries.js';

const BYTES_MAX = 12 * 1024 * 1024;
/** A row and its text in an answer, besides its summary. */
const ROW_BYTES = 2500;
/** Cached totals of lists. */
const TOTALS_MAX = 2000;

interface Total {
  readonly version: number;
  readonly total: number;
}

interface Kept {
  readonly version: number;
  readonly row: Summarised;
}

const bytesOf = ({ row }: Kept): number => ROW_BYTES + 4 * (row.summary?.length ?? 0);

/** The keys of a page, and how many rows there are on all pages. */
export interface KeysAndTotal {
  readonly keys: readonly number[];
  readonly total: number;
}

export interface RowsAndTotal<T> {
  readonly items: readonly T[];
  readonly total: number;
}

export type RowsByKeys<T> = (db: Reads, viewer: Viewer, keys: readonly number[]) => Promise<T[]>;

const nameIn =
  (kind: RowKind, { userKey, scope }: Viewer) =>
  (key: number): string =>
    `${kind} ${userKey} ${Number(scope.ageLimit === null)} ${key}`;

export class KeptRows {
  readonly #feed: Feed;
  readonly #versions: Versions;
  readonly #kept: BoundedMap<string, Kept>;
  readonly #totals: BoundedMap<string, Total> = boundedByCount(TOTALS_MAX);

  constructor(feed: Feed, versions: Versions, bytesMax: number = BYTES_MAX) {
    this.#feed = feed;
    this.#versions = versions;
    this.#kept = boundedByBytes(bytesMax, bytesOf);
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The user's current version, and a check that nothing has changed since. */
  #snapshot(userKey: number): { readonly version: number; readonly isUnchanged: () => boolean } {
    const version = this.#versions.of(userKey);
    const isSettled = !this.#feed.isPending;
    return { version, isUnchanged: () => isSettled && !this.#feed.isPending && this.#versions.of(userKey) === version };
  }

  /** Reads only the rows that are not kept; a row that has vanished is left out, as `read` does. */
  through<T extends Summarised>(kind: RowKind, read: RowsByKeys<T>): RowsByKeys<T> {
    return async (db, viewer, keys) => {
      const { userKey } = viewer;
      const { version, isUnchanged } = this.#snapshot(userKey);
      const nameOf = nameIn(kind, viewer);
      const found = new Map<number, T>();
      for (const key of keys) {
        const kept = this.#kept.get(nameOf(key));
        // Only `read` of the same kind of row puts rows under this name.
        if (kept !== undefined && kept.version === version) found.set(key, kept.row as T);
      }
      const missing = keys.filter((key) => !found.has(key));
      if (missing.length > 0) {
        const rows = await read(db, viewer, missing);
        const isCurrent = isUnchanged();
        // What was kept is of before the change: the list is read anew, as one moment.
        if (!isCurrent && found.size > 0) return read(db, viewer, keys);
        for (const row of rows) {
          found.set(row.key, row);
          if (isCurrent) this.#kept.set(nameOf(row.key), { version, row });
        }
      }
      return keys.flatMap((key) => found.get(key) ?? []);
    };
  }

  /**
   * A page whose keys and rows must be of one moment. If all its rows are kept, and nothing has changed while `keysOf` read their keys, they
   * are taken as they are. Otherwise `read` reads keys and rows together, and counts unless it is given a total.
   */
  async asOne<T extends Summarised>(
    kind: RowKind,
    viewer: Viewer,
    keysOf: () => Promise<KeysAndTotal>,
    read: (total?: number) => Promise<RowsAndTotal<T>>,
  ): Promise<RowsAndTotal<T>> {
    const { version, isUnchanged } = this.#snapshot(viewer.userKey);
    const nameOf = nameIn(kind, viewer);
    const { keys, total } = await keysOf();
    const kept = keys.flatMap((key) => this.#kept.get(nameOf(key)) ?? []).filter((one) => one.version === version);
    // Only rows of the same kind are under these names.
    const isKnown = isUnchanged();
    if (isKnown && kept.length === keys.length) return { items: kept.map(({ row }) => row as T), total };
    const found = await (isKnown ? read(total) : read());
    if (!isUnchanged()) return isKnown ? read() : found;
    for (const row of found.items) this.#kept.set(nameOf(row.key), { version, row });
    return found;
  }

  /**
   * A page of a list that is expensive to count: its total is cached until something changes for the user. `name` identifies the list among
   * those of the user, `count` is the counting SQL, and `read` reads the page with it or with SQL that returns the cached total.
   */
  async withTotal<T extends { readonly total: number }>(
    { userKey }: Viewer,
    name: string,
    count: Query,
    read: (total: Query) => Promise<T>,
  ): Promise<T> {
    const { version, isUnchanged } = this.#snapshot(userKey);
    const key = `${userKey} ${name}`;
    const known = this.#totals.get(key);
    if (known?.version === version) {
      const found = await read({ sql: 'SELECT ?', binds: [known.total] });
      if (isUnchanged()) return found;
    }
    const found = await read(count);
    if (isUnchanged()) this.#totals.set(key, { version, total: found.total });
    return found;
  }

  forget(): void {
    this.#totals.clear();
    this.#kept.clear();
  }
}
