// Book, page and progress as shown on the wire: the only place with their wire names.
import type { Book } from '../../../core/catalog/books.js';
import { mediaOf } from '../../../core/model/media.js';
import { displayNumber } from '../../../core/model/numbers.js';
import { contentRect, type Insets } from '../../../core/model/page-insets.js';
import { PAGE_FAULTS, type PageTable } from '../../../core/model/page-table.js';
import { type Progress, progressOf } from '../../../core/reading/progress.js';
import type { Wire } from '../../surface/wire.js';
import type { Book as BookSchema, PageOfBook, Progress as ProgressSchema } from '../schemas/book.js';
import { instant, instantOrNull } from './time.js';

/** Reading progress record of the API: snake case on input only, camel case here. */
export const progressView = (userId: string, progress: Progress): Wire<typeof ProgressSchema> => ({
  id: progress.id,
  bookId: progress.bookId,
  userId,
  currentPage: progress.currentPage,
  pageOffset: progress.pageOffset,
  completed: progress.completed,
  completedAt: instantOrNull(progress.completedAt),
  progressPercentage: progress.percentage,
  startedAt: instant(progress.startedAt),
  updatedAt: instant(progress.updatedAt),
});

/** Omitted when absent: the contract does not allow null here. */
const ownProgress = (userId: string, book: Book) => {
  const progress = progressOf(book);
  return progress === undefined ? undefined : progressView(userId, progress);
};

/** BookDto. */
export const bookView =
  (userId: string) =>
  (book: Book): Wire<typeof BookSchema> => ({
    id: book.id,
    libraryId: book.libraryId,
    libraryName: book.libraryName,
    seriesId: book.seriesId,
    seriesName: book.seriesName,
    title: book.title,
    titleSort: book.titleSort,
    number: book.number,
    displayNumber: displayNumber(book.issueNumber),
    volume: book.volume,
    chapter: book.chapter,
    pageCount: book.pageCount,
    fileFormat: book.format,
    epubKind: book.epubKind,
    fileSize: book.fileSize,
    fileHash: book.fileHash,
    koreaderHash: book.koreaderHash,
    path: book.path,
    analyzed: book.analyzed,
    analysisError: book.analysisError,
    deleted: book.deleted,
    readingDirection: book.readingDirection,
    summary: book.summary,
    wantToRead: book.wanted,
    readProgress: ownProgress(userId, book),
    createdAt: instant(book.createdAt),
    updatedAt: instant(book.updatedAt),
  });

/** A page id is stable while the book keeps its pages: the book's id with the page number in its last digits. */
const pageId = (bookId: string, number: number): string => bookId.slice(0, -6) + number.toString(16).padStart(6, '0');

interface ListedPages {
  readonly table: PageTable | null;
  /** Undefined unless borders were asked for. */
  readonly insets?: readonly Insets[];
}

/** The plain array of GET /books/{id}/pages; `fault` says why a page cannot be shown. */
export const pagesView = (bookId: string, { table, insets }: ListedPages): readonly Wire<typeof PageOfBook>[] => {
  if (table === null) return [];
  return table.names().map((name, index) => {
    const entry = table.entry(index);
    const known = entry !== undefined && entry.width > 0 && entry.height > 0;
    const around = insets?.[index];
    return {
      id: pageId(bookId, index + 1),
      bookId,
      pageNumber: index + 1,
      fileName: name,
      fileFormat: mediaOf(entry?.media ?? 0).extension,
      fileSize: entry?.size ?? 0,
      width: known ? entry.width : null,
      height: known ? entry.height : null,
      contentBox: known && around !== undefined ? contentRect(entry.width, entry.height, around) : null,
      fault: PAGE_FAULTS[entry?.fault ?? 0] ?? null,
    };
  });
};
