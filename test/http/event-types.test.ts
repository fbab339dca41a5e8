// The types of events that shipped clients are compiled for: what our schemas describe is one of them, or this file does not compile. What is
// sent is held against the schemas by whoever follows a stream in a test (events/listener.ts).
import type { Static, TSchema } from 'typebox';
import type {
  BookEvent,
  CoverEvent,
  LibraryEvent,
  ScanEvent,
  SeriesEvent,
  TaskEvent,
} from '../../http/api/schemas/events.js';
import { EVENTS } from '../../http/api/schemas/events.js';
import { newsView } from '../../http/api/views/events.js';
import { faultsIn } from '../described.js';
import { assert, block } from '../kit.js';
import { UNKNOWN_ID } from './row-bodies.js';
import type { ScanDto } from './scan-type.js';

type OfSeries = { libraryId: string; seriesId: string };
type OfBook = OfSeries & { bookId: string };

type EntityDto = (
  | (OfBook & { type: 'book_created' | 'book_deleted' })
  | (OfBook & { fields?: string[] | null; type: 'book_updated' })
  | (OfSeries & { type: 'series_created' | 'series_deleted' })
  | (OfSeries & { fields?: string[] | null; type: 'series_updated' })
  | { entityId: string; entityType: 'book' | 'series' | 'library'; libraryId?: string | null; type: 'cover_updated' }
  | { libraryId: string; type: 'library_updated' | 'library_deleted' }
  // That of a new library stands in the contract alone.
  | { libraryId: string; type: 'library_created' }
) & { timestamp: string; userId?: string | null };

interface TaskDto {
  bookId?: string | null;
  completedAt?: string | null;
  error?: string | null;
  libraryId?: string | null;
  progress?: { current: number; message?: string | null; total: number };
  seriesId?: string | null;
  startedAt: string;
  // Clients know the first four; a cancelled task is told as well.
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  taskId: string;
  taskType: string;
}

/** What the contract shows of a book event and of a task event, in its own spelling. */
interface ShownBook {
  type: string;
  book_id: string;
  series_id: string;
  library_id: string;
  timestamp: string;
}

interface ShownTask {
  task_id: string;
  task_type: string;
  status: string;
  progress?: { current: number; total: number; message: string };
}

type Fit<Expected, S extends TSchema> = Static<S> extends Expected ? true : never;

/** Compiles only if each of them fits. */
const FITS: readonly [
  Fit<EntityDto, typeof BookEvent>,
  Fit<EntityDto, typeof SeriesEvent>,
  Fit<EntityDto, typeof LibraryEvent>,
  Fit<EntityDto, typeof CoverEvent>,
  Fit<TaskDto, typeof TaskEvent>,
  Fit<ScanDto, typeof ScanEvent>,
  Fit<ShownBook, typeof BookEvent>,
  Fit<ShownTask, typeof TaskEvent>,
] = [true, true, true, true, true, true, true, true];

block('types of clients: events', (check) => {
  check('what is described is what clients expect', () => assert.is(FITS.length, 8));
  check('every schema refuses what lacks a field, or has one in one spelling alone', () => {
    const by = { key: 1, id: UNKNOWN_ID };
    const ids = { bookId: UNKNOWN_ID, seriesId: UNKNOWN_ID, libraryId: UNKNOWN_ID };
    const book = newsView({ type: 'book_created', ...ids, at: 0, by });
    assert.equal(faultsIn(EVENTS.book, book), []);
    for (const name of Object.keys(book))
      assert.ok(faultsIn(EVENTS.book, { ...book, [name]: undefined }).length > 0, name);
    assert.ok(faultsIn(EVENTS.book, { ...book, extra: 1 }).length > 0);
    const task = newsView({
      type: 'task_progress',
      taskId: UNKNOWN_ID,
      taskType: 'x',
      status: 'running',
      progress: { current: 1, total: 2 },
      error: null,
      startedAt: 0,
      completedAt: null,
      libraryId: null,
      seriesId: null,
      bookId: null,
    });
    assert.equal(faultsIn(EVENTS.task, task), []);
    const progress = { current: 1, total: 2, message: null };
    assert.ok(faultsIn(EVENTS.task, { ...task, progress }).length > 0, 'a message that is no text');
  });
});
