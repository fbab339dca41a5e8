// Reading progress of the caller in one book.
import Type from 'typebox';
import { clearProgress, readProgress, updateProgress } from '../../core/reading/progress.js';
import { json, noContent } from '../reply.js';
import { type Route, route } from '../route.js';
import { byId, none } from '../schemas.js';
import { progressView } from '../views/book.js';

const pageNumber = Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, expected: 'a page number' }));
const flag = Type.Optional(Type.Boolean());

/** Every spelling clients use; one of the page names is needed. */
const body = Type.Object({
  current_page: pageNumber,
  currentPage: pageNumber,
  is_completed: flag,
  isCompleted: flag,
  completed: flag,
});

export const PROGRESS_ROUTES: readonly Route[] = [
  route({
    id: 'progress.get',
    method: 'GET',
    path: '/books/{id}/progress',
    access: 'ProgressRead',
    cookie: false,
    params: byId,
    query: none,
    body: null,
    about: "The caller's progress in a book; 204 when there is none.",
    run: async ({ app, caller }, { params }) => {
      const progress = await readProgress(app.db, caller.user.key, params.id);
      return progress === undefined ? noContent() : json(200, progressView(caller.user.id, progress));
    },
  }),
  route({
    id: 'progress.put',
    method: 'PUT',
    path: '/books/{id}/progress',
    access: 'ProgressWrite',
    cookie: false,
    params: byId,
    query: none,
    body,
    about: 'Sets the page the caller is on, and whether the book is finished.',
    run: async ({ app, caller }, { params, body: sent }) => {
      const change = {
        currentPage: sent.current_page ?? sent.currentPage,
        isCompleted: sent.is_completed ?? sent.isCompleted ?? sent.completed,
      };
      return json(
        200,
        progressView(caller.user.id, await updateProgress(app.db, app.clock, caller.user.key, params.id, change)),
      );
    },
  }),
  route({
    id: 'progress.delete',
    method: 'DELETE',
    path: '/books/{id}/progress',
    access: 'ProgressWrite',
    cookie: false,
    params: byId,
    query: none,
    body: null,
    about: "Clears the caller's progress in a book; succeeds when there is none.",
    run: async ({ app, caller }, { params }) => {
      await clearProgress(app.db, caller.user.key, params.id);
      return noContent();
    },
  }),
];
