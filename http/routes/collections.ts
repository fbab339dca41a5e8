// Collections: sets of series, in an order of their own or not.
import Type from 'typebox';
import { MEMBER_SORTS, seriesOfCollection } from '../../core/catalog/list-members.js';
import { listsWith } from '../../core/catalog/lists.js';
import { seriesById } from '../../core/catalog/series.js';
import { AppError } from '../../core/model/errors.js';
import { coverOfCollection } from '../../core/pages/covers.js';
import { ask } from '../ask.js';
import { contentReply, json } from '../reply.js';
import { type Route, route } from '../route.js';
import { byId, none, windowOf } from '../schemas.js';
import { collectionView } from '../views/lists.js';
import { pageReply } from '../views/paging.js';
import { seriesView } from '../views/series.js';
import { listRows, memberOrder, memberQuery } from './list-rows.js';

const SORTS = Object.keys(MEMBER_SORTS.collection) as (keyof typeof MEMBER_SORTS.collection)[];

/** Null asks for nothing; anything else would make a list that looks filled by its condition and is not. */
const refuseCondition = (body: { readonly condition?: unknown }): void => {
  if (body.condition === undefined || body.condition === null) return;
  throw new AppError(
    'BadRequest',
    'This server has no collections that fill themselves; leave condition out and add series to the collection.',
    [{ path: 'condition', message: 'is not supported' }],
  );
};

export const COLLECTION_ROUTES: readonly Route[] = [
  ...listRows({
    kind: 'collection',
    path: '/collections',
    members: 'series',
    read: 'SeriesRead',
    write: 'SeriesWrite',
    ordered: false,
    fields: { condition: Type.Optional(Type.Unknown({ expected: 'nothing, or null' })) },
    refuse: refuseCondition,
    view: collectionView,
  }),
  route({
    id: 'collections.series.list',
    method: 'GET',
    path: '/collections/{id}/series',
    access: 'SeriesRead',
    cookie: false,
    params: byId,
    query: memberQuery(SORTS),
    body: null,
    about:
      'The series of a collection that have books. Without a sort an ordered collection comes by position, any other by title.',
    run: async ({ app, caller, request }, { params, query }) => {
      const order = memberOrder(query, SORTS);
      const found = await seriesOfCollection(app.db, caller.user.key, params.id, order, windowOf(query));
      return pageReply(request, found, seriesView);
    },
  }),
  route({
    id: 'collections.thumbnail',
    method: 'GET',
    path: '/collections/{id}/thumbnail',
    access: 'SeriesRead',
    cookie: true,
    params: byId,
    query: none,
    body: null,
    about: 'The cover of its first series that has one.',
    run: async ({ app, caller, request }, { params }) =>
      contentReply(await coverOfCollection(app.db, app.pages, caller.user.key, params.id, ask(request)), request),
  }),
  route({
    id: 'series.collections',
    method: 'GET',
    path: '/series/{id}/collections',
    access: 'SeriesRead',
    cookie: false,
    params: byId,
    query: none,
    body: null,
    about: 'The collections a series is in, by name, as a plain array.',
    run: async ({ app, caller }, { params }) => {
      const series = await seriesById(app.db, caller.user.key, params.id);
      return json(200, (await listsWith(app.db, 'collection', caller.user.key, series.key)).map(collectionView));
    },
  }),
];
