// Genres and tags: all of them, and those of a book or series. Both kinds have the same rows under their own names.

import Type from 'typebox';
import {
  addTerm,
  cleanTerms,
  deleteTerm,
  listTerms,
  removeTerm,
  setTerms,
  type Term,
  termsOf,
} from '../../../core/catalog/taxonomy.js';
import { listName, TERM_KINDS, TERM_MAX, type TermKind } from '../../../core/catalog/taxonomy-links.js';
import { AppError } from '../../../core/model/errors.js';
import type { Permission } from '../../../core/model/permissions.js';
import type { RowKind } from '../../../core/model/row-kind.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { pagingQuery, windowOf } from '../schemas/fields.js';
import { Cleanup, TERM_LISTS, TermPage, Term as TermSchema } from '../schemas/taxonomy.js';
import { pageReply } from '../views/paging.js';
import { termView } from '../views/taxonomy.js';

const name = Type.String({ maxLength: TERM_MAX, pattern: '\\S', expected: `text of 1 to ${TERM_MAX} characters` });
const LIST_MAX = 500;

const TABLE = { book: 'books', series: 'series' } as const satisfies Record<RowKind, string>;
const READ = { book: 'BooksRead', series: 'SeriesRead' } as const satisfies Record<RowKind, Permission>;
const WRITE = { book: 'BooksWrite', series: 'SeriesWrite' } as const satisfies Record<RowKind, Permission>;

const listReply = (kind: TermKind, terms: readonly Term[]) => json(200, { [listName(kind)]: terms.map(termView) });

const names = Type.Array(name, { maxItems: LIST_MAX, expected: `a list of at most ${LIST_MAX} names` });
const listBody = { genre: Type.Object({ genres: names }), tag: Type.Object({ tags: names }) } as const;

/** The name of the list in the body depends on the kind; validation has ensured that it is present. */
const namesIn = (body: { readonly genres?: readonly string[]; readonly tags?: readonly string[] }) =>
  body.genres ?? body.tags ?? [];

const oneName = (kind: TermKind, body: { readonly name?: string; readonly genre?: string; readonly tag?: string }) => {
  const found = body.name ?? body[kind];
  if (found !== undefined) return found;
  throw new AppError('BadRequest', `The body must have name (or ${kind}).`, [{ path: 'name', message: 'is required' }]);
};

const replaceRow = (kind: TermKind, owner: RowKind): Route =>
  route({
    id: `${TABLE[owner]}.${listName(kind)}.put`,
    method: 'PUT',
    path: `/${TABLE[owner]}/{id}/${listName(kind)}`,
    access: WRITE[owner],
    params: byId,
    body: listBody[kind],
    example: { [listName(kind)]: ['Adventure', 'Mystery'] } as { genres: string[]; tags: string[] },
    reply: ok(TERM_LISTS[kind]),
    about: `Replaces the ${listName(kind)} of a ${owner} by {"${listName(kind)}": [names]} and locks the list; returns it.`,
    run: async ({ app, viewer }, { params, body }) =>
      listReply(kind, await setTerms(app.db, app.clock, kind, owner, viewer, params.id, namesIn(body))),
  });

const addRow = (kind: TermKind, owner: RowKind): Route =>
  route({
    id: `${TABLE[owner]}.${listName(kind)}.add`,
    method: 'POST',
    path: `/${TABLE[owner]}/{id}/${listName(kind)}`,
    access: WRITE[owner],
    params: byId,
    body: Type.Object({ name: Type.Optional(name), [kind]: Type.Optional(name) }),
    example: { name: 'Adventure' },
    reply: ok(TermSchema),
    about: `Adds one ${kind} to a ${owner} by {"name": text} (or {"${kind}": text}) and locks the list; returns the ${kind}.`,
    run: async ({ app, viewer }, { params, body }) =>
      json(200, termView(await addTerm(app.db, app.clock, kind, owner, viewer, params.id, oneName(kind, body)))),
  });

const ownRows = (kind: TermKind, owner: RowKind): readonly Route[] => [
  route({
    id: `${TABLE[owner]}.${listName(kind)}.get`,
    method: 'GET',
    path: `/${TABLE[owner]}/{id}/${listName(kind)}`,
    access: READ[owner],
    kept: true,
    params: byId,
    reply: ok(TERM_LISTS[kind]),
    about: `The ${listName(kind)} of a ${owner} by name, as {"${listName(kind)}": [...]}.`,
    run: async ({ app, viewer }, { params }) => listReply(kind, await termsOf(app.db, kind, owner, viewer, params.id)),
  }),
  replaceRow(kind, owner),
  addRow(kind, owner),
  route({
    id: `${TABLE[owner]}.${listName(kind)}.remove`,
    method: 'DELETE',
    path: `/${TABLE[owner]}/{id}/${listName(kind)}/{term_id}`,
    access: WRITE[owner],
    params: Type.Object({ id: uuid, term_id: uuid }),
    reply: EMPTY,
    about: `Removes one ${kind} from a ${owner} and locks the list.`,
    run: async ({ app, viewer }, { params }) => {
      await removeTerm(app.db, app.clock, kind, owner, viewer, params.id, params.term_id);
      return noContent();
    },
  }),
];

/** Deleting a term affects every library, so these rows require more than writing one series. */
const allRows = (kind: TermKind): readonly Route[] => [
  route({
    id: `${listName(kind)}.list`,
    method: 'GET',
    path: `/${listName(kind)}`,
    access: 'SeriesRead',
    kept: true,
    query: pagingQuery,
    reply: ok(TermPage),
    about: `All ${listName(kind)} by name, each with the number of series that have it.`,
    run: async (ctx, { query }) =>
      pageReply(ctx, await listTerms(listReads(ctx), kind, ctx.viewer, windowOf(query)), termView),
  }),
  route({
    id: `${listName(kind)}.cleanup`,
    method: 'POST',
    path: `/${listName(kind)}/cleanup`,
    access: 'SystemAdmin',
    reply: ok(Cleanup),
    about: `Deletes the ${listName(kind)} that no book or series has.`,
    run: async ({ app, viewer }) => {
      const deletedNames = await cleanTerms(app.db, kind, viewer);
      return json(200, { deletedCount: deletedNames.length, deletedNames } satisfies Wire<typeof Cleanup>);
    },
  }),
  route({
    id: `${listName(kind)}.delete`,
    method: 'DELETE',
    path: `/${listName(kind)}/{id}`,
    access: 'SystemAdmin',
    params: byId,
    reply: EMPTY,
    about: `Removes a ${kind} from every book and series; an unlocked book whose file names it gets it back at its next analysis.`,
    run: async ({ app, viewer }, { params }) => {
      await deleteTerm(app.db, kind, viewer, params.id);
      return noContent();
    },
  }),
];

export const TAXONOMY_ROUTES: readonly Route[] = TERM_KINDS.flatMap((kind) => [
  ...allRows(kind),
  ...ownRows(kind, 'book'),
  ...ownRows(kind, 'series'),
]);
