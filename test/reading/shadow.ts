// Reading as plain arrays: the expected counters and lists, computed in the slowest and clearest way.

export interface ShadowBook {
  readonly key: number;
  readonly id: string;
  readonly pages: number;
  readonly analyzed: boolean;
  readonly number: number | null;
  readonly addedAt: number;
  series: number;
  deleted: boolean;
  /** Whether its last analysis failed. */
  damaged: boolean;
}

const isReady = (book: ShadowBook): boolean => book.analyzed && !book.damaged;

export interface ShadowRecord {
  readonly user: number;
  readonly book: ShadowBook;
  readonly startedAt: number;
  page: number;
  at: number;
  completedAt: number | null;
  /** Whether its completion is in the history: a read-through counts once. */
  counted: boolean;
}

export class Shadow {
  books: ShadowBook[] = [];
  records: ShadowRecord[] = [];
  history: { readonly user: number; readonly book: ShadowBook }[] = [];
  cleared: { readonly user: number; readonly book: ShadowBook; readonly at: number }[] = [];

  find(user: number, book: ShadowBook): ShadowRecord | undefined {
    return this.records.find((one) => one.user === user && one.book === book);
  }

  /** A page outside the book becomes the nearest one. */
  put(user: number, book: ShadowBook, page: number, done: boolean | undefined, at: number): void {
    const old = this.find(user, book);
    if (old !== undefined && at <= old.at - 1000) return;
    if (this.cleared.some((one) => one.user === user && one.book === book && at <= one.at - 1000)) return;
    const was = old !== undefined && old.completedAt !== null;
    const completed = book.analyzed ? page >= book.pages || done === true : was && done !== false;
    const record = old ?? { user, book, startedAt: at, page, at, completedAt: null, counted: false };
    if (old === undefined) this.records.push(record);
    record.page = page;
    record.at = Math.max(record.at, at);
    record.completedAt = completed ? (record.completedAt ?? at) : null;
    if (completed && !record.counted) {
      record.counted = true;
      this.history.push({ user, book });
    }
  }

  read(user: number, book: ShadowBook, at: number): void {
    if (book.analyzed) this.put(user, book, book.pages, true, at);
  }

  clear(user: number, book: ShadowBook, at: number): void {
    this.cleared.push({ user, book, at });
    this.records = this.records.filter((one) => one.user !== user || one.book !== book);
  }

  purge(book: ShadowBook): void {
    this.books = this.books.filter((one) => one !== book);
    this.records = this.records.filter((one) => one.book !== book);
    this.history = this.history.filter((one) => one.book !== book);
  }

  /** Records that count, newest first. */
  live(user: number): ShadowRecord[] {
    return this.records
      .filter((one) => one.user === user && !one.book.deleted)
      .sort((a, b) => b.at - a.at || b.book.key - a.book.key);
  }

  ofSeries(series: number): ShadowBook[] {
    const place = (book: ShadowBook): number => book.number ?? Number.POSITIVE_INFINITY;
    return this.books
      .filter((book) => book.series === series && !book.deleted)
      .sort((a, b) => (place(a) === place(b) ? a.key - b.key : place(a) - place(b)));
  }

  counters(user: number): unknown[] {
    const all = this.live(user);
    const series = [...new Set(all.map(({ book }) => book.series))].sort((a, b) => a - b);
    return series.map((key) => {
      const own = all.filter(({ book }) => book.series === key);
      const done = own.flatMap(({ completedAt }) => (completedAt === null ? [] : [completedAt]));
      return {
        series_id: key,
        book_count: this.ofSeries(key).length,
        completed_count: done.length,
        in_progress_count: own.length - done.length,
        last_read_at: Math.max(...own.map(({ at }) => at)),
        last_completed_at: done.length === 0 ? null : Math.max(...done),
      };
    });
  }

  /** Begun and not finished, newest first. */
  open(user: number, onlyReady: boolean): string[] {
    const found = this.live(user).filter(
      ({ completedAt, book }) => completedAt === null && (!onlyReady || isReady(book)),
    );
    return found.map(({ book }) => book.id);
  }

  onDeck(user: number, onlyReady: boolean): string[] {
    const all = this.live(user);
    const found: { readonly id: string; readonly at: number; readonly series: number }[] = [];
    for (const series of new Set(all.map(({ book }) => book.series))) {
      const own = all.filter(({ book }) => book.series === series);
      const books = this.ofSeries(series);
      if (own.some(({ completedAt }) => completedAt === null)) continue;
      const unread = (book: ShadowBook): boolean => !own.some((record) => record.book === book);
      const left = books.filter(unread);
      const next = left.find((book) => (onlyReady ? isReady(book) : !book.damaged));
      if (next !== undefined) found.push({ id: next.id, at: Math.max(...own.map(({ at }) => at)), series });
    }
    return found.sort((a, b) => b.at - a.at || b.series - a.series).map(({ id }) => id);
  }
}
