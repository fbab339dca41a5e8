// Replies with books and series: as lists show them, or as full records with full=true.
import Type from 'typebox';
import type { Caller } from '../../core/access/sessions.js';
import type { Book } from '../../core/catalog/books.js';
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

interface Asked {
  readonly full?: boolean;
}

const asItIs = (row: object): object => row;

const booksAs = async (
  { app, caller, viewer }: Ctx<Caller>,
  { full }: Asked,
  books: readonly Book[],
): Promise<object[]> => {
  if (full !== true) return books.map(bookView(caller.user.id));
  return (await fullBooks(app.db, viewer, books)).map(bookFullView(caller.user.id));
};

const seriesAs = async ({ app, viewer }: Ctx<Caller>, { full }: Asked, rows: readonly Series[]): Promise<object[]> =>
  full === true ? (await fullSeries(app.db, viewer, rows)).map(seriesFullView) : rows.map(seriesView);

/** A page of books in the envelope. */
export const booksPage = async (ctx: Ctx<Caller>, asked: Asked, found: PageOf<Book>): Promise<Reply> =>
  pageReply(ctx.request, { ...found, items: await booksAs(ctx, asked, found.items) }, asItIs);

/** Books as a plain array. */
export const booksReply = async (ctx: Ctx<Caller>, asked: Asked, books: readonly Book[]): Promise<Reply> =>
  json(200, await booksAs(ctx, asked, books));

/** A page of series in the envelope. */
export const seriesPage = async (ctx: Ctx<Caller>, asked: Asked, found: PageOf<Series>): Promise<Reply> =>
  pageReply(ctx.request, { ...found, items: await seriesAs(ctx, asked, found.items) }, asItIs);

/** Series as a plain array. */
export const seriesReply = async (ctx: Ctx<Caller>, asked: Asked, rows: readonly Series[]): Promise<Reply> =>
  json(200, await seriesAs(ctx, asked, rows));
