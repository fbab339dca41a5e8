// What a reader has done, as answers show it: progress records, read history, marks, the queue of what to read.
import Type from 'typebox';
import { id, orNull, record, text, time, whole, word } from '../../surface/wire.js';
import { Progress } from './book.js';

export const ProgressRecords = record('ProgressRecords', {
  progress: Type.Array(Progress),
  total: whole(1, 'The number of records in all.'),
});

export const Marked = record('Marked', { count: whole(12), message: text('Marked 12 books as read') });

/** ReadHistoryResponse. */
export const History = record('ReadHistory', {
  readCount: whole(1),
  lastCompletedAt: orNull(time()),
  entries: Type.Array(record('ReadThrough', { id: id(), bookId: id(), startedAt: time(), completedAt: time() })),
});

/** A Readium progression document, as an app stored it. */
export const Progression = Type.Record(Type.String(), Type.Unknown(), {
  component: 'Progression',
  examples: [{ locator: { href: 'chapter1.xhtml', locations: { totalProgression: 0.25 } } }],
});

/** WantToReadEntryDto. */
export const Wanted = record('WantToReadEntry', {
  id: id(),
  itemType: word(['series', 'book']),
  bookId: orNull(id()),
  seriesId: orNull(id()),
  addedAt: time(),
});

export const WantedList = record('WantToReadList', { items: Type.Array(Wanted), total: whole(1) });

export const WantedMany = record('WantToReadAdded', { added: whole(2), alreadyPresent: whole(1) });
