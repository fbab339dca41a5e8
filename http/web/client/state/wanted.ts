// The want-to-read list: all entries at once, and their books and series as they scroll into view.
import { type Book, booksGet, type Series, seriesGet, type WantToReadEntry, wantedList, wantedOrder } from './api.js';
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
