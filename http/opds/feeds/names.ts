// Feeds that lead to parts of the catalogue: libraries, collections and read lists, letters, genres, publishers, people.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { automaticSeen, withCounts } from '../../../core/catalog/collections/automatic.js';
import { allLists, type List } from '../../../core/catalog/collections/lists.js';
import { type Facet, listFacet } from '../../../core/catalog/facets.js';
import { listLibraries } from '../../../core/catalog/libraries.js';
import { seriesByLetter } from '../../../core/catalog/list-series.js';
import { listPeople } from '../../../core/catalog/people.js';
import { listTerms } from '../../../core/catalog/taxonomy.js';
import type { PageOf, Window } from '../../../core/model/paging.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import type { Ctx } from '../../surface/route.js';
import { type FeedRows, feedRows } from '../dialect.js';
import { feedOf, type LinkEntry, linkEntry, nameOf, uuidUrn } from '../feed.js';
import { pagingFields, windowOf } from '../paging.js';
import { ownPath } from '../place.js';
import { cleanTitle, plainOf } from '../text.js';
import { UP } from './home.js';

type Access = Parameters<typeof feedRows>[0]['access'];

interface NameFeed {
  readonly path: string;
  readonly title: string;
  readonly access: Access;
  readonly about: string;
  readonly read: (ctx: Ctx<Caller>, window: Window) => Promise<PageOf<LinkEntry>>;
}

const entriesOf = <T>(found: PageOf<T>, entry: (item: T) => LinkEntry): PageOf<LinkEntry> => ({
  ...found,
  items: found.items.map(entry),
});

/** Series that have a name in one of their fields. */
const seriesWith = (parameter: string, value: string, count: number | null, at = '/series'): LinkEntry => {
  const path = `${at}?${new URLSearchParams({ [parameter]: value }).toString()}`;
  return linkEntry({ id: nameOf(path), title: cleanTitle(value), path, kind: 'navigation', count });
};

const libraries: NameFeed['read'] = async (ctx, window) =>
  entriesOf(await listLibraries(ctx.app.db, ctx.viewer, window), (library) =>
    linkEntry({
      id: uuidUrn(library.id),
      title: cleanTitle(library.name),
      path: `/libraries/${library.id}`,
      kind: 'navigation',
      updatedAt: library.updatedAt,
      about: library.description,
      count: library.seriesCount,
    }),
  );

const listEntry =
  (path: string, kind: LinkEntry['kind']) =>
  (list: List): LinkEntry =>
    linkEntry({
      id: uuidUrn(list.id),
      title: cleanTitle(list.name),
      path: `${path}/${list.id}`,
      kind,
      updatedAt: list.updatedAt,
      about: list.summary === null ? null : plainOf(list.summary),
      // A read list shows only the books that can be read now, and those have not been counted.
      count: kind === 'navigation' ? list.memberCount : null,
    });

const collections: NameFeed['read'] = async (ctx, window) => {
  const parts = partsFor(ctx);
  const automatic = await automaticSeen(parts, 'collection', ctx.viewer);
  const found = await allLists(parts, 'collection', ctx.viewer, window, { automatic });
  const items = await withCounts(parts, ctx.viewer, found.items);
  return entriesOf({ ...found, items }, listEntry('/collections', 'navigation'));
};

const readLists: NameFeed['read'] = async (ctx, window) =>
  entriesOf(await allLists(partsFor(ctx), 'read_list', ctx.viewer, window), listEntry('/readlists', 'acquisition'));

/** Few enough for one page. */
const letters: NameFeed['read'] = async (ctx, window) => {
  const groups = await seriesByLetter(partsFor(ctx), ctx.viewer, {});
  const items = groups.map(({ group, count }) => ({
    ...seriesWith('letter', group, count),
    title: group.toUpperCase(),
  }));
  const start = (window.page - 1) * window.pageSize;
  return { ...window, items: items.slice(start, start + window.pageSize), total: items.length };
};

const genres: NameFeed['read'] = async (ctx, window) =>
  entriesOf(await listTerms(listReads(ctx), 'genre', ctx.viewer, window), ({ name, seriesCount }) =>
    seriesWith('genre', name, seriesCount),
  );

const facet =
  (name: Facet): NameFeed['read'] =>
  async (ctx, window) =>
    entriesOf(await listFacet(listReads(ctx), ctx.viewer, name, undefined, window), (value) =>
      seriesWith(name, value.name, value.seriesCount),
    );

const people: NameFeed['read'] = async (ctx, window) =>
  entriesOf(await listPeople(partsFor(ctx), ctx.viewer, {}, window), ({ name, seriesCount }) =>
    seriesWith('name', name, seriesCount, '/authors/series'),
  );

const FEEDS: readonly NameFeed[] = [
  { path: '/libraries', title: 'All Libraries', access: 'LibrariesRead', about: 'Libraries by name.', read: libraries },
  {
    path: '/collections',
    title: 'Collections',
    access: ['CollectionsRead', 'SeriesRead'],
    about: 'Collections by name.',
    read: collections,
  },
  {
    path: '/readlists',
    title: 'Read Lists',
    access: ['ReadListsRead', 'BooksRead'],
    about: 'Read lists by name.',
    read: readLists,
  },
  {
    path: '/letters',
    title: 'Series by Letter',
    access: 'SeriesRead',
    about: 'First letters of series names.',
    read: letters,
  },
  { path: '/genres', title: 'Genres', access: 'SeriesRead', about: 'Genres of series by name.', read: genres },
  {
    path: '/publishers',
    title: 'Publishers',
    access: 'SeriesRead',
    about: 'Publishers of series by name.',
    read: facet('publisher'),
  },
  {
    path: '/authors',
    title: 'Authors',
    access: 'SeriesRead',
    about: 'People credited in series, by name.',
    read: people,
  },
  {
    path: '/languages',
    title: 'Languages',
    access: 'SeriesRead',
    about: 'Languages of series.',
    read: facet('language'),
  },
];

export const NAME_FEEDS: readonly FeedRows[] = FEEDS.map(({ path, title, access, about, read }) =>
  feedRows({
    id: path.slice(1),
    paths: [path],
    access,
    query: Type.Object(pagingFields),
    about,
    make: async (ctx, { query }) => {
      const found = await read(ctx, windowOf(query));
      return feedOf({
        id: nameOf(path),
        title,
        kind: 'navigation',
        path: ownPath(ctx),
        up: UP,
        page: found,
        entries: found.items,
      });
    },
  }),
);
