// Books with errors: the list, and analysing them once more.
import Type from 'typebox';
import { ERROR_TYPES, listBookErrors, unreadableBooks } from '../../core/catalog/book-errors.js';
import { analyseBook } from '../../core/scan/requests.js';
import { json } from '../reply.js';
import { type Route, route } from '../route.js';
import { byId, none, pagingFields, uuid, windowOf } from '../schemas.js';
import { bookErrorsView } from '../views/book-errors.js';

const libraryFields = { libraryId: Type.Optional(uuid), library_id: Type.Optional(uuid) };

export const BOOK_ERROR_ROUTES: readonly Route[] = [
  route({
    id: 'books.errors',
    method: 'GET',
    path: '/books/errors',
    access: 'BooksRead',
    cookie: false,
    params: none,
    query: Type.Object({
      ...pagingFields,
      ...libraryFields,
      errorType: Type.Optional(Type.Enum([...ERROR_TYPES])),
    }),
    body: null,
    about:
      'Books that cannot be read, and books with something odd about them, by kind of error. A page holds books, newest errors first; details.error is the reason a book cannot be read, and details is null for a remark about a book that can.',
    run: async ({ app, caller }, { query }) => {
      const filter = { libraryId: query.libraryId ?? query.library_id, type: query.errorType };
      const found = await listBookErrors(app.db, caller.user.key, filter, windowOf(query));
      return json(200, bookErrorsView(caller.user.id, found));
    },
  }),
  route({
    id: 'books.retry',
    method: 'POST',
    path: '/books/{id}/retry',
    access: 'BooksWrite',
    cookie: false,
    params: byId,
    query: none,
    body: null,
    about: 'Analyses a book once more, also one that was put aside after its analysis failed twice.',
    run: async ({ app, caller }, { params }) => {
      const count = await analyseBook(app, caller.user.key, params.id);
      return json(200, { taskId: null, count, message: 'The book is analysed again.' });
    },
  }),
  route({
    id: 'books.retry-all',
    method: 'POST',
    path: '/books/retry-all-errors',
    access: 'BooksWrite',
    cookie: false,
    params: none,
    query: Type.Object(libraryFields),
    body: null,
    about: 'Analyses every book once more that cannot be read, of all libraries or of one.',
    run: async ({ app }, { query }) => {
      const keys = await unreadableBooks(app.db, query.libraryId ?? query.library_id);
      const count = await app.analyses.add(keys);
      return json(200, { taskId: null, count, message: `${count} books are analysed again.` });
    },
  }),
];
