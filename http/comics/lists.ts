// Lists of books and series as answers: a page of them, or all. Pages are made of texts that are kept with their rows; a long list without
// pages is sent while it is read.
import type { Caller } from '../../core/access/caller.js';
import { sizeOfRows } from '../../core/catalog/answer-size.js';
import { type Book, booksByKeys } from '../../core/catalog/books.js';
import type { Summarised } from '../../core/catalog/long-summaries.js';
import type { RowsByKeys } from '../../core/catalog/query/kept-rows.js';
import { randomPage, seedFor } from '../../core/catalog/random-order.js';
import { type Series, seriesByKeys } from '../../core/catalog/series.js';
import type { AnswerSize } from '../../core/engine/answers.js';
import type { PageOf, Window } from '../../core/model/paging.js';
import type { Viewer } from '../../core/model/viewer.js';
import { bookRecords } from '../../core/reading/app-records.js';
import { seriesRecords } from '../../core/reading/app-series.js';
import type { Reads } from '../../core/store/db.js';
import type { Reply } from '../server/adapter.js';
import { json } from '../surface/reply.js';
import { askerOf, listReads } from '../surface/request-parts.js';
import type { Ctx } from '../surface/route.js';
import { rowsReply } from '../surface/rows-reply.js';
import { type RequestedPage, SIZE_MAX } from './query.js';
import { bookView } from './views/book.js';
import { pageView, type Wrapped } from './views/paging.js';
import { seriesView } from './views/series.js';

type Ask = Ctx<unknown>;

interface Kind<T extends Summarised> {
  readonly read: RowsByKeys<T>;
  /** By key, the JSON of each row. */
  readonly texts: (db: Reads, viewer: Viewer, rows: readonly T[]) => Promise<ReadonlyMap<number, string>>;
}

const BOOKS: Kind<Book> = {
  read: booksByKeys,
  texts: async (db, viewer, rows) => {
    const records = await bookRecords(db, viewer, rows);
    return new Map(records.map((record) => [record.book.key, JSON.stringify(bookView(record))]));
  },
};

const SERIES: Kind<Series> = {
  read: seriesByKeys,
  texts: async (db, viewer, rows) => {
    const records = await seriesRecords(db, viewer, rows);
    return new Map(records.map((record) => [record.series.key, JSON.stringify(seriesView(record))]));
  },
};

/**
 * Rows are kept between lists as long as nothing changes for their user (kept-rows.ts), and so are their texts. An administrator may use a
 * key without administrator rights, to which sharing tags are not shown, so there are two texts for each row.
 */
const TEXTS = { administrator: new WeakMap<object, string>(), reader: new WeakMap<object, string>() } as const;

const textsOf = async <T extends Summarised>(
  { texts }: Kind<T>,
  ctx: Ask,
  rows: readonly T[],
): Promise<readonly string[]> => {
  const kept = TEXTS[ctx.viewer.administers ? 'administrator' : 'reader'];
  const missing = rows.filter((row) => !kept.has(row));
  const made = missing.length === 0 ? undefined : await texts(listReads(ctx), ctx.viewer, missing);
  for (const row of missing) {
    const text = made?.get(row.key);
    if (text !== undefined) kept.set(row, text);
  }
  return rows.flatMap((row) => kept.get(row) ?? []);
};

/** A text of a row, besides what lists of core show. */
const TEXT_BYTES = 2500;

const sizeOf = (rows: readonly Summarised[]): AnswerSize => {
  const { bytes } = sizeOfRows(rows);
  return { rows: rows.length, bytes: bytes * 2 + rows.length * TEXT_BYTES };
};

const reply = <T extends Summarised>(kind: Kind<T>, ctx: Ask, from: readonly T[], wrapped: Wrapped): Promise<Reply> =>
  rowsReply(ctx, {
    size: sizeOf(from),
    from,
    make: (slice) => textsOf(kind, ctx, slice),
    empty: () => json(200, pageView(wrapped)),
  });

/** The least that an unpaged answer says its page could hold. */
const WHOLE_SIZE_MIN = 20;
/** Rows that are read together for an answer that is sent meanwhile. */
const SLICE_ROWS = 200;
/** What is held of such an answer while a slow client takes it: a portion, or a single row that is larger. */
const PORTION_BYTES = 1024 * 1024;

const portionsOf = <T extends Summarised>(rows: readonly T[]): readonly (readonly T[])[] => {
  const portions: T[][] = [];
  let left = 0;
  for (const row of rows) {
    const { bytes } = sizeOf([row]);
    if (left < bytes) {
      portions.push([]);
      left = PORTION_BYTES;
    }
    portions.at(-1)?.push(row);
    left -= bytes;
  }
  return portions;
};

