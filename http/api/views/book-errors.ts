// Books with errors, as shown on the wire: one group per kind of remark, over the books of one page.

import type { BookErrors } from '../../../core/catalog/book-errors.js';
import { REMARK_TYPES, type RemarkType } from '../../../core/model/jobs.js';
import { totalPagesOf } from '../../../core/model/paging.js';
import type { Wire } from '../../surface/wire.js';
import type { BookErrors as BookErrorsSchema } from '../schemas/book-errors.js';
import { bookView } from './book.js';
import { instant } from './time.js';

const LABELS: Readonly<Record<RemarkType, string>> = {
  format_detection: 'Format detection',
  parser: 'Reading the file',
  metadata: 'Metadata',
  thumbnail: 'Cover',
  page_extraction: 'Pages',
  pdf_rendering: 'PDF rendering',
  zero_pages: 'No pages',
  other: 'Other',
};

/** A book in a group carries only the remarks of that kind. */
export const bookErrorsView = (userId: string, found: BookErrors): Wire<typeof BookErrorsSchema> => {
  const view = bookView(userId);
  const groups = REMARK_TYPES.filter((type) => found.counts.has(type)).map((type) => ({
    errorType: type,
    label: LABELS[type],
    count: found.counts.get(type) ?? 0,
    books: found.books.flatMap((book) => {
      const errors = found.errors.filter((error) => error.bookKey === book.key && error.type === type);
      if (errors.length === 0) return [];
      return [
        {
          book: view(book),
          errors: errors.map(({ message, fault, occurredAt }) => ({
            errorType: type,
            message,
            details: fault === null ? null : { error: fault },
            occurredAt: instant(occurredAt),
          })),
        },
      ];
    }),
  }));
  return {
    totalBooksWithErrors: found.total,
    errorCounts: Object.fromEntries(found.counts),
    groups,
    page: found.page,
    pageSize: found.pageSize,
    totalPages: totalPagesOf(found.total, found.pageSize),
  };
};
