// Books with errors as answers show them.
import Type from 'typebox';
import { REMARK_TYPES } from '../../../core/model/jobs.js';
import { orNull, record, text, time, whole, word } from '../../surface/wire.js';
import { Book } from './book.js';

const BookError = record('BookError', {
  errorType: word(REMARK_TYPES),
  message: text('The file is damaged.'),
  details: orNull(Type.Object({ error: text('CorruptArchive') })),
  occurredAt: time(),
});

const Group = record('BookErrorGroup', {
  errorType: word(REMARK_TYPES),
  label: text('Reading the file'),
  count: whole(1),
  books: Type.Array(record('BookWithErrors', { book: Book, errors: Type.Array(BookError) })),
});

export const BookErrors = record('BookErrors', {
  totalBooksWithErrors: whole(1),
  errorCounts: Type.Record(Type.String(), Type.Integer(), { examples: [{ parser: 1 }] }),
  groups: Type.Array(Group),
  page: whole(1),
  pageSize: whole(50),
  totalPages: whole(1),
});
