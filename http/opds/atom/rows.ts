// Rows that only OPDS 1.2 has: the search and its description, one book, and the pages of a book as a feed.
import Type from 'typebox';
import { bookById } from '../../../core/catalog/books.js';
import { AppError } from '../../../core/model/errors.js';
import { media } from '../../surface/replies.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { searchFeed, searchQuery } from '../feeds/search.js';
import { OPENSEARCH } from '../media-types.js';
import { pagingFields, windowOf } from '../paging.js';
import { ownPath, placeOf } from '../place.js';
import { published } from '../published.js';
import { ATOM } from './dialect.js';
import { atomFeed, atomPublication } from './feed.js';
import { pagesFeed } from './pages-feed.js';
import { searchDescription } from './search-description.js';

const NAME = 'application.name';

export const ATOM_ROWS: readonly Route[] = [
  route({
    id: 'opds.search-description',
    method: 'GET',
    path: '/search.xml',
    access: 'public',
    reply: { 200: media(OPENSEARCH) },
    about: 'The OpenSearch description of the catalogue.',
    run: (ctx) => searchDescription(placeOf(ctx), ctx.app.settings.value(NAME)),
  }),
  route({
    id: 'opds.search',
    method: 'GET',
    path: '/search',
    access: ['SeriesRead', 'BooksRead'],
    query: searchQuery,
    reply: { 200: media(...ATOM.types, OPENSEARCH) },
    about: 'The 20 best series, then the 20 best books; without search words, the OpenSearch description.',
    run: async (ctx, { query }) => {
      const sent = new URLSearchParams(ctx.request.query);
      if (!sent.has('q') && !sent.has('query')) return searchDescription(placeOf(ctx), ctx.app.settings.value(NAME));
      return atomFeed(placeOf(ctx), await searchFeed(ctx, query));
    },
  }),
  route({
    id: 'opds.book',
    method: 'GET',
    path: '/books/{id}',
    access: 'BooksRead',
    kept: true,
    params: byId,
    reply: { 200: media(...ATOM.types) },
    about: 'One book.',
    run: async (ctx, { params }) => {
      const [publication] = await published(ctx, [await bookById(listReads(ctx), ctx.viewer, params.id)]);
      if (publication === undefined) throw new AppError('NotFound', 'There is no book with this id.');
      return atomPublication(placeOf(ctx), publication);
    },
  }),
  route({
    id: 'opds.pages',
    method: 'GET',
    path: '/books/{id}/pages',
    access: 'PagesRead',
    kept: true,
    params: byId,
    query: Type.Object(pagingFields),
    reply: { 200: media(...ATOM.types) },
    about: 'The pages of a book, each with a link to its image.',
    run: async (ctx, { params, query }) => {
      const book = await bookById(listReads(ctx), ctx.viewer, params.id);
      return pagesFeed(placeOf(ctx), book, ownPath(ctx), windowOf(query));
    },
  }),
];
