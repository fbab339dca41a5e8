// What series and books can be filtered by: people, terms, publishers and other values, as far as the caller sees something that has them.
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { ageRatings, type Carrier, facetValues, releaseYears, termNames } from '../../../core/catalog/facets.js';
import { listCredits, listPeople, listRoles, type PeopleAsk } from '../../../core/catalog/people.js';
import type { Place } from '../../../core/catalog/places.js';
import type { TermKind } from '../../../core/catalog/taxonomy-links.js';
import type { Window } from '../../../core/model/paging.js';
import { named } from '../../../core/model/search-names.js';
import { placeWithQueue } from '../../../core/reading/app-lists.js';
import { tagNamesIn } from '../../../core/sharing/tags.js';
import type { Reply } from '../../server/adapter.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { text, whole } from '../../surface/wire.js';
import { ids, oneId, pagingFields, requestedPage, values } from '../query.js';
import { Author } from '../schemas/fields.js';
import { pageOf } from '../schemas/page.js';
import { pageView } from '../views/paging.js';
import { ROLE_NAMES, rolesShownAs, roleText } from '../views/people.js';

/** More would be of no use to whoever has to choose. */
const ALL: Window = { page: 1, pageSize: 10_000 };

const placeFields = {
  library_id: ids,
  series_id: oneId,
  collection_id: oneId,
  readlist_id: oneId,
};
const placeQuery = Type.Object(placeFields);
const search = Type.Optional(Type.String({ maxLength: 200 }));
const peopleQuery = Type.Object({ ...pagingFields, ...placeFields, search, role: values('Any of these roles.') });

type PlaceQuery = Static<typeof placeQuery>;
type PeopleQuery = Static<typeof peopleQuery>;
type Ask = Ctx<Caller>;

const placeIn = (ctx: Ask, { library_id, series_id, collection_id, readlist_id }: PlaceQuery): Promise<Place> =>
  placeWithQueue(partsFor(ctx), ctx.viewer, {
    libraryIds: library_id,
    seriesId: series_id,
    collectionId: collection_id,
    readListId: readlist_id,
  });

type Values = (ctx: Ask, place: Place) => Promise<readonly string[]>;

const valueRow = (path: string, about: string, values: Values, kept = true): Route =>
  route({
    id: `comics.${path.replaceAll('/', '.')}`,
    method: 'GET',
    path: `/api/v1/${path}`,
    access: 'SeriesRead',
    kept,
    query: placeQuery,
    reply: ok(Type.Array(text('Adventure'))),
    fails: ['NotFound'],
    about,
    run: async (ctx, { query }) => json(200, await values(ctx, await placeIn(ctx, query))),
  });

const terms =
  (kind: TermKind, ...carriers: Carrier[]) =>
  (ctx: Ask, place: Place) =>
    termNames(partsFor(ctx), ctx.viewer, kind, carriers, place);

const facet = (name: 'publisher' | 'language') => async (ctx: Ask, place: Place) =>
  (await facetValues(listReads(ctx), ctx.viewer, name, place)).map((one) => one.name);

/** A role that is never shown finds nobody. */
const peopleIn = async (ctx: Ask, query: PeopleQuery): Promise<PeopleAsk> => ({
  search: query.search,
  place: await placeIn(ctx, query),
  roles: query.role?.flatMap(rolesShownAs),
});

const rolesIn = async (ctx: Ask, place: Place): Promise<readonly string[]> => [
  ...new Set((await listRoles(listReads(ctx), ctx.viewer, place)).map(roleText)),
];

const credits = async (ctx: Ask, query: PeopleQuery, window: Window) =>
  listCredits(partsFor(ctx), ctx.viewer, { ...(await peopleIn(ctx, query)), names: ROLE_NAMES }, window);

const people = async (ctx: Ask, query: PeopleQuery, window: Window) => {
  const page = await listPeople(partsFor(ctx), ctx.viewer, await peopleIn(ctx, query), window);
  return { items: page.items.map(({ name }) => name), total: page.total };
};

interface Found<T> {
  readonly items: readonly T[];
  readonly total: number;
}

type Read<T> = (ctx: Ask, query: PeopleQuery, window: Window) => Promise<Found<T>>;

const pageOfValues = (path: string, item: Parameters<typeof pageOf>[1]) =>
  ({
    id: `comics.v2.${path.replaceAll('/', '.')}`,
    method: 'GET',
    path: `/api/v2/${path}`,
    reply: ok(
      pageOf(
        `Comic${path
          .split(/[/-]/)
          .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
          .join('')}Page`,
        item,
      ),
    ),
  }) as const;

const pageReply = async <T>(
  query: PeopleQuery | ValuesQuery,
  read: (window: Window) => Promise<Found<T>>,
): Promise<Reply> => {
  const { window, isWhole } = requestedPage(query);
  const { items, total } = await read(isWhole ? ALL : window);
  const size = isWhole ? Math.max(items.length, window.pageSize) : window.pageSize;
  const wrapped = { page: isWhole ? 0 : window.page - 1, size, count: items.length, total, isSorted: true };
  return json(200, { ...pageView(wrapped), content: items });
};