async function* pieces<T extends Summarised>(
  kind: Kind<T>,
  ctx: Ask,
  keys: readonly number[],
  wrapped: Wrapped,
): AsyncGenerator<string> {
  const [start = '', end = ''] = JSON.stringify(pageView(wrapped)).split('[]', 2);
  let separator = `${start}[`;
  for (let at = 0; at < keys.length; at += SLICE_ROWS) {
    const reads = listReads(ctx);
    const rows = await kind.read(reads, ctx.viewer, keys.slice(at, at + SLICE_ROWS));
    for (const portion of portionsOf(rows)) {
      const make = async () => [...(await kind.texts(reads, ctx.viewer, portion)).values()];
      const texts = await ctx.app.answers.make(askerOf(ctx), sizeOf(portion), make);
      if (texts.length === 0) continue;
      yield separator + texts.join();
      separator = ',';
    }
  }
  yield `${separator === ',' ? '' : separator}]${end}`;
}

const wholeReply = async <T extends Summarised>(
  kind: Kind<T>,
  ctx: Ask,
  keys: readonly number[],
  isSorted: boolean,
): Promise<Reply> => {
  const count = keys.length;
  const wrapped = { page: 0, size: Math.max(count, WHOLE_SIZE_MIN), count, total: count, isSorted };
  if (count > SIZE_MAX) {
    const { status, headers } = json(200, null);
    return { status, headers, body: { kind: 'stream', isLive: false, open: () => pieces(kind, ctx, keys, wrapped) } };
  }
  return reply(kind, ctx, await kind.read(listReads(ctx), ctx.viewer, keys), wrapped);
};

/** A list that is read by the page, and whole. */
export interface Listed<T> {
  readonly page: (window: Window) => Promise<PageOf<T>>;
  readonly keys: () => Promise<readonly number[]>;
}

const answer = async <T extends Summarised>(
  kind: Kind<T>,
  ctx: Ask,
  { window, isWhole }: RequestedPage,
  { page, keys }: Listed<T>,
  isSorted: boolean,
): Promise<Reply> => {
  if (isWhole) return wholeReply(kind, ctx, await keys(), isSorted);
  const { items, total } = await page(window);
  const wrapped = { page: window.page - 1, size: window.pageSize, count: items.length, total, isSorted };
  return reply(kind, ctx, items, wrapped);
};

/** A list whose keys are read whole, in random order. Its answer is not kept: later the order is another. */
const randomAnswer = async <T extends Summarised>(
  kind: Kind<T>,
  ctx: Ctx<Caller>,
  { window, isWhole }: RequestedPage,
  keysOf: () => Promise<readonly number[]>,
): Promise<Reply> => {
  const keys = await keysOf();
  const seed = seedFor(ctx.viewer.userKey, ctx.app.clock.now());
  const found = await answer(
    kind,
    ctx,
    { window, isWhole },
    {
      keys: async () => randomPage(keys, seed, { page: 1, pageSize: keys.length }),
      page: async (wanted) => {
        const items = await kind.read(listReads(ctx), ctx.viewer, randomPage(keys, seed, wanted));
        return { ...wanted, items, total: keys.length };
      },
    },
    true,
  );
  return { ...found, isPassing: true };
};

export const booksAtRandom = (
  ctx: Ctx<Caller>,
  requested: RequestedPage,
  keys: () => Promise<readonly number[]>,
): Promise<Reply> => randomAnswer(BOOKS, ctx, requested, keys);

export const seriesAtRandom = (
  ctx: Ctx<Caller>,
  requested: RequestedPage,
  keys: () => Promise<readonly number[]>,
): Promise<Reply> => randomAnswer(SERIES, ctx, requested, keys);

export const booksAnswer = (ctx: Ask, requested: RequestedPage, list: Listed<Book>, isSorted = true): Promise<Reply> =>
  answer(BOOKS, ctx, requested, list, isSorted);

export const seriesAnswer = (
  ctx: Ask,
  requested: RequestedPage,
  list: Listed<Series>,
  isSorted = true,
): Promise<Reply> => answer(SERIES, ctx, requested, list, isSorted);

const oneText = async <T extends Summarised>(kind: Kind<T>, ctx: Ask, row: T): Promise<Reply> => {
  const [text] = (await kind.texts(listReads(ctx), ctx.viewer, [row])).values();
  return { ...json(200, null), body: { kind: 'bytes', bytes: text ?? 'null' } };
};

export const bookAnswer = (ctx: Ask, row: Book): Promise<Reply> => oneText(BOOKS, ctx, row);
export const oneSeriesAnswer = (ctx: Ask, row: Series): Promise<Reply> => oneText(SERIES, ctx, row);
