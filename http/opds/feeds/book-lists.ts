// Feeds of books that every user has: in progress, on deck, new. Like every feed, they contain only books that can be read now.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import type { Book } from '../../../core/catalog/books.js';
import { listBooks, READY } from '../../../core/catalog/list-books.js';
import type { PageOf, Window } from '../../../core/model/paging.js';
import { readyInProgress } from '../../../core/reading/in-progress.js';
import { readyOnDeck } from '../../../core/reading/on-deck.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import type { Ctx } from '../../surface/route.js';
import { type FeedRows, feedRows } from '../dialect.js';
import { feedOf, nameOf } from '../feed.js';
import { pagingFields, windowOf } from '../paging.js';
import { ownPath } from '../place.js';
import { bookEntries } from '../published.js';
import { UP } from './home.js';

export interface BookList {
  readonly id: string;
  readonly title: string;
  readonly paths: readonly [string, ...string[]];
  readonly about: string;
  readonly read: (ctx: Ctx<Caller>, window: Window) => Promise<PageOf<Book>>;
}

export const BOOK_LISTS: readonly BookList[] = [
  {
    id: 'keep-reading',
    title: 'Keep Reading',
    paths: ['/keep-reading', '/in-progress'],
    about: 'Books the caller has begun and not finished, most recently read first.',
    read: (ctx, window) => readyInProgress(listReads(ctx), ctx.viewer, window, ctx.app.rows),
  },
  {
    id: 'ondeck',
    title: 'On Deck',
    paths: ['/ondeck', '/on-deck'],
    about: 'The first unread book of each series with a finished book and none in progress.',
    read: (ctx, window) => readyOnDeck(listReads(ctx), ctx.viewer, window, ctx.app.rows),
  },
  {
    id: 'recent',
    title: 'Recent Additions',
    paths: ['/recent', '/books/latest'],
    about: 'Books, most recently added first.',
    read: (ctx, window) =>
      listBooks(partsFor(ctx), ctx.viewer, {
        where: READY,
        order: { sort: 'created_at', descending: true },
        window,
      }),
  },
];

export const BOOK_LIST_FEEDS: readonly FeedRows[] = BOOK_LISTS.map(({ id, title, paths, about, read }) =>
  feedRows({
    id,
    paths,
    access: 'BooksRead',
    query: Type.Object(pagingFields),
    about,
    make: async (ctx, { query }) => {
      const found = await read(ctx, windowOf(query));
      return feedOf({
        id: nameOf(paths[0]),
        title,
        kind: 'acquisition',
        path: ownPath(ctx),
        up: UP,
        page: found,
        entries: await bookEntries(ctx, found.items),
      });
    },
  }),
);
