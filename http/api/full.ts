// Replies with books and series: as lists show them, or as full records with full=true.
import Type from 'typebox';
import type { Caller } from '../../core/access/caller.js';
import { sizeOfBooks, sizeOfFull, sizeOfRows } from '../../core/catalog/answer-size.js';
import { type Book, booksByKeys } from '../../core/catalog/books.js';
import { withSummaries } from '../../core/catalog/long-summaries.js';
import type { Series } from '../../core/catalog/series.js';
import type { PageOf } from '../../core/model/paging.js';
import { fullBooks, fullSeries } from '../../core/reading/full-records.js';
import type { Reply } from '../server/adapter.js';
import { json } from '../surface/reply.js';
import { listReads } from '../surface/request-parts.js';
import type { Ctx } from '../surface/route.js';
import { rowsReply } from '../surface/rows-reply.js';
import { bookView } from './views/book.js';
import { bookFullView } from './views/metadata.js';
import { arrayReply, pageReply } from './views/paging.js';
import { seriesFullView, seriesView } from './views/series.js';

const full = Type.Optional(
  Type.Boolean({
    expected: 'true or false',
    description: 'Whether to return full records, as when an item is requested on its own.',
  }),
);

/** For queries, and for the one body that has the field. */
export const fullField = { full };

const keysOf = (rows: readonly { readonly key: number }[]): readonly number[] => rows.map(({ key }) => key);

interface Asked {
  readonly full?: boolean;
}

type Ask = Ctx<Caller>;

/** A reply without its rows. */
type Frame = () => Reply;

/** Rows are kept between lists (kept-rows.ts), and the text of one with it. Each belongs to one user. */
const TEXTS = new WeakMap<object, string>();

const textBy =
  <T extends object>(view: (row: T) => object): ((row: T) => string) =>
  (row) => {
    const known = TEXTS.get(row);
    if (known !== undefined) return known;
    const text = JSON.stringify(view(row));
    TEXTS.set(row, text);
    return text;
  };

const asText = (row: object): string => JSON.stringify(row);

const booksAs = async (ctx: Ask, { full }: Asked, from: readonly Book[], empty: Frame): Promise<Reply> => {
  const { caller, viewer } = ctx;
  if (full === true) {
    const size = await sizeOfFull(listReads(ctx), 'book', keysOf(from));
    const view = bookFullView(caller.user.id);
    const make = async (slice: readonly Book[]) =>
      (await fullBooks(listReads(ctx), viewer, slice)).map((row) => asText(view(row)));
    return rowsReply(ctx, { size, from, make, empty });
  }
  const text = textBy(bookView(caller.user.id));
  const make = async (slice: readonly Book[]) => (await withSummaries(listReads(ctx), 'book', slice)).map(text);
  return rowsReply(ctx, { size: sizeOfRows(from), from, make, empty });
};

const SERIES_TEXT = textBy(seriesView);

const seriesAs = async (ctx: Ask, { full }: Asked, from: readonly Series[], empty: Frame): Promise<Reply> => {
  const { viewer } = ctx;
  if (full === true) {
    const size = await sizeOfFull(listReads(ctx), 'series', keysOf(from));
    const make = async (slice: readonly Series[]) =>
      (await fullSeries(listReads(ctx), viewer, slice)).map((row) => asText(seriesFullView(row)));
    return rowsReply(ctx, { size, from, make, empty });
  }
  const make = async (slice: readonly Series[]) =>
    (await withSummaries(listReads(ctx), 'series', slice)).map(SERIES_TEXT);
  return rowsReply(ctx, { size: sizeOfRows(from), from, make, empty });
};

const asArray: Frame = () => json(200, []);

const NO_ROWS: readonly object[] = [];
const asItIs = (row: object): object => row;

const inEnvelope =
  (ctx: Ask, found: PageOf<unknown>): Frame =>
  () =>
    pageReply(ctx, { ...found, items: NO_ROWS }, asItIs);

const withLinks =
  (ctx: Ask, found: PageOf<unknown>): Frame =>
  () =>
    arrayReply(ctx, { ...found, items: NO_ROWS }, asItIs);

/** A page of books in the envelope. */
export const booksPage = (ctx: Ask, asked: Asked, found: PageOf<Book>): Promise<Reply> =>
  booksAs(ctx, asked, found.items, inEnvelope(ctx, found));

/** Books as a plain array. */
export const booksReply = (ctx: Ask, asked: Asked, books: readonly Book[]): Promise<Reply> =>
  booksAs(ctx, asked, books, asArray);

/** A page of books as a plain array. */
export const booksArray = (ctx: Ask, found: PageOf<Book>): Promise<Reply> =>
  booksAs(ctx, {}, found.items, withLinks(ctx, found));

/** Books by their keys as a plain array. It has no pages, so it may be of any length. */
export const allBooksReply = async (ctx: Ask, asked: Asked, from: readonly number[]): Promise<Reply> => {
  const { caller, viewer } = ctx;
  const size = await (asked.full === true
    ? sizeOfFull(listReads(ctx), 'book', from)
    : sizeOfBooks(listReads(ctx), from));
  const [view, fullView] = [bookView(caller.user.id), bookFullView(caller.user.id)];
  const make = async (keys: readonly number[]): Promise<readonly string[]> => {
    const books = await booksByKeys(listReads(ctx), viewer, keys);
    if (asked.full !== true)
      return (await withSummaries(listReads(ctx), 'book', books)).map((row) => asText(view(row)));
    return (await fullBooks(listReads(ctx), viewer, books)).map((row) => asText(fullView(row)));
  };
  return rowsReply(ctx, { size, from, make, empty: asArray });
};

/** A page of series in the envelope. */
export const seriesPage = (ctx: Ask, asked: Asked, found: PageOf<Series>): Promise<Reply> =>
  seriesAs(ctx, asked, found.items, inEnvelope(ctx, found));

/** Series as a plain array. */
export const seriesReply = (ctx: Ask, asked: Asked, rows: readonly Series[]): Promise<Reply> =>
  seriesAs(ctx, asked, rows, asArray);

/** A page of series as a plain array. */
export const seriesArray = (ctx: Ask, found: PageOf<Series>): Promise<Reply> =>
  seriesAs(ctx, {}, found.items, withLinks(ctx, found));
