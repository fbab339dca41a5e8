// Events as values, shared by all clients that get them.
import type { ListKind } from '../catalog/collections/kinds.js';
import type { Permission } from '../model/permissions.js';
import type { ScanProgress } from '../scan/status.js';
import type { TaskState } from '../tasks/task.js';

/** `apps`: entities, and what clients that keep whole libraries are told besides. */
export const STREAMS = ['entities', 'tasks', 'scans', 'apps'] as const;

export type StreamName = (typeof STREAMS)[number];

interface Common {
  readonly at: number;
  /** The user who caused it; null for the server itself. */
  readonly by: { readonly key: number; readonly id: string } | null;
}

export interface BookNews extends Common {
  readonly type: 'book_created' | 'book_updated' | 'book_deleted';
  readonly bookId: string;
  readonly seriesId: string;
  readonly libraryId: string;
  readonly fields?: readonly string[];
}

export interface SeriesNews extends Common {
  readonly type: 'series_created' | 'series_updated' | 'series_deleted';
  readonly seriesId: string;
  readonly libraryId: string;
  readonly fields?: readonly string[];
}

export interface LibraryNews extends Common {
  readonly type: 'library_created' | 'library_updated' | 'library_deleted';
  readonly libraryId: string;
}

export interface CoverNews extends Common {
  readonly type: 'cover_updated';
  readonly entityType: 'book' | 'series' | 'library';
  readonly entityId: string;
  /** Of a book. */
  readonly seriesId?: string;
  readonly libraryId: string;
}

export interface TaskNews {
  readonly type: 'task_progress';
  readonly taskId: string;
  readonly taskType: string;
  readonly status: TaskState;
  readonly progress: { readonly current: number; readonly total: number } | null;
  readonly error: string | null;
  readonly startedAt: number;
  readonly completedAt: number | null;
  readonly libraryId: string | null;
  readonly seriesId: string | null;
  readonly bookId: string | null;
}

export interface ScanNews {
  readonly type: 'scan_progress';
  readonly scan: ScanProgress;
}

/** Earlier events may no longer hold, and it is unknown which: clients have to reload everything. */
export interface Resync {
  readonly type: 'resync';
  readonly at: number;
}

/** How far somebody has read a book. */
export interface ReadTo {
  /** From 1. */
  readonly page: number;
  readonly pageOffset: number | null;
  readonly completed: boolean;
  readonly updatedAt: number;
  readonly device: string | null;
}

/** What somebody read; for nobody else. */
export interface ReadingNews {
  readonly type: 'reading_updated' | 'reading_deleted';
  readonly entityType: 'book' | 'series';
  readonly readId: string;
  readonly seriesId: string;
  readonly onlyUserKey: number;
  readonly userId: string;
  readonly at: number;
  /** Of a book; null if it is unread, and for a series. */
  readonly readTo: ReadTo | null;
  /** Of a series: whether each book has an event of its own. */
  readonly areBooksNamed: boolean;
}

export interface ListNews {
  readonly type: 'list_created' | 'list_updated' | 'list_deleted';
  readonly listKind: ListKind;
  readonly listId: string;
  readonly memberIds: readonly string[];
}

export interface ListCoverNews {
  readonly type: 'list_cover_updated';
  readonly listKind: ListKind;
  readonly listId: string;
}

/** Told in every stream of entities. */
export type EntityNews = BookNews | SeriesNews | LibraryNews | CoverNews;

/** Told in the stream `apps`; of these, `entities` has what its own user read. */
export type AppNews = ReadingNews | ListNews | ListCoverNews;

export type News = EntityNews | TaskNews | ScanNews | Resync | AppNews;

export const isListNews = (news: News): news is ListNews | ListCoverNews => 'listId' in news;

/** Who follows a stream, and with which permissions. */
export interface Follower {
  readonly userKey: number;
  readonly permissions: ReadonlySet<Permission>;
}

const LIST_READ = { collection: 'CollectionsRead', read_list: 'ReadListsRead' } as const satisfies Record<
  ListKind,
  Permission
>;

/** Whether one of an audience may know: what all of it sees is decided before. */
export const mayHear = ({ userKey, permissions }: Follower, news: News): boolean => {
  if ('readId' in news) return news.onlyUserKey === userKey && permissions.has('ProgressRead');
  return 'listId' in news ? permissions.has(LIST_READ[news.listKind]) : true;
};

/** An event with its ordinal among all events of its stream. */
export interface Told {
  readonly ordinal: number;
  readonly news: News;
}
