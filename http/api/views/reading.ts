// Read history and the want-to-read queue as shown on the wire.
import type { History } from '../../../core/reading/history.js';
import type { Wanted } from '../../../core/reading/want-to-read.js';
import type { Wire } from '../../surface/wire.js';
import type { History as HistorySchema, Wanted as WantedSchema } from '../schemas/reading.js';
import { instant, instantOrNull } from './time.js';

export const historyView = ({ count, lastCompletedAt, entries }: History): Wire<typeof HistorySchema> => ({
  readCount: count,
  lastCompletedAt: instantOrNull(lastCompletedAt),
  entries: entries.map((entry) => ({
    id: entry.id,
    bookId: entry.bookId,
    startedAt: instant(entry.startedAt),
    completedAt: instant(entry.completedAt),
  })),
});

export const wantedView = (entry: Wanted): Wire<typeof WantedSchema> => ({
  id: entry.id,
  itemType: entry.bookId === null ? 'series' : 'book',
  bookId: entry.bookId,
  seriesId: entry.seriesId,
  addedAt: instant(entry.addedAt),
});
