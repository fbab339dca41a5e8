// What some transactions changed, by row. Rows created and removed in between do not appear. Pure.
import { type ListKind, SHAPES } from '../catalog/collections/kinds.js';
import { ASPECTS, type Batch, type By, type Report } from '../store/feed.js';

export interface Touch {
  readonly isCreated: boolean;
  readonly by: By;
  /** Whether its content changed. */
  readonly isShown: boolean;
  readonly hasCover: boolean;
  /** Undefined if anything about it may have changed. */
  readonly fields: readonly string[] | undefined;
  /** The series it was in, if it moved. */
  readonly before: number | undefined;
  /** The change made it readable for the first time; before, it was hidden from viewers with an age limit. */
  readonly wasNeverReadable: boolean;
}

export interface Removal {
  readonly key: number;
  readonly id: string;
  readonly by: By;
  readonly libraryKey: number;
  /** For a book, its last known series; for a series, its own key. */
  readonly seriesKey: number;
  readonly neverReadable: boolean;
}

/** Aspects of a row that clients see; search texts are not among them. */
const SHOWN = ASPECTS.list | ASPECTS.content;

const touchOf = (report: Report, by: By): Touch => {
  const { change, aspects, fields, isIndirect = false, before, wasNeverReadable = false } = report;
  const isCreated = change === 'created';
  const isUpdated = change === 'updated' && !isIndirect;
  return {
    isCreated,
    by,
    isShown: isCreated || (isUpdated && ((aspects & SHOWN) !== 0 || fields !== undefined)),
    hasCover: isUpdated && (aspects & ASPECTS.cover) !== 0,
    fields: isUpdated ? fields : undefined,
    before: before?.seriesKey,
    wasNeverReadable,
  };
};

const both = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])];

/** Within one transaction, named fields apply to all its reports. */
const together = (a: Touch, b: Touch): Touch => ({
  isCreated: a.isCreated || b.isCreated,
  by: b.by,
  isShown: a.isShown || b.isShown,
  hasCover: a.hasCover || b.hasCover,
  fields: a.fields === undefined ? b.fields : both(a.fields, b.fields ?? []),
  before: a.before ?? b.before,
  wasNeverReadable: a.wasNeverReadable || b.wasNeverReadable,
});

/** Across two transactions, the fields are known only if both name them. */
const thenAlso = (a: Touch, b: Touch): Touch => {
  const said = (one: Touch): readonly string[] | undefined => (one.isShown ? one.fields : []);
  const [first, second] = [said(a), said(b)];
  return {
    ...together(a, b),
    by: b.isShown || b.hasCover ? b.by : a.by,
    fields: first === undefined || second === undefined ? undefined : both(first, second),
  };
};

/** The rows of one kind. */
export class Rows {
  readonly touched = new Map<number, Touch>();
  /** By public id, since a key may have been reused. */
  readonly removed = new Map<string, Removal>();
  readonly #createdIds = new Map<number, string>();

  take(reports: readonly Report[], by: By): void {
    const gone = new Set<string>();
    for (const report of reports) if (report.change === 'removed') this.#remove(report, by, gone);
    const fresh = new Map<number, Touch>();
    for (const report of reports) if (report.change !== 'removed') this.#touch(report, by, gone, fresh);
    for (const [key, touch] of fresh) {
      const earlier = this.touched.get(key);
      this.touched.set(key, earlier === undefined ? touch : thenAlso(earlier, touch));
    }
  }

  #remove(report: Report, by: By, gone: Set<string>): void {
    const { keys, publicIds = [], libraryKey = 0, seriesKey, wasNeverReadable = false } = report;
    if (keys === 'all') return;
    for (const [index, key] of keys.entries()) {
      const id = publicIds[index] ?? '';
      const earlier = this.touched.get(key);
      gone.add(id);
      this.touched.delete(key);
      const isNew = this.#createdIds.get(key) === id;
      this.#createdIds.delete(key);
      const neverReadable = wasNeverReadable || earlier?.wasNeverReadable === true;
      const from = earlier?.before ?? seriesKey ?? key;
      if (!isNew) this.removed.set(id, { key, id, by, libraryKey, seriesKey: from, neverReadable });
    }
  }

  #touch(report: Report, by: By, gone: ReadonlySet<string>, fresh: Map<number, Touch>): void {
    const { keys, publicIds, change } = report;
    if (keys === 'all') return;
    const touch = touchOf(report, by);
    for (const [index, key] of keys.entries()) {
      const id = change === 'created' ? (publicIds?.[index] ?? '') : undefined;
      if (id !== undefined) {
        if (gone.has(id)) {
          this.removed.delete(id);
          continue;
        }
        this.#createdIds.set(key, id);
      }
      const other = fresh.get(key);
      fresh.set(key, other === undefined ? touch : together(other, touch));
    }
  }
}

const ofKind = (reports: readonly Report[], kind: Report['kind']): Report[] =>
  reports.filter((report) => report.kind === kind && report.userKey === undefined);