const pageRow = <T>(path: string, item: Parameters<typeof pageOf>[1], read: Read<T>, about: string): Route =>
  route({
    ...pageOfValues(path, item),
    access: 'SeriesRead',
    kept: true,
    query: peopleQuery,
    fails: ['NotFound'],
    about,
    run: (ctx, { query }) => pageReply(query, (window) => read(ctx, query, window)),
  });

const listRow = <T>(path: string, item: Parameters<typeof pageOf>[1], read: Read<T>, about: string): Route =>
  route({
    id: `comics.${path.replaceAll('/', '.')}`,
    method: 'GET',
    path: `/api/v1/${path}`,
    access: 'SeriesRead',
    kept: true,
    query: peopleQuery,
    reply: ok(Type.Array(item)),
    fails: ['NotFound'],
    about,
    run: async (ctx, { query }) => json(200, (await read(ctx, query, ALL)).items),
  });

const valuesQuery = Type.Object({
  ...pagingFields,
  ...placeFields,
  search,
  include: Type.Optional(
    Type.Enum(['SERIES', 'BOOK', 'BOTH'], {
      description: 'For tags: whether to list those of series, of books or of both.',
    }),
  ),
});

type ValuesQuery = Static<typeof valuesQuery>;

/** The values of `valueRow`, found by a part of their names, in pages. */
const foundRow = <T extends string | number>(
  path: string,
  item: Parameters<typeof pageOf>[1],
  { about, kept = true }: { readonly about: string; readonly kept?: boolean },
  values: (ctx: Ask, place: Place, query: ValuesQuery) => Promise<readonly T[]>,
): Route =>
  route({
    ...pageOfValues(path, item),
    access: 'SeriesRead',
    kept,
    query: valuesQuery,
    fails: ['NotFound'],
    about,
    run: async (ctx, { query }) => {
      const all = named(await values(ctx, await placeIn(ctx, query), query), query.search, String);
      return pageReply(query, async ({ page, pageSize }) => ({
        items: all.slice((page - 1) * pageSize, page * pageSize),
        total: all.length,
      }));
    },
  });

const CARRIERS = { SERIES: ['series'], BOOK: ['book'], BOTH: ['series', 'book'] } as const;

const tags = (ctx: Ask, place: Place, { include = 'BOTH' }: ValuesQuery) =>
  terms('tag', ...CARRIERS[include])(ctx, place);

const ratings = async (ctx: Ask, place: Place) => ageRatings(listReads(ctx), ctx.viewer, place);

const years = async (ctx: Ask, place: Place) => (await releaseYears(listReads(ctx), ctx.viewer, place)).map(String);

/** They tell what is hidden from whom. Not kept: a change to a tag that no series carries changes nothing of the catalog. */
const sharingLabels = async (ctx: Ask, place: Place): Promise<readonly string[]> =>
  ctx.viewer.administers ? tagNamesIn(listReads(ctx), ctx.viewer, place) : [];

const allRoles: Read<string> = async (ctx, query, { page, pageSize }) => {
  const roles = [...(await rolesIn(ctx, await placeIn(ctx, query)))].sort();
  return { items: roles.slice((page - 1) * pageSize, page * pageSize), total: roles.length };
};

export const VALUE_ROWS: readonly Route[] = [
  valueRow('genres', 'Genres by name.', terms('genre', 'series', 'book')),
  valueRow('tags', 'Tags of series and books, by name.', terms('tag', 'series', 'book')),
  valueRow('tags/series', 'Tags of series, by name.', terms('tag', 'series')),
  valueRow('tags/book', 'Tags of books, by name.', terms('tag', 'book')),
  valueRow('publishers', 'Publishers by name.', facet('publisher')),
  valueRow('languages', 'Languages.', facet('language')),
  valueRow('age-ratings', 'Age ratings as text; None for series without one.', async (ctx, place) =>
    (await ratings(ctx, place)).map((age) => (age === null ? 'None' : String(age))),
  ),
  valueRow('series/release-dates', 'Release years of series, latest first.', years),
  valueRow('sharing-labels', 'Sharing tags of series, for administrators. Others get none.', sharingLabels, false),
  listRow('authors', Author, credits, 'People credited in series and books, once for each role.'),
  listRow('authors/names', text('Ann Writer'), people, 'The names of the same people.'),
  listRow('authors/roles', text('writer'), allRoles, 'The roles of these people.'),
  pageRow('authors', Author, credits, 'The same, in pages.'),
  pageRow('authors/names', text('Ann Writer'), people, 'Names, in pages.'),
  pageRow('authors/roles', text('writer'), allRoles, 'Roles, in pages.'),
  foundRow('genres', text('Adventure'), { about: 'Genres, in pages.' }, terms('genre', 'series', 'book')),
  foundRow('tags', text('fog'), { about: 'Tags of series, of books or of both, in pages.' }, tags),
  foundRow('publishers', text('Harbour House'), { about: 'Publishers, in pages.' }, facet('publisher')),
  foundRow('languages', text('en'), { about: 'Languages, in pages.' }, facet('language')),
  foundRow(
    'age-ratings',
    whole(12),
    { about: 'Age ratings of the series that have one, in pages.' },
    async (ctx, place) => (await ratings(ctx, place)).filter((age) => age !== null),
  ),
  foundRow('series/release-years', text('2019'), { about: 'Release years of series, latest first, in pages.' }, years),
  foundRow('sharing-labels', text('family'), { about: 'Sharing tags, in pages.', kept: false }, sharingLabels),
];
