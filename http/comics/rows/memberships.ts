// The collections that a series is in, and the read lists that a book is in.
import Type from 'typebox';
import { automaticWith } from '../../../core/catalog/collections/automatic.js';
import { contentsOf } from '../../../core/catalog/collections/contents.js';
import { listsWith } from '../../../core/catalog/collections/lists.js';
import { resolve } from '../../../core/catalog/public-ids.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { Collection, ReadList } from '../schemas/collections.js';
import { byId } from '../schemas/requests.js';
import { collectionView, readListView } from '../views/collections.js';

export const MEMBERSHIP_ROWS: readonly Route[] = [
  route({
    id: 'comics.series.collections',
    method: 'GET',
    path: '/api/v1/series/{id}/collections',
    access: ['CollectionsRead', 'SeriesRead'],
    kept: true,
    params: byId,
    reply: ok(Type.Array(Collection)),
    about: 'The collections that a series is in, by name.',
    run: async (ctx, { params }) => {
      const { app, viewer } = ctx;
      const parts = partsFor(ctx);
      const { key } = await resolve(app.db, 'series', params.id, viewer);
      const lists = await listsWith(listReads(ctx), 'collection', viewer, key, await automaticWith(parts, viewer, key));
      const shown = lists.map(async (list) =>
        collectionView(list, await contentsOf(parts, 'collection', viewer, list)),
      );
      return json(200, await Promise.all(shown));
    },
  }),
  route({
    id: 'comics.books.readlists',
    method: 'GET',
    path: '/api/v1/books/{id}/readlists',
    access: ['ReadListsRead', 'BooksRead'],
    kept: true,
    params: byId,
    reply: ok(Type.Array(ReadList)),
    about: 'The read lists that a book is in, by name.',
    run: async (ctx, { params }) => {
      const { app, viewer } = ctx;
      const parts = partsFor(ctx);
      const { key } = await resolve(app.db, 'book', params.id, viewer);
      const lists = await listsWith(listReads(ctx), 'read_list', viewer, key, []);
      const shown = lists.map(async (list) => readListView(list, await contentsOf(parts, 'read_list', viewer, list)));
      return json(200, await Promise.all(shown));
    },
  }),
];
