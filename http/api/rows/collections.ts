// Collections: sets of series, in an order of their own or not.
import Type from 'typebox';
import { automaticWith, withCounts } from '../../../core/catalog/collections/automatic.js';
import { listsWith } from '../../../core/catalog/collections/lists.js';
import { MEMBER_SORTS, seriesOfCollection } from '../../../core/catalog/collections/members.js';
import { seriesById } from '../../../core/catalog/series.js';
import { coverOfCollection } from '../../../core/pages/covers.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { IMAGE, ok } from '../../surface/replies.js';
import { coverReply, json } from '../../surface/reply.js';
import { askCover, listReads, partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { seriesArray } from '../full.js';
import { Collection, CollectionItems } from '../schemas/collections.js';
import { seriesConditionOrNull } from '../schemas/conditions.js';
import { wholeWindow } from '../schemas/fields.js';
import { Series } from '../schemas/series.js';
import { collectionView } from '../views/collections.js';
import { listRows, memberOrder, memberQuery, UNPAGED } from './collection-rows.js';

const SORTS = Object.keys(MEMBER_SORTS.collection) as (keyof typeof MEMBER_SORTS.collection)[];

export const COLLECTION_ROUTES: readonly Route[] = [
  ...listRows({
    kind: 'collection',
    path: '/collections',
    members: 'series',
    read: 'CollectionsRead',
    write: 'CollectionsWrite',
    remove: 'CollectionsDelete',
    ordered: false,
    fields: { condition: Type.Optional(seriesConditionOrNull) },
    list: Collection,
    items: CollectionItems,
    view: collectionView,
  }),
  route({
    id: 'collections.series.list',
    method: 'GET',
    path: '/collections/{id}/series',
    access: ['CollectionsRead', 'SeriesRead'],
    kept: true,
    params: byId,
    query: memberQuery(SORTS),
    reply: ok(Type.Array(Series)),
    about: `The series of a collection that have books, or those that meet its condition, as a plain array: ${UNPAGED} By default an ordered collection is sorted by position, any other by title.`,
    run: async (ctx, { params, query }) => {
      const order = memberOrder(query, SORTS);
      const found = await seriesOfCollection(partsFor(ctx), ctx.viewer, params.id, order, wholeWindow(query));
      return seriesArray(ctx, found);
    },
  }),
  route({
    id: 'collections.thumbnail',
    method: 'GET',
    path: '/collections/{id}/thumbnail',
    access: 'CollectionsRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of the first series that has one.',
    run: async (ctx, { params }) => {
      const { app, viewer, request } = ctx;
      return coverReply(
        await coverOfCollection(partsFor(ctx), app.pages, viewer, params.id, askCover(request)),
        request,
      );
    },
  }),
  route({
    id: 'series.collections',
    method: 'GET',
    path: '/series/{id}/collections',
    access: ['CollectionsRead', 'SeriesRead'],
    kept: true,
    params: byId,
    reply: ok(CollectionItems),
    about:
      'The collections a series is in, manually or by their condition, sorted by name, as {"items": [...], "total": n}.',
    run: async (ctx, { params }) => {
      const { app, viewer: user } = ctx;
      const parts = partsFor(ctx);
      const { key } = await seriesById(app.db, user, params.id);
      const lists = await listsWith(listReads(ctx), 'collection', user, key, await automaticWith(parts, user, key));
      const items = (await withCounts(parts, user, lists)).map((list) => collectionView(list, user));
      return json(200, { items, total: items.length } satisfies Wire<typeof CollectionItems>);
    },
  }),
];
