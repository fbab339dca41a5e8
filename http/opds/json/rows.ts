// OPDS 2.0 as a format of feeds, and the rows that only it has: the search, and one book.
import { bookById } from '../../../core/catalog/books.js';
import { AppError } from '../../../core/model/errors.js';
import { media } from '../../surface/replies.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { type Dialect, feedRows } from '../dialect.js';
import { searchFeed, searchQuery } from '../feeds/search.js';
import { JSON_FEED, JSON_PUBLICATION } from '../media-types.js';
import { placeOf } from '../place.js';
import { published } from '../published.js';
import { jsonFeed, jsonPublication } from './feed.js';
import { PROGRESSION_ROWS } from './progression.js';

export const JSON_DIALECT: Dialect = { name: 'opds2', types: [JSON_FEED], hasGroups: true, feed: jsonFeed };

const SEARCH = feedRows({
  id: 'search',
  paths: ['/search'],
  access: ['SeriesRead', 'BooksRead'],
  query: searchQuery,
  about: 'The 20 best series and the 20 best books.',
  make: (ctx, { query }) => searchFeed(ctx, query),
});

export const JSON_ROWS: readonly Route[] = [
  ...SEARCH(JSON_DIALECT),
  ...PROGRESSION_ROWS,
  route({
    id: 'opds2.book',
    method: 'GET',
    path: '/books/{id}',
    access: 'BooksRead',
    kept: true,
    params: byId,
    reply: { 200: media(JSON_PUBLICATION) },
    about: 'One book.',
    run: async (ctx, { params }) => {
      const [publication] = await published(ctx, [await bookById(listReads(ctx), ctx.viewer, params.id)]);
      if (publication === undefined) throw new AppError('NotFound', 'There is no book with this id.');
      return jsonPublication(placeOf(ctx), publication);
    },
  }),
];
