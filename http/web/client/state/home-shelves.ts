// What the start page shows first. It is requested before anything is drawn: on a slow device, drawing an empty page first, and then the same
// page with its covers, takes a fifth longer than drawing it once.
import type { Book } from './api.js';
import { inProgress, onDeck, type RecentlyAdded, type RequestOptions, recentlyAdded } from './lists.js';

export interface HomeShelves {
  readonly reading: readonly Book[];
  readonly next: readonly Book[];
  readonly added: RecentlyAdded;
}

const fetchShelves = async (opts: RequestOptions): Promise<HomeShelves> => {
  const [reading, next, added] = await Promise.all([inProgress(opts), onDeck(opts), recentlyAdded(opts)]);
  return { reading, next, added };
};

/** Requested ahead and not taken yet; `value` is set once the answer is there. */
let ahead: { readonly answer: Promise<HomeShelves>; value?: HomeShelves } | null = null;

/** Requests them and waits, but not for long: on a slow network, something is drawn meanwhile. An error is left to whoever takes them. */
export const askAhead = async (patienceMs: number): Promise<void> => {
  const one: NonNullable<typeof ahead> = { answer: fetchShelves({ signal: new AbortController().signal }) };
  ahead = one;
  const kept = one.answer.then(
    (value) => {
      one.value = value;
    },
    () => undefined,
  );
  await Promise.race([kept, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
};

/** What was requested ahead, if it is there; only once. */
export const takeReady = (): HomeShelves | undefined => {
  const value = ahead?.value;
  if (value !== undefined) ahead = null;
  return value;
};

export const homeShelves = (opts: RequestOptions): Promise<HomeShelves> => {
  const answer = ahead?.answer ?? fetchShelves(opts);
  ahead = null;
  return answer;
};
