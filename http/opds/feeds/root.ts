// The start of a catalogue: what there is to browse, and the beginnings of the lists that readers look at first.
import type { Caller } from '../../../core/access/caller.js';
import type { Ctx } from '../../surface/route.js';
import { feedRows } from '../dialect.js';
import { type FeedLink, feedOf, type Group, linkEntry, nameOf } from '../feed.js';
import { firstFew } from '../paging.js';
import { bookEntries } from '../published.js';
import { BOOK_LISTS, type BookList } from './book-lists.js';
import { UP } from './home.js';

interface Shelf extends FeedLink {
  readonly about: string;
  readonly isNew?: true;
}

const shelf = (title: string, path: string, kind: FeedLink['kind'], about: string): Shelf => ({
  title,
  path,
  kind,
  about,
});

const SHELVES: readonly Shelf[] = [
  shelf('Keep Reading', '/keep-reading', 'acquisition', 'Books you have begun'),
  shelf('On Deck', '/ondeck', 'acquisition', 'The next book of each series you read'),
  shelf('Want to Read', '/want-to-read', 'acquisition', 'Your queue'),
  { ...shelf('Recent Additions', '/recent', 'acquisition', 'The newest books'), isNew: true },
  shelf('Latest Series', '/series/latest', 'navigation', 'The newest series'),
  shelf('All Libraries', '/libraries', 'navigation', 'Browse by library'),
  shelf('All Series', '/series', 'navigation', 'Browse by series'),
  shelf('Series by Letter', '/letters', 'navigation', 'Browse by first letter'),
  shelf('Collections', '/collections', 'navigation', 'Browse by collection'),
  shelf('Read Lists', '/readlists', 'navigation', 'Browse by read list'),
  shelf('Genres', '/genres', 'navigation', 'Browse by genre'),
  shelf('Publishers', '/publishers', 'navigation', 'Browse by publisher'),
  shelf('Languages', '/languages', 'navigation', 'Browse by language'),
  shelf('Authors', '/authors', 'navigation', 'Browse by author'),
];

const GROUP_SIZE = 10;

const groupOf = async (ctx: Ctx<Caller>, list: BookList): Promise<Group> => {
  const { items, total } = await list.read(ctx, firstFew(GROUP_SIZE));
  const link: FeedLink = { title: list.title, path: list.paths[0], kind: 'acquisition' };
  return { link, total, entries: await bookEntries(ctx, items) };
};

export const ROOT_FEED = feedRows({
  id: 'root',
  paths: ['', '/catalog'],
  access: 'SeriesRead',
  // The name of the server is a setting.
  kept: false,
  about: 'The root feed of the catalogue.',
  make: async (ctx, _, { hasGroups }) => {
    const isReader = ctx.viewer.permissions.has('BooksRead');
    const lists = hasGroups && isReader ? BOOK_LISTS : [];
    const groups = await Promise.all(lists.map((list) => groupOf(ctx, list)));
    return feedOf({
      id: nameOf('/'),
      title: ctx.app.settings.value('application.name'),
      kind: 'navigation',
      path: UP.path,
      entries: SHELVES.map((one) => linkEntry({ ...one, id: nameOf(one.path) })),
      groups: groups.filter(({ entries }) => entries.length > 0),
    });
  },
});
