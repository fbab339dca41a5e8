// What clients that follow events are told, as values. One value is shared by everybody who is told of it.
import type { ScanProgress } from '../scan/status.js';
import type { TaskState } from '../tasks/task.js';

export const STREAMS = ['entities', 'tasks', 'scans'] as const;

export type StreamName = (typeof STREAMS)[number];

interface Common {
  readonly at: number;
  /** Who caused it; null: the server itself. */
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

/** What was told before may no longer hold, and nobody can say what: whoever follows has to read it all again. */
export interface Resync {
  readonly type: 'resync';
  readonly at: number;
}

export type News = BookNews | SeriesNews | LibraryNews | CoverNews | TaskNews | ScanNews | Resync;

/** News with its place among all news of its stream. */
export interface Told {
  readonly ordinal: number;
  readonly news: News;
}
