// The place in a book, told to the server by a keeper, and kept in the browser while it cannot be told.
import { progressPut } from '../state/api.js';
import { statusOf } from '../state/session.js';
import { type Place, ProgressKeeper, type Told } from './rules/progress-keeper.js';

const PREFIX = 'longbox.place';

const keyOf = (userId: string, bookId: string): string => `${PREFIX}.${userId}.${bookId}`;

const readKept = (key: string): Place | undefined => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (typeof value !== 'object' || value === null || !('page' in value) || !('atMs' in value)) return undefined;
    const { page, atMs } = value;
    return typeof page === 'number' && typeof atMs === 'number' ? { page, atMs } : undefined;
  } catch {
    return undefined; // storage is refused, or somebody else wrote there
  }
};

const writeKept = (key: string, place: Place | undefined): void => {
  try {
    if (place === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(place));
  } catch {
    // it is told as long as the page is open
  }
};

/** What the server answers to every attempt. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && ![401, 408, 429].includes(status);

/** Told later than this, a place comes with the time at which it was read; the clock of the server is right otherwise. */
const AT_ONCE_MS = 5_000;

const tell = async (bookId: string, { page, atMs }: Place, isLast: boolean): Promise<Told> => {
  const isLate = Date.now() - atMs > AT_ONCE_MS;
  const body = { currentPage: page, ...(isLate ? { modified: new Date(atMs).toISOString() } : {}) };
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

export const keptPlace = (userId: string, bookId: string): Place | undefined => readKept(keyOf(userId, bookId));

export const placeKeeper = (userId: string, bookId: string): ProgressKeeper => {
  const key = keyOf(userId, bookId);
  const parts = {
    tell: (place: Place, isLast: boolean) => tell(bookId, place, isLast),
    keep: (place: Place | undefined) => writeKept(key, place),
    nowMs: Date.now,
    wait,
  };
  return new ProgressKeeper(parts, readKept(key));
};

/** Places in other books that earlier visits could not tell. */
export const tellOthers = async (userId: string, exceptBookId: string): Promise<void> => {
  const prefix = keyOf(userId, '');
  const books = Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((bookId) => bookId !== exceptBookId);
  for (const bookId of books) {
    const place = keptPlace(userId, bookId);
    if (place !== undefined && (await tell(bookId, place, false)) === 'undelivered') return;
    writeKept(keyOf(userId, bookId), undefined);
  }
};
