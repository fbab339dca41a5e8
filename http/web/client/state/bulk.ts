// What is done with several books and series at once: by the routes of the API that take many, and else one by one, a few at a time.
import {
  booksBulkRead,
  booksBulkUnread,
  seriesBulkRead,
  seriesBulkUnread,
  wantedBooksRemove,
  wantedBulk,
  wantedSeriesRemove,
} from './api.js';
import { isBook } from './lists.js';
import { allMembers, type Member, type NamedList, restoreTo, rowsOf } from './named-lists.js';
import { restoreWanted, wantedNow } from './wanted.js';

export interface Outcome {
  /** Those for which it did not work, and why not. */
  readonly failed: ReadonlySet<string>;
  readonly thrown: unknown;
  readonly undo?: () => Promise<unknown>;
}

const WORKED: Outcome = { failed: new Set(), thrown: null };

export type Progress = (done: number, all: number) => void;
export type Work = (items: readonly Member[], progress: Progress) => Promise<Outcome>;

const idsOf = (items: readonly Member[]) => {
  const bookIds = items.filter(isBook).map(({ id }) => id);
  const seriesIds = items.filter((item) => !isBook(item)).map(({ id }) => id);
  return { bookIds, seriesIds };
};

const marking =
  (
    books: (asked: { body: { bookIds: string[] } }) => Promise<unknown>,
    series: (asked: { body: { seriesIds: string[] } }) => Promise<unknown>,
  ): Work =>
  async (items) => {
    const { bookIds, seriesIds } = idsOf(items);
    await Promise.all([
      bookIds.length > 0 && books({ body: { bookIds } }),
      seriesIds.length > 0 && series({ body: { seriesIds } }),
    ]);
    return WORKED;
  };

export const markRead = marking(booksBulkRead, seriesBulkRead);
export const markUnread = marking(booksBulkUnread, seriesBulkUnread);

export const addWanted: Work = async (items) => {
  await wantedBulk({ body: idsOf(items) });
  return WORKED;
};

/** Requests at a time. */
const AT_ONCE = 4;

/** One request for each; what fails is told at the end, and the others are done nevertheless. */
export const eachOf = async <T extends { readonly id: string }>(
  items: readonly T[],
  send: (item: T) => Promise<unknown>,
  progress: Progress,
): Promise<Outcome> => {
  const failed = new Set<string>();
  let thrown: unknown = null;
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item === undefined) continue;
      try {
        await send(item);
      } catch (one) {
        failed.add(item.id);
        thrown = one;
      }
      done += 1;
      progress(done, items.length);
    }
  };
  progress(0, items.length);
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { failed, thrown };
};

const oneByOne =
  (send: (item: Member) => Promise<unknown>): Work =>
  (items, progress) =>
    eachOf(items, send, progress);

const dropWanted = oneByOne((item) =>
  isBook(item) ? wantedBooksRemove({ id: item.id }) : wantedSeriesRemove({ id: item.id }),
);

export const removeWanted: Work = async (items, progress) => {
  const before = await wantedNow();
  return { ...(await dropWanted(items, progress)), undo: () => restoreWanted(before) };
};

export const dropFrom =
  (list: NamedList): Work =>
  async (items, progress) => {
    const rows = rowsOf(list.kind);
    const before = list.ordered ? await allMembers(list, { signal: new AbortController().signal }) : items;
    const outcome = await eachOf(items, ({ id }) => rows.drop(list.id, id), progress);
    const dropped = items.filter(({ id }) => !outcome.failed.has(id)).map(({ id }) => id);
    return {
      ...outcome,
      undo: () =>
        restoreTo(
          list,
          dropped,
          before.map(({ id }) => id),
        ),
    };
  };
