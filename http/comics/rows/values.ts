// What series and books can be filtered by: people, terms, publishers and other values, as far as the caller sees something that has them.
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { ageRatings, type Carrier, facetValues, releaseYears, termNames } from '../../../core/catalog/facets.js';
import { listCredits, listPeople, listRoles, type PeopleAsk } from '../../../core/catalog/people.js';
import type { Place } from '../../../core/catalog/places.js';
import type { TermKind } from '../../../core/catalog/taxonomy-links.js';
import type { Window } from '../../../core/model/paging.js';
import { placeWithQueue } from '../../../core/reading/app-lists.js';
import { listTags } from '../../../core/sharing/tags.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { text } from '../../surface/wire.js';
import { askedIn, ids, oneId, pagingFields, values } from '../query.js';
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

const valueRow = (path: string, about: string, values: (ctx: Ask, place: Place) => Promise<readonly string[]>): Route =>
  route({
    id: `comics.${path.replaceAll('/', '.')}`,
    method: 'GET',
    path: `/api/v1/${path}`,
    access: 'SeriesRead',
    kept: true,
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

type Read<T> = (
  ctx: Ask,
  query: PeopleQuery,
  window: Window,
) => Promise<{ readonly items: readonly T[]; readonly total: number }>;

const pageRow = <T>(path: string, item: Parameters<typeof pageOf>[1], read: Read<T>, about: string): Route =>
  route({
    id: `comics.v2.${path.replaceAll('/', '.')}`,
    method: 'GET',
    path: `/api/v2/${path}`,
    access: 'SeriesRead',
    kept: true,
    query: peopleQuery,
    reply: ok(
      pageOf(
        `Comic${path
          .split('/')
          .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
          .join('')}Page`,
        item,
      ),
    ),
    fails: ['NotFound'],
    about,
    run: async (ctx, { query }) => {
      const { window, isWhole } = askedIn(query);
      const { items, total } = await read(ctx, query, isWhole ? ALL : window);
      const size = isWhole ? Math.max(items.length, window.pageSize) : window.pageSize;
      const wrapped = { page: isWhole ? 0 : window.page - 1, size, count: items.length, total, isSorted: true };
      return json(200, { ...pageView(wrapped), content: items });
    },
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
    (await ageRatings(listReads(ctx), ctx.viewer, place)).map((age) => (age === null ? 'None' : String(age))),
  ),
  valueRow('series/release-dates', 'Release years of series, latest first.', async (ctx, place) =>
    (await releaseYears(listReads(ctx), ctx.viewer, place)).map(String),
  ),
  route({
    id: 'comics.sharing-labels',
    method: 'GET',
    path: '/api/v1/sharing-labels',
    access: 'SeriesRead',
    query: placeQuery,
    reply: ok(Type.Array(text('family'))),
    about: 'Sharing tags, for administrators. Others get none, since the tags tell what is hidden from whom.',
    run: async (ctx) => {
      if (!ctx.viewer.administers) return json(200, []);
      return json(
        200,
        (await listTags(listReads(ctx), ALL)).items.map(({ name }) => name),
      );
    },
  }),
  listRow('authors', Author, credits, 'People credited in series and books, once for each role.'),
  listRow('authors/names', text('Ann Writer'), people, 'The names of the same people.'),
  listRow('authors/roles', text('writer'), allRoles, 'The roles of these people.'),
  pageRow('authors', Author, credits, 'The same, in pages.'),
  pageRow('authors/names', text('Ann Writer'), people, 'Names, in pages.'),
  pageRow('authors/roles', text('writer'), allRoles, 'Roles, in pages.'),
];
