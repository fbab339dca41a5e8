// One search over series, books, people, collections and read lists.
import Type from 'typebox';
import { searchEverything } from '../../../core/catalog/search/everything.js';
import { ok } from '../../surface/replies.js';
import { partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { foundReply } from '../found.js';
import { firstOf, limitFields } from '../schemas/fields.js';
import { SearchResults } from '../schemas/search.js';

const TEXT_MAX = 1000;

export const SEARCH_ROUTES: readonly Route[] = [
  route({
    id: 'search.everything',
    method: 'GET',
    path: '/search',
    access: ['SeriesRead', 'BooksRead', 'CollectionsRead', 'ReadListsRead'],
    kept: true,
    query: Type.Object({
      q: Type.String({
        maxLength: TEXT_MAX,
        expected: `text of at most ${TEXT_MAX} characters`,
        description: 'What to search for. A text without letters, digits or symbols finds nothing.',
      }),
      ...limitFields,
    }),
    reply: ok(SearchResults),
    about:
      'Series, books, people, collections and read lists that match a text: the first of each kind, and the total of each. Series and books are sorted by relevance, as in /series/list and /books/list; people are found by parts of their names, collections and read lists by words of their names, and these three are sorted by name.',
    run: async (ctx, { query }) => {
      const { pageSize } = firstOf(query);
      return foundReply(ctx, await searchEverything(partsFor(ctx), ctx.viewer, query.q, pageSize));
    },
  }),
];
