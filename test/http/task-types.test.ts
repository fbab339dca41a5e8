// The types that shipped clients are compiled for, of libraries, tasks, scans and work on libraries: what our schemas describe is one of them, or this
// file does not compile.
import Type, { type Static, type TSchema } from 'typebox';
import { ROUTES } from '../../http/api/rows/index.js';
import { Library, LibraryPage, Scan, ScanPreview } from '../../http/api/schemas/library.js';
import { Purged, Reprocessed, Task, TaskMade, TaskPage, TaskRecord, TaskStats } from '../../http/api/schemas/tasks.js';
import { Message } from '../../http/api/schemas/user.js';
import { assert, block } from '../kit.js';
import type { ScanDto } from './scan-type.js';

interface TaskDto {
  attempts: number;
  bookId?: string | null;
  bookTitle?: string | null;
  completedAt?: string | null;
  createdAt: string;
  id: string;
  lastError?: string | null;
  libraryId?: string | null;
  libraryName?: string | null;
  lockedBy?: string | null;
  lockedUntil?: string | null;
  maxAttempts: number;
  params?: unknown;
  priority: number;
  result?: unknown;
  scheduledFor: string;
  seriesId?: string | null;
  seriesTitle?: string | null;
  startedAt?: string | null;
  status: string;
  taskType: string;
}

interface Counts {
  completed: number;
  failed: number;
  pending: number;
  processing: number;
  stale: number;
  total: number;
}

interface PreviewDto {
  detectedSeries: {
    bookCount: number;
    metadata?: { author?: string | null; publisher?: string | null };
    name: string;
    path?: string | null;
    sampleBooks: string[];
  }[];
  totalFiles: number;
}

interface LibraryDto {
  allowedFormats?: string[] | null;
  autoMatchConditions?: unknown;
  bookConfig?: unknown;
  bookCount?: number | null;
  bookStrategy: 'filename' | 'metadata_first' | 'smart' | 'series_name' | 'custom';
  createdAt: string;
  defaultReadingDirection: string;
  description?: string | null;
  excludedPatterns?: string | null;
  id: string;
  isActive: boolean;
  lastScannedAt?: string | null;
  name: string;
  numberConfig?: unknown;
  numberStrategy: 'file_order' | 'metadata' | 'filename' | 'smart';
  path: string;
  scanningConfig?: {
    cronSchedule?: string | null;
    cronTimezone?: string | null;
    enabled: boolean;
    purgeDeletedOnScan?: boolean;
    scanMode: string;
    scanOnStart?: boolean;
  };
  seriesConfig?: unknown;
  seriesCount?: number | null;
  seriesStrategy: 'series_volume' | 'series_volume_chapter' | 'flat' | 'publisher_hierarchy' | 'calibre' | 'custom';
  titlePreprocessingRules?: unknown;
  updatedAt: string;
}

interface LibraryPageDto {
  data: LibraryDto[];
  links: { self: string; first: string; last: string; next?: string | null; prev?: string | null };
  page: number;
  pageSize: number;
  total: number;
  totalPages: number;
}

interface ReprocessedDto {
  message: string;
  success: boolean;
  taskIds: string[];
  tasksEnqueued: number;
}

type Fit<Expected, S extends TSchema> = Static<S> extends Expected ? true : never;

/** Compiles only if each of them fits. */
const FITS: readonly [
  Fit<TaskDto, typeof TaskRecord>,
  Fit<Counts & { byType: Record<string, Counts> }, typeof TaskStats>,
  Fit<{ deleted: number }, typeof Purged>,
  Fit<{ taskId: string }, typeof TaskMade>,
  Fit<{ taskId: string }, typeof Task>,
  Fit<ScanDto, typeof Scan>,
  Fit<PreviewDto, typeof ScanPreview>,
  Fit<ReprocessedDto, typeof Reprocessed>,
  Fit<LibraryDto, typeof Library>,
  Fit<LibraryPageDto, typeof LibraryPage>,
  Fit<{ message: string }, typeof Message>,
] = [true, true, true, true, true, true, true, true, true, true, true];

const SCHEMAS: Readonly<Record<string, TSchema>> = {
  'GET /tasks': Type.Union([Type.Array(TaskRecord), TaskPage]),
  'POST /tasks': TaskMade,
  'DELETE /tasks/nuke': Purged,
  'DELETE /tasks/purge': Purged,
  'GET /tasks/stats': TaskStats,
  'GET /tasks/{id}': TaskRecord,
  'POST /tasks/{id}/cancel': Message,
  'POST /tasks/{id}/retry': Message,
  'POST /tasks/{id}/unlock': Message,
  'POST /books/{id}/analyze': Task,
  'POST /books/{id}/analyze-unanalyzed': Task,
  'POST /libraries/{id}/analyze': TaskMade,
  'POST /libraries/{id}/analyze-unanalyzed': TaskMade,
  'POST /series/{id}/analyze': Task,
  'POST /series/{id}/analyze-unanalyzed': Task,
  'POST /series/{id}/renumber': TaskMade,
  'POST /libraries/{id}/scan': Scan,
  'GET /libraries/{id}/scan-status': Scan,
  'GET /scans/active': Type.Array(Scan),
  'POST /libraries/preview-scan': ScanPreview,
  'GET /libraries': LibraryPage,
  'GET /libraries/{id}': Library,
  'PATCH /libraries/{id}': Library,
  'PUT /libraries/{id}': Library,
  'POST /libraries/{id}/series/titles/reprocess': Reprocessed,
  'POST /series/titles/reprocess': Reprocessed,
  'POST /series/{id}/title/reprocess': Reprocessed,
  'POST /books/thumbnails/generate': TaskMade,
  'POST /books/{id}/thumbnail/generate': TaskMade,
  'POST /libraries/{id}/books/thumbnails/generate': TaskMade,
  'POST /libraries/{id}/series/thumbnails/generate': TaskMade,
  'POST /series/thumbnails/generate': TaskMade,
  'POST /series/{id}/thumbnail/generate': TaskMade,
};

block('types of clients: tasks and scans', (check) => {
  for (const [row, schema] of Object.entries(SCHEMAS))
    check(`${row}: answers with the schema that was compared`, () =>
      assert.equal(ROUTES.find(({ method, path }) => `${method} ${path}` === row)?.reply[200], schema),
    );
  check('what is described is what clients expect', () => assert.is(FITS.length, 11));
});
