// People, publishers and languages of the series that the caller sees, each with how many of those series have it.
import Type from 'typebox';
import { type Facet, listFacet, listFacetWithBooks } from '../../../core/catalog/facets.js';
import { listPeople } from '../../../core/catalog/people.js';
import { AUTHOR_ROLES } from '../../../core/model/metadata.js';
import { ok } from '../../surface/replies.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { listOf, uuid } from '../../surface/schemas.js';
import { pagingQuery, windowOf } from '../schemas/fields.js';
import { FacetPage, PersonPage } from '../schemas/people.js';
import { pageReply } from '../views/paging.js';

const SEARCH_MAX = 200;

const search = Type.Optional(
  Type.String({ maxLength: SEARCH_MAX, description: 'Part of the name; case and accents do not matter.' }),
);

const peopleQuery = Type.Object({
  ...pagingQuery.properties,
  search,
  role: Type.Optional(
    listOf(Type.Enum([...AUTHOR_ROLES], { expected: `one of ${AUTHOR_ROLES.join(', ')}` }), { commas: true }),
  ),
  libraryId: Type.Optional(uuid),
  seriesId: Type.Optional(uuid),
});

const facetQuery = Type.Object({
  ...pagingQuery.properties,
  search,
  includeBooks: Type.Optional(
    Type.Boolean({
      expected: 'true or false',
      description: 'Adds values that only books have, not their series; these count no series.',
    }),
  ),
});

const facetRow = (facet: Facet, path: string, about: string): Route =>
  route({
    id: `${path}.list`,
    method: 'GET',
    path: `/${path}`,
    access: 'SeriesRead',
    kept: true,
    query: facetQuery,
    reply: ok(FacetPage),
    about,
    run: async (ctx, { query }) => {
      const args = [ctx.viewer, facet, query.search, windowOf(query)] as const;
      const page =
        query.includeBooks === true
          ? await listFacetWithBooks(partsFor(ctx), ...args)
          : await listFacet(listReads(ctx), ...args);
      return pageReply(ctx, page, ({ name, seriesCount }) => ({ name, seriesCount }));
    },
  });

export const PEOPLE_ROUTES: readonly Route[] = [
  route({
    id: 'people.list',
    method: 'GET',
    path: '/people',
    access: 'SeriesRead',
    kept: true,
    query: peopleQuery,
    reply: ok(PersonPage),
    fails: ['NotFound'],
    about:
      'Who made the series and their books, by name, with the roles they have there; those of one series or library if asked for.',
    run: async (ctx, { query }) => {
      const { search, role: roles, libraryId, seriesId } = query;
      const place = { libraryIds: libraryId === undefined ? undefined : [libraryId], seriesId };
      const page = await listPeople(partsFor(ctx), ctx.viewer, { search, roles, place }, windowOf(query));
      return pageReply(ctx, page, ({ name, roles, seriesCount }) => ({ name, roles, seriesCount }));
    },
  }),
  facetRow('publisher', 'publishers', 'Publishers of the series by name; names that differ only in case are one.'),
  facetRow('language', 'languages', 'Languages of the series, as the series name them.'),
];
