// Search: the best series and books, and all of either in pages.
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { listBooks, READY } from '../../../core/catalog/list-books.js';
import { listSeries } from '../../../core/catalog/list-series.js';
import type { PageOf, Window } from '../../../core/model/paging.js';
import { partsFor } from '../../surface/request-parts.js';
import type { Ctx } from '../../surface/route.js';
import { type FeedRows, feedRows } from '../dialect.js';
import { type Entry, type FeedKind, type FeedLink, feedOf, type Group, nameOf } from '../feed.js';
import { firstFew, pagingFields, windowOf } from '../paging.js';
import { ownPath } from '../place.js';
import { bookEntries, seriesEntries } from '../published.js';
import { UP } from './home.js';

const words = Type.Optional(Type.String({ maxLength: 1000, expected: 'text of at most 1000 characters' }));

export const searchQuery = Type.Object({ q: words, query: words });

type Asked = Static<typeof searchQuery>;

/** Each version of OPDS has its own name for it. */
const textIn = ({ q, query }: Asked): string => (query ?? q ?? '').trim();

/** Some apps search as one types, from the empty field on: nothing is found for no words. */
const find = async (ctx: Ctx<Caller>, hits: Hits, text: string, window: Window): Promise<PageOf<Entry>> =>
  text === '' ? { items: [], total: 0, page: window.page, pageSize: window.pageSize } : hits.read(ctx, text, window);

interface Hits {
  readonly title: string;
  readonly kind: FeedKind;
  readonly path: string;
  readonly read: (ctx: Ctx<Caller>, text: string, window: Window) => Promise<PageOf<Entry>>;
}

const RANKED = { sort: 'relevance', descending: false } as const;

const SERIES: Hits = {
  title: 'Series',
  kind: 'navigation',
  path: '/search/series',
  read: async (ctx, fullTextSearch, window) => {
    const found = await listSeries(partsFor(ctx), ctx.viewer, { fullTextSearch, order: RANKED, window });
    return { ...found, items: await seriesEntries(ctx, found.items) };
  },
};

const BOOKS: Hits = {
  title: 'Books',
  kind: 'acquisition',
  path: '/search/books',
  read: async (ctx, fullTextSearch, window) => {
    const found = await listBooks(partsFor(ctx), ctx.viewer, { where: READY, fullTextSearch, order: RANKED, window });
    return { ...found, items: await bookEntries(ctx, found.items) };
  },
};

const GROUP_SIZE = 20;

const linkTo = ({ title, kind, path }: Hits, text: string): FeedLink => ({
  title,
  kind,
  path: `${path}?${new URLSearchParams({ query: text }).toString()}`,
});

const groupOf = async (ctx: Ctx<Caller>, hits: Hits, text: string): Promise<Group> => {
  const { items, total } = await find(ctx, hits, text, firstFew(GROUP_SIZE));
  return { link: linkTo(hits, text), total, entries: items };
};

const titleOf = (text: string): string => `Search results for '${text}'`;

const pagedFeed = (hits: Hits): FeedRows =>
  feedRows({
    id: hits.path.slice(1).replace('/', '.'),
    paths: [hits.path],
    access: ['SeriesRead', 'BooksRead'],
    query: Type.Object({ ...searchQuery.properties, ...pagingFields }),
    about: `${hits.title} that contain all the words of a search, best match first.`,
    make: async (ctx, { query }) => {
      const text = textIn(query);
      const found = await find(ctx, hits, text, windowOf(query));
      const path = ownPath(ctx);
      const { kind, title } = hits;
      const id = nameOf(linkTo(hits, text).path);
      return feedOf({ id, title: `${title}: ${text}`, kind, path, up: UP, page: found, entries: found.items });
    },
  });

/** The feed of what was found first. */
export const searchFeed = async (ctx: Ctx<Caller>, asked: Asked) => {
  const text = textIn(asked);
  const groups = await Promise.all([SERIES, BOOKS].map((hits) => groupOf(ctx, hits, text)));
  return feedOf({
    id: nameOf(`/search?${new URLSearchParams({ query: text }).toString()}`),
    title: titleOf(text),
    kind: 'acquisition',
    path: ownPath(ctx),
    up: UP,
    groups: groups.filter(({ entries }) => entries.length > 0),
  });
};

export const SEARCH_FEEDS: readonly FeedRows[] = [pagedFeed(SERIES), pagedFeed(BOOKS)];
