// Events on the wire. Ids are written in both spellings: clients read the one or the other.
import type {
  BookNews,
  CoverNews,
  LibraryNews,
  News,
  Resync,
  ScanNews,
  SeriesNews,
  TaskNews,
} from '../../../core/events/news.js';
import { scanView } from './library.js';
import { instant, instantOrNull } from './time.js';

type Values = Readonly<Record<string, unknown>>;

const both = (name: string, value: unknown): Values => {
  const parts = name.split('_');
  const camel = parts.map((part, at) => (at === 0 ? part : part.slice(0, 1).toUpperCase() + part.slice(1))).join('');
  return { [name]: value, [camel]: value };
};

const ofLibrary = ({ libraryId }: Pick<LibraryNews, 'libraryId'>): Values => both('library_id', libraryId);

const ofSeries = ({ seriesId, ...more }: Pick<SeriesNews, 'seriesId' | 'libraryId'>): Values => ({
  ...both('series_id', seriesId),
  ...ofLibrary(more),
});

const ofBook = ({ bookId, ...more }: BookNews): Values => ({ ...both('book_id', bookId), ...ofSeries(more) });

const ofCover = ({ entityType, entityId, libraryId }: CoverNews): Values => ({
  ...both('entity_type', entityType),
  ...both('entity_id', entityId),
  ...both('library_id', libraryId),
});

const idsOf = (news: BookNews | SeriesNews | LibraryNews | CoverNews): Values => {
  if ('bookId' in news) return ofBook(news);
  if ('seriesId' in news) return ofSeries(news);
  return 'entityId' in news ? ofCover(news) : ofLibrary(news);
};

const given = (name: string, value: string | null): Values => (value === null ? {} : both(name, value));

const taskView = (task: TaskNews): Values => ({
  type: task.type,
  ...both('task_id', task.taskId),
  ...both('task_type', task.taskType),
  status: task.status,
  ...(task.progress === null ? {} : { progress: { ...task.progress, message: null } }),
  error: task.error,
  ...both('started_at', instant(task.startedAt)),
  ...both('completed_at', instantOrNull(task.completedAt)),
  ...given('library_id', task.libraryId),
  ...given('series_id', task.seriesId),
  ...given('book_id', task.bookId),
});

/** Every scan of a stream has its type besides what an answer says of a scan. */
export const scanEventView = ({ type, scan }: ScanNews): Values => ({
  type,
  ...both('library_id', scan.libraryId),
  ...scanView(scan),
});

export const resyncView = ({ type, at }: Resync): Values => ({ type, timestamp: instant(at) });

/** Without who caused it: that is added for those who may know. */
export const newsView = (news: News): Values => {
  if (news.type === 'task_progress') return taskView(news);
  if (news.type === 'scan_progress') return scanEventView(news);
  if (news.type === 'resync') return resyncView(news);
  const fields = 'fields' in news ? { fields: news.fields } : {};
  return { type: news.type, ...idsOf(news), ...fields, timestamp: instant(news.at) };
};
