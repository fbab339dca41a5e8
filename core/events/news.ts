// Events as values, shared by all clients that get them.
import type { ScanProgress } from '../scan/status.js';
import type { TaskState } from '../tasks/task.js';

export const STREAMS = ['entities', 'tasks', 'scans'] as const;

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

export type News = BookNews | SeriesNews | LibraryNews | CoverNews | TaskNews | ScanNews | Resync;

/** An event with its ordinal among all events of its stream. */
export interface Told {
  readonly ordinal: number;
  readonly news: News;
}
