// The books before and after the current one, in its read list or its series, without those that the reader wants to skip.
import { useComputed, useSignalEffect } from '@preact/signals';
import { type Book, type BookDetail, booksAdjacent, booksGet, readlistsPlace } from '../state/api.js';
import { statusOf } from '../state/api-errors.js';
import { groupedOf } from './open-book.js';
import type { Neighbours, Reading } from './reading.js';
import { type GroupChange, groupChanges } from './rules/group-change.js';
import type { Settings } from './rules/settings.js';

type Skips = Pick<Settings, 'skipRead' | 'skipDuplicates'>;

type Found = Omit<Neighbours, 'changes'>;

const NO_CHANGES: Neighbours['changes'] = { prev: [], next: [] };

const askBooks = async (id: string, skips: Skips, signal: AbortSignal): Promise<Found> => {
  const { skipRead, skipDuplicates } = skips;
  const asked = booksAdjacent({ id }, { signal });
  if (!skipRead && !skipDuplicates) return { ...(await asked), beside: await asked };
  const [beside, found] = await Promise.all([asked, booksAdjacent({ id, skipRead, skipDuplicates }, { signal })]);
  return { ...found, beside };
};

/** Undefined if the list has gone, or the book is not in it any more: one reads on in the series then. */
const askList = async (
  id: string,
  bookId: string,
  skips: Skips,
  signal: AbortSignal,
): Promise<Neighbours | undefined> => {
  try {
    const { prev, next, ...place } = await readlistsPlace({ id, bookId, ...skips }, { signal });
    return { ...(prev && { prev }), ...(next && { next }), place, beside: {}, changes: NO_CHANGES };
  } catch (thrown) {
    if (statusOf(thrown) === 404 || statusOf(thrown) === 403 || statusOf(thrown) === 400) return undefined;
    throw thrown;
  }
};

/** None if the book's metadata cannot be loaded. */
const changesTo = async (
  book: Book | undefined,
  { opened }: Reading,
  signal: AbortSignal,
): Promise<readonly GroupChange[]> => {
  if (book === undefined) return [];
  try {
    const { metadata } = (await booksGet({ id: book.id }, { signal })) as BookDetail;
    return groupChanges(opened.grouped, groupedOf(book, metadata));
  } catch {
    return [];
  }
};

const askNeighbours = async (reading: Reading, skips: Skips, signal: AbortSignal): Promise<Neighbours> => {
  const { listId, opened } = reading;
  const inList = listId === null ? undefined : await askList(listId, opened.book.id, skips, signal);
  if (inList !== undefined) return inList;
  const found = await askBooks(opened.book.id, skips, signal);
  const [prev, next] = await Promise.all([
    changesTo(found.prev, reading, signal),
    changesTo(found.next, reading, signal),
  ]);
  return { ...found, changes: { prev, next } };
};

export const useNeighbours = (reading: Reading): void => {
  const skipRead = useComputed(() => reading.stored.all.value.skipRead);
  const skipDuplicates = useComputed(() => reading.stored.all.value.skipDuplicates);
  useSignalEffect(() => {
    void reading.neighbourRetries.value;
    const control = new AbortController();
    const skips = { skipRead: skipRead.value, skipDuplicates: skipDuplicates.value };
    askNeighbours(reading, skips, control.signal).then(
      (found) => {
        if (!control.signal.aborted) reading.neighbours.value = found;
      },
      () => {
        if (!control.signal.aborted) reading.neighbours.value = { beside: {}, changes: NO_CHANGES, hasFailed: true };
      },
    );
    return () => control.abort();
  });
};
