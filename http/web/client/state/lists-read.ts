// The read list from which each book was last opened in this browser, so that the start page goes on in that list.
import { loadItem, saveItem } from './local-storage.js';
import { session } from './session.js';

/** The books of the longest ago are forgotten. */
const BOOKS_MAX = 200;

type Entry = readonly [bookId: string, listId: string];

const key = (): string => {
  const now = session.peek();
  return `longbox.lists-read.${now.kind === 'user' ? now.me.id : ''}`;
};

const entries = (): readonly Entry[] => {
  try {
    const stored: unknown = JSON.parse(loadItem(key()) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one): one is Entry => Array.isArray(one) && one.length === 2) : [];
  } catch {
    return []; // somebody else wrote it
  }
};

export const listReadWith = (bookId: string): string | undefined => entries().find(([id]) => id === bookId)?.[1];

/** `listId`: null for a book that was opened by itself. */
export const saveListRead = (bookId: string, listId: string | null): void => {
  const others = entries().filter(([id]) => id !== bookId);
  const updated: readonly Entry[] = listId === null ? others : [[bookId, listId], ...others];
  saveItem(key(), JSON.stringify(updated.slice(0, BOOKS_MAX)));
};
