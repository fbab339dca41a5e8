// Decides which audience gets which events about books, series and libraries. A deletion is sent exactly to those who saw the row before,
// whether it was deleted, hidden, or moved to a series that they do not see. Pure.
import { seesBook } from '../catalog/visibility.js';
import type { By } from '../store/feed.js';
import { type Audience, type Seen, sees } from './audience.js';
import type { Changes, Removal, Touch } from './changes.js';
import type { Looked } from './looked-up.js';
import type { BookNews, CoverNews, LibraryNews, News, SeriesNews } from './news.js';
import type { Counts } from './pace.js';
import type { BookPlace, SeriesPlace } from './rows.js';

/** Events for one audience in one step; beyond that it gets only library updates. */
const AT_ONCE_MAX = 3000;

/** What changed between two snapshots, for all audiences. */
export interface Step {
  readonly changes: Changes;
  readonly looked: Looked;
  /** Library ids by key. */
  readonly libraries: { readonly before: ReadonlyMap<number, string>; readonly now: ReadonlyMap<number, string> };
  /** Wall-clock time. */
  readonly at: number;
  /** Monotonic time, for measuring intervals. */
  readonly nowMs: number;
}

interface Draft {
  readonly libraryKey: number;
  readonly news: News;
}

const UNTOUCHED: Touch = {
  isCreated: false,
  by: null,
  isShown: false,
  hasCover: false,
  fields: undefined,
  before: undefined,
  wasNeverReadable: false,
};

const changeOf = (was: boolean, is: boolean, isShown: boolean): 'created' | 'updated' | 'deleted' | null => {
  if (was !== is) return is ? 'created' : 'deleted';
  return is && isShown ? 'updated' : null;
};

/** By library. */
const countsOf = (drafts: readonly Draft[]): ReadonlyMap<number, Counts> => {
  const counts = new Map<number, Map<string, number>>();
  for (const { libraryKey, news } of drafts) {
    const ofTypes = counts.get(libraryKey) ?? new Map<string, number>();
    counts.set(libraryKey, ofTypes.set(news.type, (ofTypes.get(news.type) ?? 0) + 1));
  }
  return counts;
};

/** Creates each event once, however many audiences get it. */
export class EntityNews {
  readonly #step: Step;
  readonly #made = new Map<string, News>();
  /** Removed series, for the books that went with them. */
  readonly #goneSeries: ReadonlyMap<number, Removal>;

  constructor(step: Step) {
    this.#step = step;
    this.#goneSeries = new Map([...step.changes.series.removed.values()].map((removal) => [removal.key, removal]));
  }

  /** In sending order; a library update stands for changes too many to send individually. */
  of(audience: Audience): readonly News[] {
    const { libraries, nowMs } = this.#step;
    const drafts = [...this.#series(audience), ...this.#books(audience)].filter(
      ({ libraryKey }) => libraries.now.has(libraryKey) && audience.seesLibrary(libraryKey),
    );
    const counts = countsOf(drafts);
    const owed = [...this.#vague(audience), ...(drafts.length > AT_ONCE_MAX ? counts.keys() : [])];
    for (const key of owed) audience.pace.owe(key, nowMs);
    const told = new Set<number>();
    for (const [key, ofTypes] of counts) if (audience.pace.takes(key, ofTypes, nowMs)) told.add(key);
    const single = drafts.filter(({ libraryKey }) => told.has(libraryKey)).map(({ news }) => news);
    const [began, ended] = this.#libraries(audience);
    return [...began, ...single, ...ended];
  }

  #vague(audience: Audience): readonly number[] {
    const { changes, looked, libraries } = this.#step;
    const before = looked.before.get(audience) ?? null;
    const isTheirs = ({ key }: SeriesPlace): boolean => sees(before, key) || sees(audience.seen, key);
    const seen = looked.crowded.filter(isTheirs).map(({ libraryKey }) => libraryKey);
    const named = changes.vague.has('all') ? [...libraries.now.keys()] : [...changes.vague];
    const all = [...seen, ...named.filter((key) => key !== 'all')];
    return [...new Set(all)].filter((key) => libraries.now.has(key) && audience.seesLibrary(key));
  }