/** Whether the report may lead to an event for some: about lists for apps, about what somebody read for that user. */
export const isToldToSome = ({ kind, keys, aspects, userKey }: Report): boolean => {
  if (keys === 'all') return false;
  if (kind === 'collection' || kind === 'read_list') return true;
  return userKey !== undefined && (kind === 'book' || kind === 'series') && (aspects & ASPECTS.reading) !== 0;
};

/** What somebody read, by row keys. */
export interface Read {
  readonly books: Set<number>;
  readonly series: Set<number>;
}

/** Collections, or read lists. */
export class ListRows {
  readonly rows = new Rows();
  /** By list key: what was put in, moved or taken out. */
  readonly members = new Map<number, Set<number>>();
  readonly #kind: ListKind;

  constructor(kind: ListKind) {
    this.#kind = kind;
  }

  /** A transaction that changes the members of a list reports both. */
  take({ reports, by }: Batch): void {
    const lists = ofKind(reports, this.#kind);
    if (lists.length === 0) return;
    this.rows.take(lists, by);
    const touched = ofKind(reports, SHAPES[this.#kind].member).filter(
      ({ aspects }) => (aspects & ASPECTS.members) !== 0,
    );
    const members = touched.flatMap(({ keys }) => (keys === 'all' ? [] : keys));
    for (const key of lists.flatMap(({ keys }) => (keys === 'all' ? [] : keys)))
      this.members.set(key, new Set([...(this.members.get(key) ?? []), ...members]));
  }
}

const FOR_STREAMS: ReadonlySet<Report['kind']> = new Set<Report['kind']>([
  'library',
  'task',
  'scan',
  'restriction',
  'user',
  'everything',
]);

/** Whether the report may lead to an event. */
export const isTold = ({ kind, change, aspects, fields, userKey }: Report): boolean => {
  if (kind !== 'book' && kind !== 'series') return FOR_STREAMS.has(kind);
  if (userKey !== undefined) return false;
  return change !== 'updated' || fields !== undefined || (aspects & (SHOWN | ASPECTS.cover)) !== 0;
};

export class Changes {
  readonly books = new Rows();
  readonly series = new Rows();
  readonly libraries = new Rows();
  /** Series whose visibility may have changed. */
  readonly seen = new Set<number>();
  /** Whether the visibility of any series may have changed. */
  isAnySeen = false;
  /** Libraries in which an unknown set of rows changed; `all` for any library. */
  readonly vague = new Set<number | 'all'>();
  readonly lists = { collection: new ListRows('collection'), read_list: new ListRows('read_list') };
  /** By user key. */
  readonly reading = new Map<number, Read>();
  readonly tasks = new Set<number>();
  areAnyTasks = false;
  readonly scans = new Set<number>();
  /** Users whose restrictions or permissions may have changed. */
  readonly users = new Set<number>();
  areAnyUsers = false;
  isAnything = false;

  take(batch: Batch): void {
    const { reports, by } = batch;
    this.books.take(ofKind(reports, 'book'), by);
    this.series.take(ofKind(reports, 'series'), by);
    this.libraries.take(ofKind(reports, 'library'), by);
    this.lists.collection.take(batch);
    this.lists.read_list.take(batch);
    for (const report of reports) this.#takeMore(report);
  }

  #takeMore(report: Report): void {
    const { kind, keys, change } = report;
    if (kind === 'everything') this.isAnything = true;
    else if (kind === 'book' || kind === 'series') this.#takeContent(report);
    else if (kind === 'task' && change === 'updated') {
      if (keys === 'all') this.areAnyTasks = true;
      else for (const key of keys) this.tasks.add(key);
    } else if (kind === 'scan' && keys !== 'all') for (const key of keys) this.scans.add(key);
    else if (kind === 'restriction' || (kind === 'user' && keys === 'all')) this.areAnyUsers = true;
    else if (kind === 'user' && keys !== 'all') for (const key of keys) this.users.add(key);
  }

  #takeReading({ kind, keys, aspects }: Report, userKey: number): void {
    if (keys === 'all' || (aspects & ASPECTS.reading) === 0) return;
    const read = this.reading.get(userKey) ?? { books: new Set(), series: new Set() };
    this.reading.set(userKey, read);
    for (const key of keys) read[kind === 'book' ? 'books' : 'series'].add(key);
  }

  #takeContent(report: Report): void {
    const { kind, keys, change, aspects, libraryKey, userKey } = report;
    if (userKey !== undefined) {
      this.#takeReading(report, userKey);
      return;
    }
    if (kind === 'series' && (change !== 'updated' || (aspects & ASPECTS.list) !== 0)) {
      if (keys === 'all') this.isAnySeen = true;
      else for (const key of keys) this.seen.add(key);
    }
    if (keys === 'all' && touchOf(report, null).isShown) this.vague.add(libraryKey ?? 'all');
    if (keys === 'all' && change === 'removed') this.vague.add(libraryKey ?? 'all');
  }
}
