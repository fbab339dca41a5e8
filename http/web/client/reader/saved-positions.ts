// Positions in books that the server has not stored yet: kept in the browser until they can be sent.
import { progressPut } from '../state/api.js';
import { statusOf } from '../state/api-errors.js';
import { type Position, ProgressReporter, type ReportResult } from './rules/progress-reporter.js';

const PREFIX = 'longbox.place';

const keyOf = (userId: string, bookId: string): string => `${PREFIX}.${userId}.${bookId}`;

const load = (key: string): Position | undefined => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (typeof value !== 'object' || value === null || !('page' in value) || !('atMs' in value)) return undefined;
    const { page, atMs } = value;
    if (typeof page !== 'number' || typeof atMs !== 'number') return undefined;
    const offset = 'offset' in value && typeof value.offset === 'number' ? { offset: value.offset } : {};
    return { page, ...offset, atMs };
  } catch {
    return undefined; // storage is refused, or somebody else wrote there
  }
};

const save = (key: string, position: Position | undefined): void => {
  try {
    if (position === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(position));
  } catch {
    // it is sent while the page is open
  }
};

/** Another attempt would get the same answer. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && ![401, 408, 429].includes(status);

/** A position that is sent later than this comes with the time at which it was read; otherwise the server's own clock is better. */
const AT_ONCE_MS = 5_000;

const send = async (bookId: string, { page, offset, atMs }: Position, isLast: boolean): Promise<ReportResult> => {
  const isLate = Date.now() - atMs > AT_ONCE_MS;
  // With a place inside it, the last page is not read to its end yet.
  const within = offset === undefined ? {} : { pageOffset: offset, isCompleted: false };
  const body = { currentPage: page, ...within, ...(isLate ? { modified: new Date(atMs).toISOString() } : {}) };
  try {
    await progressPut({ id: bookId, body }, isLast ? { keepalive: true } : {});
    return 'stored';
  } catch (thrown) {
    return isFinal(statusOf(thrown)) ? 'refused' : 'undelivered';
  }
};

const wait = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export const savedPosition = (userId: string, bookId: string): Position | undefined => load(keyOf(userId, bookId));

export const progressReporter = (userId: string, bookId: string): ProgressReporter => {
  const key = keyOf(userId, bookId);
  const parts = {
    send: (position: Position, isLast: boolean) => send(bookId, position, isLast),
    save: (position: Position | undefined) => save(key, position),
    nowMs: Date.now,
    wait,
  };
  return new ProgressReporter(parts, load(key));
};

/** Sends the positions in other books that earlier visits could not send. */
export const reportOthers = async (userId: string, exceptBookId: string): Promise<void> => {
  const prefix = keyOf(userId, '');
  const books = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((bookId) => bookId !== exceptBookId);
  for (const bookId of books) {
    const position = savedPosition(userId, bookId);
    if (position !== undefined && (await send(bookId, position, false)) === 'undelivered') return;
    save(keyOf(userId, bookId), undefined);
  }
};
