// Events as apps of the comic-server API know them: a name, and the ids of what changed.
import type { CoverNews, ListNews, News, ReadingNews } from '../../../core/events/news.js';
import type { TaskCount } from '../../../core/scan/visible-tasks.js';
import { idText } from './text.js';

interface Event {
  readonly name: string;
  readonly data: object;
}

type Of<T extends News['type']> = Extract<News, { readonly type: T }>;

const bookData = ({ bookId, seriesId, libraryId }: Of<'book_updated'>) => ({
  bookId: idText(bookId),
  seriesId: idText(seriesId),
  libraryId: idText(libraryId),
});
const seriesData = ({ seriesId, libraryId }: Of<'series_updated'>) => ({
  seriesId: idText(seriesId),
  libraryId: idText(libraryId),
});
const libraryData = ({ libraryId }: Of<'library_updated'>) => ({ libraryId: idText(libraryId) });

const as =
  <T extends News>(name: string, data: (news: T) => object) =>
  (news: T): Event => ({ name, data: data(news) });

const LISTS = {
  collection: { name: 'Collection', cover: 'ThumbnailSeriesCollection', id: 'collectionId', members: 'seriesIds' },
  read_list: { name: 'ReadList', cover: 'ThumbnailReadList', id: 'readListId', members: 'bookIds' },
} as const;

const listEvent =
  (end: 'Added' | 'Changed' | 'Deleted') =>
  ({ listKind, listId, memberIds }: ListNews): Event => {
    const { name, id, members } = LISTS[listKind];
    return { name: `${name}${end}`, data: { [id]: idText(listId), [members]: memberIds.map(idText) } };
  };

const READ = {
  book: { name: 'ReadProgress', id: 'bookId' },
  series: { name: 'ReadProgressSeries', id: 'seriesId' },
} as const;

const readingEvent =
  (end: 'Changed' | 'Deleted') =>
  ({ entityType, readId, userId }: ReadingNews): Event => {
    const { name, id } = READ[entityType];
    return { name: `${name}${end}`, data: { [id]: idText(readId), userId: idText(userId) } };
  };

const COVERS: Readonly<Record<CoverNews['entityType'], (news: CoverNews) => Event | null>> = {
  book: ({ entityId, seriesId }) => ({
    name: 'ThumbnailBookAdded',
    data: { bookId: idText(entityId), seriesId: idText(seriesId ?? ''), selected: true },
  }),
  series: ({ entityId }) => ({
    name: 'ThumbnailSeriesAdded',
    data: { seriesId: idText(entityId), selected: true },
  }),
  library: () => null,
};

/** Changes without a counterpart in that API are not reported. */
const EVENTS: { readonly [T in News['type']]: ((news: Of<T>) => Event | null) | null } = {
  book_created: as('BookAdded', bookData),
  book_updated: as('BookChanged', bookData),
  book_deleted: as('BookDeleted', bookData),
  series_created: as('SeriesAdded', seriesData),
  series_updated: as('SeriesChanged', seriesData),
  series_deleted: as('SeriesDeleted', seriesData),
  library_created: as('LibraryAdded', libraryData),
  library_updated: as('LibraryChanged', libraryData),
  library_deleted: as('LibraryDeleted', libraryData),
  cover_updated: (news) => COVERS[news.entityType](news),
  list_created: listEvent('Added'),
  list_updated: listEvent('Changed'),
  list_deleted: listEvent('Deleted'),
  list_cover_updated: ({ listKind, listId }) => {
    const { cover, id } = LISTS[listKind];
    return { name: `${cover}Added`, data: { [id]: idText(listId), selected: true } };
  },
  reading_updated: readingEvent('Changed'),
  reading_deleted: readingEvent('Deleted'),
  task_progress: null,
  scan_progress: null,
  resync: null,
};

export const eventOf = <T extends News['type']>(news: Of<T>): readonly Event[] => {
  const make = EVENTS[news.type as T];
  const event = make === null ? null : make(news);
  return event === null ? [] : [event];
};

const OPEN: ReadonlySet<string> = new Set(['pending', 'running']);

export const queueOf = (counts: readonly TaskCount[]): Event => {
  const countByType: Record<string, number> = {};
  for (const { type, state, count } of counts)
    if (OPEN.has(state)) countByType[type] = (countByType[type] ?? 0) + count;
  const count = Object.values(countByType).reduce((sum, one) => sum + one, 0);
  return { name: 'TaskQueueStatus', data: { count, countByType } };
};

/** Apps ask for the login again. */
export const expiredOf = (userId: string): Event => ({ name: 'SessionExpired', data: { userId: idText(userId) } });

export const frameOf = ({ name, data }: Event): string => `event:${name}\ndata:${JSON.stringify(data)}\n\n`;
