// Reading without saving progress. It lasts until it is switched off, in the next book and after a reload too, but only in this window.
import { effect, type Signal, signal } from '@preact/signals';

/** Holds the id of the user: another user who signs in here starts with it off. */
const NAME = 'longbox.incognito';

const saved = (): string | null => {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null; // storage may be refused: then it lasts until the page is left
  }
};

const save = (userId: string | null): void => {
  try {
    if (userId === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, userId);
  } catch {
    // kept in memory only
  }
};

let current: { readonly userId: string; readonly isOn: Signal<boolean> } | undefined;

export const incognitoOf = (userId: string): Signal<boolean> => {
  if (current?.userId === userId) return current.isOn;
  const isOn = signal(saved() === userId);
  current = { userId, isOn };
  effect(() => save(isOn.value ? userId : null));
  return isOn;
};