  #make<N extends News>(type: N['type'], id: string, make: () => N): N {
    const name = `${type} ${id}`;
    const known = this.#made.get(name);
    if (known !== undefined) return known as N;
    const news = make();
    this.#made.set(name, news);
    return news;
  }

  #common(by: By): Pick<BookNews, 'at' | 'by'> {
    const account = by === null ? undefined : this.#step.looked.accounts.get(by);
    return { at: this.#step.at, by: account === undefined ? null : { key: account.key, id: account.id } };
  }

  #libraryId(key: number): string {
    const { now, before } = this.#step.libraries;
    return now.get(key) ?? before.get(key) ?? '';
  }

  #seriesNews(
    change: 'created' | 'updated' | 'deleted',
    place: SeriesPlace,
    by: By,
    fields?: readonly string[],
  ): Draft {
    const { id, libraryKey } = place;
    const news = this.#make<SeriesNews>(`series_${change}`, id, () => ({
      type: `series_${change}`,
      seriesId: id,
      libraryId: this.#libraryId(libraryKey),
      ...(change === 'updated' && fields !== undefined ? { fields } : {}),
      ...this.#common(by),
    }));
    return { libraryKey, news };
  }

  #coverNews(entityType: CoverNews['entityType'], { id, libraryKey }: SeriesPlace, by: By, seriesId?: string): Draft {
    const news = this.#make<CoverNews>('cover_updated', id, () => ({
      type: 'cover_updated',
      entityType,
      entityId: id,
      ...(seriesId === undefined ? {} : { seriesId }),
      libraryId: this.#libraryId(libraryKey),
      ...this.#common(by),
    }));
    return { libraryKey, news };
  }

  *#series(audience: Audience): Generator<Draft> {
    const { changes, looked } = this.#step;
    const before = looked.before.get(audience) ?? null;
    for (const place of looked.series.values()) {
      const touch = changes.series.touched.get(place.key) ?? UNTOUCHED;
      const change = changeOf(
        !touch.isCreated && sees(before, place.key),
        sees(audience.seen, place.key),
        touch.isShown,
      );
      if (change !== null) yield this.#seriesNews(change, place, touch.by, touch.fields);
      if (touch.hasCover && sees(audience.seen, place.key)) yield this.#coverNews('series', place, touch.by);
    }
    for (const removal of changes.series.removed.values())
      if (sees(before, removal.key)) yield this.#seriesNews('deleted', removal, removal.by);
  }

  *#books(audience: Audience): Generator<Draft> {
    const { changes, looked } = this.#step;
    const before = looked.before.get(audience) ?? null;
    for (const book of looked.books) {
      const touch = changes.books.touched.get(book.key) ?? UNTOUCHED;
      yield* this.#book(book, touch, before, audience);
    }
    for (const removal of changes.books.removed.values())
      if (sees(before, removal.seriesKey) && seesBook(audience.scope, removal))
        yield* this.#bookNews('deleted', removal, removal.seriesKey, removal);
  }

  *#book(book: BookPlace, touch: Touch, before: Seen, { seen, scope }: Audience): Generator<Draft> {
    const from = touch.before ?? book.seriesKey;
    const is = sees(seen, book.seriesKey) && seesBook(scope, book);
    const wasSeen =
      sees(before, from) && seesBook(scope, { neverReadable: touch.wasNeverReadable || book.neverReadable });
    const isShown = touch.isShown || touch.before !== undefined;
    const change = changeOf(!touch.isCreated && wasSeen, is, isShown);
    if (change !== null) yield* this.#bookNews(change, book, change === 'deleted' ? from : book.seriesKey, touch);
    if (touch.hasCover && is && change !== 'created') {
      const series = this.#step.looked.series.get(book.seriesKey);
      yield this.#coverNews('book', book, touch.by, series?.id);
    }
  }

  /** The event names a series that the audience knows. */
  *#bookNews(
    change: 'created' | 'updated' | 'deleted',
    { id, libraryKey }: SeriesPlace,
    seriesKey: number,
    { by, fields }: { readonly by: By; readonly fields?: readonly string[] | undefined },
  ): Generator<Draft> {
    const series =
      change === 'deleted'
        ? (this.#goneSeries.get(seriesKey) ?? this.#step.looked.series.get(seriesKey))
        : this.#step.looked.series.get(seriesKey);
    if (series === undefined) return;
    const news = this.#make<BookNews>(`book_${change}`, id, () => ({
      type: `book_${change}`,
      bookId: id,
      seriesId: series.id,
      libraryId: this.#libraryId(libraryKey),
      ...(change === 'updated' && fields !== undefined ? { fields } : {}),
      ...this.#common(by),
    }));
    yield { libraryKey, news };
  }

  /** Library events sent before those about their content, and those sent after. */
  #libraries(audience: Audience): readonly [began: readonly News[], ended: readonly News[]] {
    const { changes, libraries } = this.#step;
    const began: News[] = [];
    const ended: News[] = [];
    for (const [key, { isShown, hasCover, by, isCreated, fields }] of changes.libraries.touched) {
      const id = libraries.now.get(key);
      if (id === undefined || !audience.seesLibrary(key)) continue;
      if (isCreated || (isShown && fields !== undefined))
        began.push(this.#libraryNews(isCreated ? 'library_created' : 'library_updated', id, by));
      if (hasCover) began.push(this.#coverNews('library', { key, id, libraryKey: key }, by).news);
    }
    for (const [key, id] of libraries.before) {
      if (libraries.now.has(key) || !audience.seesLibrary(key)) continue;
      audience.pace.forget(key);
      ended.push(this.#libraryNews('library_deleted', id, changes.libraries.touched.get(key)?.by ?? null));
    }
    return [began, ended];
  }

  #libraryNews(type: LibraryNews['type'], id: string, by: By): LibraryNews {
    return this.#make<LibraryNews>(type, id, () => ({ type, libraryId: id, ...this.#common(by) }));
  }
}

/** A library in which much changed. */
export const libraryChanged = (libraryId: string, at: number): LibraryNews => ({
  type: 'library_updated',
  libraryId,
  at,
  by: null,
});
