// Feeds of lists that people make: a collection, a read list, the caller's want-to-read list.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { booksByKeys } from '../../../core/catalog/books.js';
import { refuseUnseen } from '../../../core/catalog/collections/automatic.js';
import type { ListKind } from '../../../core/catalog/collections/kinds.js';
import { type List, listById } from '../../../core/catalog/collections/lists.js';
import { seriesOfCollection } from '../../../core/catalog/collections/members.js';
import { readyOfReadList } from '../../../core/catalog/collections/ready-members.js';
import { seriesByKeys } from '../../../core/catalog/series.js';
import { readyWanted, type WantedKey } from '../../../core/reading/want-to-read.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import type { Ctx } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { type FeedRows, feedRows } from '../dialect.js';
import { type Entry, feedOf, nameOf, uuidUrn } from '../feed.js';
import { pagingFields, windowOf } from '../paging.js';
import { ownPath } from '../place.js';
import { bookEntries, seriesEntries } from '../published.js';
import { UP } from './home.js';

const OWN_ORDER = { sort: undefined, descending: false } as const;
const query = Type.Object(pagingFields);

const listFor = async (ctx: Ctx<Caller>, kind: ListKind, id: string): Promise<List> => {
  const list = await listById(listReads(ctx), kind, ctx.viewer, id);
  await refuseUnseen(partsFor(ctx), ctx.viewer, list);
  return list;
};

const partsOf = ({ id, name, summary, updatedAt }: List) => ({
  id: uuidUrn(id),
  title: name,
  subtitle: summary === '' ? null : summary,
  updatedAt,
});

/** In the order of the queue. */
const wantedEntries = async (ctx: Ctx<Caller>, wanted: readonly WantedKey[]): Promise<readonly Entry[]> => {
  const keysOf = (kind: WantedKey['kind']): readonly number[] =>
    wanted.filter((one) => one.kind === kind).map(({ key }) => key);
  const reads = listReads(ctx);
  const books = await bookEntries(ctx, await booksByKeys(reads, ctx.viewer, keysOf('book')));
  const series = await seriesEntries(ctx, await seriesByKeys(reads, ctx.viewer, keysOf('series')));
  const found = new Map<string, Entry>([
    ...books.map((one) => [`book ${one.publication.book.key}`, one] as const),
    ...series.map((one) => [`series ${one.series.key}`, one] as const),
  ]);
  return wanted.flatMap(({ kind, key }) => found.get(`${kind} ${key}`) ?? []);
};

export const LIST_FEEDS: readonly FeedRows[] = [
  feedRows({
    id: 'collection',
    paths: ['/collections/{id}'],
    access: ['CollectionsRead', 'SeriesRead'],
    params: byId,
    query,
    about: 'Series of a collection, in its order.',
    make: async (ctx, { params, query }) => {
      const list = await listFor(ctx, 'collection', params.id);
      const found = await seriesOfCollection(partsFor(ctx), ctx.viewer, list.id, OWN_ORDER, windowOf(query));
      return feedOf({
        ...partsOf(list),
        kind: 'navigation',
        path: ownPath(ctx),
        up: { title: 'Collections', path: '/collections', kind: 'navigation' },
        page: found,
        entries: await seriesEntries(ctx, found.items),
      });
    },
  }),
  feedRows({
    id: 'readlist',
    paths: ['/readlists/{id}'],
    access: ['ReadListsRead', 'BooksRead'],
    params: byId,
    query,
    about: 'Books of a read list, in its order.',
    make: async (ctx, { params, query }) => {
      const list = await listFor(ctx, 'read_list', params.id);
      const found = await readyOfReadList(partsFor(ctx), ctx.viewer, list.id, windowOf(query));
      return feedOf({
        ...partsOf(list),
        kind: 'acquisition',
        path: ownPath(ctx),
        up: { title: 'Read Lists', path: '/readlists', kind: 'navigation' },
        page: found,
        entries: await bookEntries(ctx, found.items),
      });
    },
  }),
  feedRows({
    id: 'want-to-read',
    paths: ['/want-to-read'],
    access: ['SeriesRead', 'BooksRead'],
    query,
    about: 'The want-to-read list of the caller, in its own order.',
    make: async (ctx, { query }) => {
      const found = await readyWanted(listReads(ctx), ctx.viewer, windowOf(query));
      return feedOf({
        id: nameOf('/want-to-read'),
        title: 'Want to Read',
        kind: 'acquisition',
        path: ownPath(ctx),
        up: UP,
        page: found,
        entries: await wantedEntries(ctx, found.items),
      });
    },
  }),
];
