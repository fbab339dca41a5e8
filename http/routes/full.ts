// Replies with books and series: as lists show them, or as full records with full=true.
import Type from 'typebox';
import type { Caller } from '../../core/access/sessions.js';
import { sizeOfBooks, sizeOfFull } from '../../core/catalog/answer-size.js';
import { type Book, booksByKeys } from '../../core/catalog/books.js';
import type { PageOf } from '../../core/catalog/paging.js';
import type { Series } from '../../core/catalog/series.js';
import { fullBooks, fullSeries } from '../../core/reading/full.js';
import type { Reply } from '../adapter.js';
import { json } from '../reply.js';
import type { Ctx } from '../route.js';
import { bookView } from '../views/book.js';
import { bookFullView } from '../views/metadata.js';
import { pageReply } from '../views/paging.js';
import { seriesFullView, seriesView } from '../views/series.js';

const full = Type.Optional(
  Type.Boolean({
    expected: 'true or false',
    description: 'Whether rows are full records, as when a row is requested on its own.',
  }),
);

/** For queries, and for the one body that has the field. */
export const fullField = { full };

const keysOf = (rows: readonly { readonly key: number }[]): readonly number[] => rows.map(({ key }) => key);

interface Asked {
  readonly full?: boolean;
}

const asItIs = (row: object): object => row;

type Ask = Ctx<Caller>;

/** Reads full records, and builds the reply, once there is room for it. */
const booksAs = async (
  { app, caller, viewer }: Ask,
  { full }: Asked,
  books: readonly Book[],
  reply: (rows: readonly object[]) => Reply,
): Promise<Reply> => {
  if (full !== true) return reply(books.map(bookView(caller.user.id)));
  const size = await sizeOfFull(app.db, 'book', keysOf(books));
  return app.answers.make(size, async () =>
    reply((await fullBooks(app.db, viewer, books)).map(bookFullView(caller.user.id))),
  );
};

const seriesAs = async (
  { app, viewer }: Ask,
  { full }: Asked,
  rows: readonly Series[],
  reply: (rows: readonly object[]) => Reply,
): Promise<Reply> => {
  if (full !== true) return reply(rows.map(seriesView));
  const size = await sizeOfFull(app.db, 'series', keysOf(rows));
  return app.answers.make(size, async () => reply((await fullSeries(app.db, viewer, rows)).map(seriesFullView)));
};

const asArray = (rows: readonly object[]): Reply => json(200, rows);

/** A page of books in the envelope. */
export const booksPage = (ctx: Ask, asked: Asked, found: PageOf<Book>): Promise<Reply> =>
  booksAs(ctx, asked, found.items, (items) => pageReply(ctx.request, { ...found, items }, asItIs));

/** Books as a plain array. */
export const booksReply = (ctx: Ask, asked: Asked, books: readonly Book[]): Promise<Reply> =>
  booksAs(ctx, asked, books, asArray);

/** Books by their keys as a plain array. It has no pages, so it may be of any length. */
export const allBooksReply = async (ctx: Ask, asked: Asked, keys: readonly number[]): Promise<Reply> => {
  const { app, caller, viewer } = ctx;
  const size = await (asked.full === true ? sizeOfFull(app.db, 'book', keys) : sizeOfBooks(app.db, keys));
  return app.answers.make(size, async () => {
    const books = await booksByKeys(app.db, viewer, keys);
    if (asked.full !== true) return asArray(books.map(bookView(caller.user.id)));
    return asArray((await fullBooks(app.db, viewer, books)).map(bookFullView(caller.user.id)));
  });
};

/** A page of series in the envelope. */
export const seriesPage = (ctx: Ask, asked: Asked, found: PageOf<Series>): Promise<Reply> =>
  seriesAs(ctx, asked, found.items, (items) => pageReply(ctx.request, { ...found, items }, asItIs));

/** Series as a plain array. */
export const seriesReply = (ctx: Ask, asked: Asked, rows: readonly Series[]): Promise<Reply> =>
  seriesAs(ctx, asked, rows, asArray);
