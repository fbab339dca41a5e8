// Events in the wire format. Ids are written in both spellings, since some clients read one and some the other.
import {
  type BookNews,
  type CoverNews,
  isListNews,
  type LibraryNews,
  type News,
  type ReadingNews,
  type Resync,
  type ScanNews,
  type SeriesNews,
  type TaskNews,
} from '../../../core/events/news.js';
import type { Wire } from '../../surface/wire.js';
import {
  type BookEvent,
  type BothOf,
  type CoverEvent,
  camel,
  type LibraryEvent,
  type ReadEvent,
  type ResyncEvent,
  type ScanEvent,
  type SeriesEvent,
  type TaskEvent,
} from '../schemas/events.js';
import { scanView } from './library.js';
import { instant, instantOrNull } from './time.js';

const both = <N extends string, V>(name: N, value: V): Record<BothOf<N>, V> =>
  ({ [name]: value, [camel(name)]: value }) as Record<BothOf<N>, V>;

/** Without the user who caused it, which is added for those who may know. */
const ends = ({ at, ...news }: { readonly at: number; readonly fields?: readonly string[] }) => ({
  ...(news.fields === undefined ? {} : { fields: news.fields }),
  timestamp: instant(at),
});

const bookView = (news: BookNews): Wire<typeof BookEvent> => ({
  type: news.type,
  ...both('book_id', news.bookId),
  ...both('series_id', news.seriesId),
  ...both('library_id', news.libraryId),
  ...ends(news),
});

const seriesView = (news: SeriesNews): Wire<typeof SeriesEvent> => ({
  type: news.type,
  ...both('series_id', news.seriesId),
  ...both('library_id', news.libraryId),
  ...ends(news),
});

const libraryView = (news: LibraryNews): Wire<typeof LibraryEvent> => ({
  type: news.type,
  ...both('library_id', news.libraryId),
  ...ends(news),
});

const coverView = (news: CoverNews): Wire<typeof CoverEvent> => ({
  type: news.type,
  ...both('entity_type', news.entityType),
  ...both('entity_id', news.entityId),
  ...both('library_id', news.libraryId),
  ...ends(news),
});

const readView = ({ entityType, readId, seriesId, readTo, at }: ReadingNews): Wire<typeof ReadEvent> => ({
  type: 'read_progress_changed',
  ...both('book_id', entityType === 'book' ? readId : null),
  ...both('series_id', seriesId),
  ...both('current_page', readTo?.page ?? null),
  ...both('page_offset', readTo?.pageOffset ?? null),
  completed: readTo?.completed ?? false,
  ...both('updated_at', instantOrNull(readTo?.updatedAt ?? null)),
  device: readTo?.device ?? null,
  timestamp: instant(at),
});

const progressView = ({ current, total }: NonNullable<TaskNews['progress']>) => ({
  current,
  total,
  message: `${current} of ${total}`,
});

const taskView = (task: TaskNews): Wire<typeof TaskEvent> => ({
  type: task.type,
  ...both('task_id', task.taskId),
  ...both('task_type', task.taskType),
  status: task.status,
  ...(task.progress === null ? {} : { progress: progressView(task.progress) }),
  error: task.error,
  ...both('started_at', instant(task.startedAt)),
  ...both('completed_at', instantOrNull(task.completedAt)),
  ...(task.libraryId === null ? {} : both('library_id', task.libraryId)),
  ...(task.seriesId === null ? {} : both('series_id', task.seriesId)),
  ...(task.bookId === null ? {} : both('book_id', task.bookId)),
});

/** The scan as in other responses, plus the event type. */
export const scanEventView = ({ type, scan }: ScanNews): Wire<typeof ScanEvent> => ({
  type,
  library_id: scan.libraryId,
  ...scanView(scan),
});

export const resyncView = ({ type, at }: Resync): Wire<typeof ResyncEvent> => ({ type, timestamp: instant(at) });

export const newsView = (news: News): object => {
  if (news.type === 'task_progress') return taskView(news);
  if (news.type === 'scan_progress') return scanEventView(news);
  if (news.type === 'resync') return resyncView(news);
  if ('readId' in news) return readView(news);
  if (isListNews(news)) throw new Error(`${news.type} is not told in this stream`);
  if ('entityId' in news) return coverView(news);
  if ('bookId' in news) return bookView(news);
  return 'seriesId' in news ? seriesView(news) : libraryView(news);
};
