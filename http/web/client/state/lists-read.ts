// The read list from which each book was last opened, so that the start page goes on in that list: one of a person's preferences, so that
// each of their devices has it. This browser has a copy, and what the server does not have yet.
import { signal } from '@preact/signals';
import { preferencesPut } from './api.js';
import type { RequestOptions } from './lists.js';
import { loadItem, saveItem } from './local-storage.js';
import { preferenceValue } from './preference.js';
import { session } from './session.js';

const KEY = 'web.lists_read';
/** The oldest entries are dropped. */
const BOOKS_MAX = 200;

type Entry = readonly [bookId: string, listId: string];
/** `listId`: null for a book that was opened by itself. */
type Change = readonly [bookId: string, listId: string | null];

interface Copy {
  readonly entries: readonly Entry[];
  readonly unsent: readonly Change[];
}

/** Ids come from addresses, which anybody may have written. */
const isId = (value: unknown): value is string => typeof value === 'string' && /^[\da-f-]{36}$/i.test(value);
const isPair = (one: unknown): one is readonly [unknown, unknown] => Array.isArray(one) && one.length === 2;
const isEntry = (one: unknown): one is Entry => isPair(one) && one.every(isId);
const isChange = (one: unknown): one is Change => isPair(one) && isId(one[0]) && (one[1] === null || isId(one[1]));

const entriesIn = (value: unknown): readonly Entry[] => (Array.isArray(value) ? value.filter(isEntry) : []);

const withChange = (entries: readonly Entry[], [bookId, listId]: Change): readonly Entry[] => {
  const others = entries.filter(([id]) => id !== bookId);
  return (listId === null ? others : [[bookId, listId] as const, ...others]).slice(0, BOOKS_MAX);
};

const withChanges = (entries: readonly Entry[], changes: readonly Change[]): readonly Entry[] =>
  changes.reduce(withChange, entries);

const userNow = (): string => {
  const now = session.peek();
  return now.kind === 'user' ? now.me.id : '';
};

const copyKey = (userId: string): string => `longbox.lists-read.${userId}`;

/** How often a copy has changed since the page was loaded: cards are drawn again then. */
const copyVersion = signal(0);

/** An older version stored a list of entries, which the server never had. */
const copyIn = (value: unknown): Copy => {
  if (Array.isArray(value)) return { entries: [], unsent: entriesIn(value).toReversed() };
  const { entries, unsent } = (value ?? {}) as Partial<Record<keyof Copy, unknown>>;
  return { entries: entriesIn(entries), unsent: Array.isArray(unsent) ? unsent.filter(isChange) : [] };
};

const copyOf = (userId: string): Copy => {
  try {
    return copyIn(JSON.parse(loadItem(copyKey(userId)) ?? 'null'));
  } catch {
    return { entries: [], unsent: [] }; // somebody else wrote it
  }
};

const saveCopy = (userId: string, copy: Copy): void => {
  const text = JSON.stringify(copy);
  if (text === loadItem(copyKey(userId))) return;
  saveItem(copyKey(userId), text);
  copyVersion.value += 1;
};

export const listReadWith = (bookId: string): string | undefined => {
  copyVersion.value; // whoever asks is drawn again when a copy changes
  const { entries, unsent } = copyOf(userNow());
  return withChanges(entries, unsent).find(([id]) => id === bookId)?.[1];
};

class OtherUser extends Error {}

/** Of whom this page knows what other devices have stored. */
let fetchedFor: string | null = null;

/** Fetches what other devices have stored, and sends what they do not know. Everything is of the user who was signed in at the beginning. */
const synchronize = async (userId: string, opts: RequestOptions | undefined): Promise<void> => {
  const value = await preferenceValue(KEY, opts);
  if (userNow() !== userId) throw new OtherUser();
  const { unsent } = copyOf(userId);
  const entries = withChanges(entriesIn(value), unsent);
  if (JSON.stringify(entries) !== JSON.stringify(entriesIn(value)))
    await preferencesPut({ key: KEY, body: { value: entries } });
  const later = copyOf(userId).unsent.filter((one) => !unsent.some(([id, list]) => id === one[0] && list === one[1]));
  saveCopy(userId, { entries, unsent: later });
  fetchedFor = userId;
};

/** One after the other, for each user: a request may wait until its user signs in again. */
let latest: { readonly userId: string; readonly end: Promise<void> } | null = null;

export const fetchListsRead = (opts?: RequestOptions): Promise<void> => {
  const userId = userNow();
  const before = latest?.userId === userId ? latest.end : Promise.resolve();
  const end = before.then(() => synchronize(userId, opts)).catch(() => undefined); // without a network: next time
  latest = { userId, end };
  return end;
};

/** `listId`: null for a book that was opened by itself. */
export const saveListRead = (bookId: string, listId: string | null): void => {
  const userId = userNow();
  if (listId === null && fetchedFor === userId && listReadWith(bookId) === undefined) return;
  const { entries, unsent } = copyOf(userId);
  saveCopy(userId, { entries, unsent: [...unsent.filter(([id]) => id !== bookId), [bookId, listId]] });
  fetchListsRead();
};
