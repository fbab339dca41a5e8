// The want-to-read list: all entries at once, and their books and series as they scroll into view.
import {
  type Book,
  booksGet,
  type Series,
  seriesGet,
  type WantToReadEntry,
  wantedBooksRemove,
  wantedBulk,
  wantedList,
  wantedOrder,
  wantedSeriesRemove,
} from './api.js';
import type { RequestOptions } from './lists.js';

export const WANTED_ORDERS = ['newest', 'oldest', 'custom'] as const;
export type WantedOrder = (typeof WANTED_ORDERS)[number];

export const wantedEntries = async (sort: WantedOrder, opts: RequestOptions): Promise<readonly WantToReadEntry[]> =>
  (await wantedList({ sort }, opts)).items;

/** What an entry stands for; null if it has gone meanwhile. */
const itemOf = async ({ bookId, seriesId }: WantToReadEntry, opts: RequestOptions): Promise<Book | Series | null> => {
  try {
    const found =
      bookId === null ? await seriesGet({ id: seriesId ?? '' }, opts) : await booksGet({ id: bookId }, opts);
    return found as Book | Series;
  } catch (thrown) {
    if (opts.signal.aborted) throw thrown;
    return null;
  }
};

/** Requests at a time. */
const AT_ONCE = 6;

export const itemsOf = async (
  entries: readonly WantToReadEntry[],
  opts: RequestOptions,
): Promise<readonly (Book | Series | null)[]> => {
  const found: (Book | Series | null)[] = entries.map(() => null);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < entries.length; at = next++) {
      const entry = entries[at];
      if (entry !== undefined) found[at] = await itemOf(entry, opts);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
};

export const orderWanted = (entryIds: string[]): Promise<unknown> => wantedOrder({ body: { entryIds } });

export const dropWanted = ({ bookId, seriesId }: WantToReadEntry): Promise<unknown> =>
  bookId === null ? wantedSeriesRemove({ id: seriesId ?? '' }) : wantedBooksRemove({ id: bookId });

const keyOf = ({ bookId, seriesId }: WantToReadEntry): string => bookId ?? seriesId ?? '';

/** The whole list as it is now, to restore it later. */
export const wantedNow = (): Promise<readonly WantToReadEntry[]> =>
  wantedEntries('custom', { signal: new AbortController().signal });

/** Adds the entries that have been removed since, each at its place. They become new entries, with other ids. */
export const restoreWanted = async (before: readonly WantToReadEntry[]): Promise<readonly WantToReadEntry[]> => {
  const left = new Set((await wantedNow()).map(keyOf));
  const gone = before.filter((entry) => !left.has(keyOf(entry)));
  await wantedBulk({
    body: {
      bookIds: gone.flatMap(({ bookId }) => bookId ?? []),
      seriesIds: gone.flatMap(({ bookId, seriesId }) => (bookId === null ? (seriesId ?? []) : [])),
    },
  });
  const idOf = new Map((await wantedNow()).map((entry) => [keyOf(entry), entry.id]));
  const restored = before.flatMap((entry) => {
    const id = idOf.get(keyOf(entry));
    return id === undefined ? [] : [{ ...entry, id }];
  });
  await orderWanted(restored.map(({ id }) => id));
  return restored;
};
