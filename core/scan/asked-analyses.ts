// Analyses that a person asks for: of a book, of the books of a series, each with all of them or only with those never analysed.
import { type ResolvedKind, resolve } from '../catalog/public-ids.js';
import { andVisibleInSeries } from '../catalog/visibility.js';
import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { keysIn } from '../store/feed.js';
import type { TaskOptions } from '../tasks/runner.js';
import type { AnalysisRequests, Requested } from './requests.js';

interface Analyser {
  readonly db: Db;
  readonly analyses: AnalysisRequests;
}

export interface AnalysisAsk {
  /** Leaves out books that have been analysed. */
  readonly isUnanalysedOnly?: boolean;
  readonly options?: TaskOptions;
}

const BOOKS = {
  book: 'SELECT b.id FROM book b WHERE b.id = ? AND b.deleted = 0',
  series: 'SELECT b.id FROM book b WHERE b.series_id = ? AND b.deleted = 0',
} as const satisfies Partial<Record<ResolvedKind, string>>;

const TYPES = { book: 'analyze_book', series: 'analyze_series' } as const;

/** For a book that is gone, or that was analysed. */
const nothingToDo = async (db: Db, bookKey: number): Promise<AppError> => {
  const gone = await db.all('SELECT 1 FROM book WHERE id = ? AND deleted = 1', [bookKey]);
  return new AppError(
    'BadRequest',
    gone.length > 0 ? 'The file of the book is gone.' : 'The book has already been analysed.',
  );
};

const analyse = async (
  { db, analyses }: Analyser,
  viewer: Viewer,
  kind: keyof typeof BOOKS,
  id: string,
  { isUnanalysedOnly = false, options }: AnalysisAsk,
): Promise<Requested> => {
  const { key } = await resolve(db, kind, id, viewer);
  const rows = await db.all<{ id: number }>(
    `${BOOKS[kind]}${isUnanalysedOnly ? ' AND b.analyzed = 0' : ''}${andVisibleInSeries(viewer.scope, 'b')}`,
    [key],
  );
  if (isUnanalysedOnly && kind === 'book' && rows.length === 0) throw await nothingToDo(db, key);
  return analyses.add(viewer.userKey, TYPES[kind], { kind, id }, keysIn(rows), options);
};

export const analyseBook = (parts: Analyser, viewer: Viewer, id: string, ask: AnalysisAsk = {}): Promise<Requested> =>
  analyse(parts, viewer, 'book', id, ask);

export const analyseSeries = (parts: Analyser, viewer: Viewer, id: string, ask: AnalysisAsk = {}): Promise<Requested> =>
  analyse(parts, viewer, 'series', id, ask);
