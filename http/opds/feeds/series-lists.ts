// Feeds of series: all, of a library, newest, and those that have a name or a letter; with facets for their order and for what was read.
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { libraryFor } from '../../../core/catalog/libraries.js';
import { listSeries } from '../../../core/catalog/list-series.js';
import { seriesOfPerson } from '../../../core/catalog/series-of-person.js';
import type { Order, SeriesSort } from '../../../core/catalog/sorts.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import type { Ctx } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { feedRows } from '../dialect.js';
import { type Facet, type Feed, feedOf, nameOf, uuidUrn } from '../feed.js';
import { pagingFields, windowOf } from '../paging.js';
import { ownPath, pathWithout } from '../place.js';
import { seriesEntries } from '../published.js';
import { UP } from './home.js';

const name = (description: string) =>
  Type.Optional(Type.String({ maxLength: 1000, expected: 'text of at most 1000 characters', description }));

const SORTS: Readonly<Record<string, { readonly title: string; readonly order: Order<SeriesSort> }>> = {
  name: { title: 'Name', order: { sort: 'name', descending: false } },
  added: { title: 'Newest', order: { sort: 'date_added', descending: true } },
  updated: { title: 'Last changed', order: { sort: 'date_updated', descending: true } },
  released: { title: 'Year', order: { sort: 'release_date', descending: true } },
};

export const READ_STATUSES: Readonly<Record<string, string>> = {
  unread: 'Unread',
  in_progress: 'In progress',
  read: 'Read',
};

const seriesQuery = Type.Object({
  ...pagingFields,
  sort: Type.Optional(Type.Enum(Object.keys(SORTS))),
  read: Type.Optional(Type.Enum(Object.keys(READ_STATUSES))),
  letter: name('Only series listed under this letter.'),
  genre: name('Only series of this genre.'),
  tag: name('Only series with this tag.'),
  publisher: name('Only series of this publisher.'),
  language: name('Only series in this language.'),
  search: name('Only series that contain all of these words.'),
});

type Asked = Static<typeof seriesQuery>;

const is = (value: string) => ({ operator: 'is', value });

const conditionOf = ({ read, publisher, language }: Asked): unknown => ({
  allOf: [
    ...(read === undefined ? [] : [{ readStatus: is(read) }]),
    ...(publisher === undefined ? [] : [{ publisher: is(publisher) }]),
    ...(language === undefined ? [] : [{ language: is(language) }]),
  ],
});

/** Values are words that need no escaping. */
const facetsOf = (
  group: string,
  path: string,
  parameter: string,
  choices: readonly { readonly title: string; readonly value: string | null; readonly isActive: boolean }[],
): readonly Facet[] => {
  const others = pathWithout(path, [parameter, 'page']);
  return choices.map(({ title, value, isActive }) => {
    const chosen = others(value === null ? '' : `${parameter}=${value}`);
    return { group, title, path: chosen, isActive };
  });
};

export const readFacets = (path: string, read: string | undefined): readonly Facet[] =>
  facetsOf('Read status', path, 'read', [
    { title: 'All', value: null, isActive: read === undefined },
    ...Object.entries(READ_STATUSES).map(([value, title]) => ({ title, value, isActive: value === read })),
  ]);

const sortFacets = (path: string, sort: string): readonly Facet[] =>
  facetsOf(
    'Order',
    path,
    'sort',
    Object.entries(SORTS).map(([value, { title }]) => ({ title, value, isActive: value === sort })),
  );

const filterName = ({ letter, genre, tag, publisher, language }: Asked): string | undefined =>
  letter?.toUpperCase() ?? genre ?? tag ?? publisher ?? language;

interface Shown extends Pick<Feed, 'id' | 'title' | 'up'>, Partial<Pick<Feed, 'updatedAt'>> {
  readonly libraryId?: string;
  readonly sort?: string;
}

const seriesFeed = async (
  ctx: Ctx<Caller>,
  asked: Asked,
  { libraryId, sort: usual = 'name', title, ...shown }: Shown,
): Promise<Feed> => {
  const sort = asked.sort ?? usual;
  const found = await listSeries(partsFor(ctx), ctx.viewer, {
    libraryId,
    condition: conditionOf(asked),
    genres: asked.genre === undefined ? [] : [asked.genre],
    tags: asked.tag === undefined ? [] : [asked.tag],
    letter: asked.letter?.toLowerCase(),
    fullTextSearch: asked.search,
    order: SORTS[sort]?.order ?? { sort: 'name', descending: false },
    window: windowOf(asked),
  });
  const path = ownPath(ctx);
  return feedOf({
    ...shown,
    title: filterName(asked) ?? title,
    kind: 'navigation',
    path,
    page: found,
    facets: [...sortFacets(path, sort), ...readFacets(path, asked.read)],
    entries: await seriesEntries(ctx, found.items),
  });
};

export const SERIES_LIST_FEEDS = [
  feedRows({
    id: 'series',
    paths: ['/series'],
    access: 'SeriesRead',
    query: seriesQuery,
    about: 'All series by name, or those with a letter, genre, tag, publisher or language.',
    make: (ctx, { query }) => seriesFeed(ctx, query, { id: nameOf('/series'), title: 'All Series', up: UP }),
  }),
  feedRows({
    id: 'series.latest',
    paths: ['/series/latest'],
    access: 'SeriesRead',
    query: seriesQuery,
    about: 'Series, most recently added first.',
    make: (ctx, { query }) =>
      seriesFeed(ctx, query, { id: nameOf('/series/latest'), title: 'Latest Series', up: UP, sort: 'added' }),
  }),
  feedRows({
    id: 'library',
    paths: ['/libraries/{id}'],
    access: 'SeriesRead',
    params: byId,
    query: seriesQuery,
    about: 'Series of a library by name.',
    make: async (ctx, { params, query }) => {
      const library = await libraryFor(ctx.app.db, ctx.viewer, params.id);
      return seriesFeed(ctx, query, {
        id: uuidUrn(library.id),
        title: library.name,
        up: { title: 'All Libraries', path: '/libraries', kind: 'navigation' },
        libraryId: library.id,
      });
    },
  }),
  feedRows({
    id: 'author',
    paths: ['/authors/series'],
    access: 'SeriesRead',
    query: Type.Object({
      ...pagingFields,
      name: Type.String({ minLength: 1, maxLength: 1000, expected: 'the name of a person' }),
    }),
    about: 'Series that credit a person, in the series or in one of its books.',
    make: async (ctx, { query }) => {
      const found = await seriesOfPerson(listReads(ctx), ctx.viewer, query.name, windowOf(query));
      return feedOf({
        id: nameOf(`/authors/series?${new URLSearchParams({ name: query.name }).toString()}`),
        title: query.name,
        kind: 'navigation',
        path: ownPath(ctx),
        up: { title: 'Authors', path: '/authors', kind: 'navigation' },
        page: found,
        entries: await seriesEntries(ctx, found.items),
      });
    },
  }),
] as const;
