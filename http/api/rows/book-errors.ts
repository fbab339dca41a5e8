// Books with errors: listing them, and analysing them again.

import Type from 'typebox';
import { sizeOfRows } from '../../../core/catalog/answer-size.js';
import { type BookErrors, failedBooks, hasErrorOf, listBookErrors } from '../../../core/catalog/book-errors.js';
import type { Book } from '../../../core/catalog/books.js';
import { withSummaries } from '../../../core/catalog/long-summaries.js';
import { resolve } from '../../../core/catalog/public-ids.js';
import { REMARK_TYPES } from '../../../core/model/jobs.js';
import { analyseBook } from '../../../core/scan/asked-analyses.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { askerOf, listReads, partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import { BookErrors as BookErrorsSchema } from '../schemas/book-errors.js';
import { pagingFields, windowOf } from '../schemas/fields.js';
import { Retried } from '../schemas/tasks.js';
import { bookErrorsView } from '../views/book-errors.js';
import { retriedView } from '../views/tasks.js';

const errorType = Type.Optional(Type.Enum([...REMARK_TYPES]));
const libraryFields = { libraryId: Type.Optional(uuid), library_id: Type.Optional(uuid) };

/** A book is shown with each of its errors. */
const shownBooks = ({ books, errors }: BookErrors): readonly Book[] => {
  const byKey = new Map(books.map((book) => [book.key, book]));
  return errors.flatMap(({ bookKey }) => byKey.get(bookKey) ?? []);
};

export const BOOK_ERROR_ROUTES: readonly Route[] = [
  route({
    id: 'books.errors',
    method: 'GET',
    path: '/books/errors',
    access: 'BooksRead',
    kept: true,
    query: Type.Object({
      ...pagingFields,
      ...libraryFields,
      seriesId: Type.Optional(uuid),
      errorType,
    }),
    reply: ok(BookErrorsSchema),
    about:
      'Books that cannot be read, and books with warnings, by kind of error. Pages count books, newest errors first; details.error is the reason a book cannot be read, and details is null for a warning about a readable book.',
    run: async (ctx, { query }) => {
      const { caller, viewer } = ctx;
      const { seriesId, errorType: type } = query;
      const filter = { libraryId: query.libraryId ?? query.library_id, seriesId, type };
      const found = await listBookErrors(partsFor(ctx), viewer, filter, windowOf(query));
      return ctx.app.answers.make(askerOf(ctx), sizeOfRows(shownBooks(found)), async () => {
        const books = await withSummaries(listReads(ctx), 'book', found.books);
        return json(200, bookErrorsView(caller.user.id, { ...found, books }));
      });
    },
  }),
  route({
    id: 'books.retry',
    method: 'POST',
    path: '/books/{id}/retry',
    access: 'BooksWrite',
    params: byId,
    body: Type.Optional(Type.Object({ errorTypes: Type.Optional(Type.Array(Type.Enum([...REMARK_TYPES]))) })),
    example: { errorTypes: ['parser'] },
    reply: ok(Retried),
    about:
      'Analyses a book again, even one that was quarantined after its analysis failed twice. With errorTypes, only if it has an error of one of these kinds.',
    run: async ({ app, viewer }, { params, body: { errorTypes } }) => {
      const { key } = await resolve(app.db, 'book', params.id, viewer);
      const isWanted = errorTypes === undefined || (await hasErrorOf(app.db, key, errorTypes));
      return json(200, retriedView(isWanted ? (await analyseBook(app, viewer, params.id)).count : 0));
    },
  }),
  route({
    id: 'books.retry-all',
    method: 'POST',
    path: '/books/retry-all-errors',
    access: 'BooksWrite',
    query: Type.Object(libraryFields),
    body: Type.Optional(Type.Object({ ...libraryFields, errorType })),
    example: { errorType: 'parser' },
    reply: ok(Retried),
    about: 'Analyses every unreadable book again, or every book with an error of one kind; in all libraries or in one.',
    run: async (ctx, { query, body }) => {
      const { app, viewer } = ctx;
      const libraryId = body.libraryId ?? body.library_id ?? query.libraryId ?? query.library_id;
      const keys = await failedBooks(listReads(ctx), viewer, { libraryId, type: body.errorType });
      const count = keys.length === 0 ? 0 : (await app.analyses.add(viewer.userKey, 'analyze_books', null, keys)).count;
      return json(200, retriedView(count));
    },
  }),
];
