// Who is signed in. Tokens are in cookies that no script sees; an access token that has expired is renewed, and a session that has ended is
// asked for again: whatever was going on waits until somebody signed in, and then goes on.
import { signal } from '@preact/signals';
import { authLogin, authLogout, authMe, authRefresh, defaults, type Me, setupInitialize } from './api.js';
import { drop, keep, kept } from './kept.js';
import { BASE } from './place.js';

export type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'nobody' }
  /** `isEnded`: the page stays as it is, and asks for the password. */
  | { readonly kind: 'user'; readonly me: Me; readonly isEnded: boolean };

export const session = signal<Session>({ kind: 'unknown' });

/** Those whose session ended, waiting for the next. */
let waiting: (() => void)[] = [];

/** Whether somebody has signed in with this browser: if not, the door need not ask the server who it is. */
const KNOWN = 'longbox.known';

/** How often somebody came in, by a password or by a renewal. */
let renewals = 0;

const entered = (me: Me): void => {
  renewals += 1;
  keep(KNOWN, 'yes');
  session.value = { kind: 'user', me, isEnded: false };
  const waited = waiting;
  waiting = [];
  for (const goOn of waited) goOn();
};

/** One renewal at a time; those who come meanwhile get its result. */
let renewal: Promise<boolean> | null = null;

const renewed = (): Promise<boolean> => {
  renewal ??= authRefresh({ body: {} }, { fetch: plainFetch })
    .then(({ user }) => {
      entered(user);
      return true;
    })
    .catch((thrown: unknown) => {
      if (statusOf(thrown) === 401) return false;
      throw thrown;
    })
    .finally(() => {
      renewal = null;
    });
  return renewal;
};

const signedInAgain = (): Promise<void> => {
  const { value } = session;
  if (value.kind !== 'user') return Promise.reject(new SignedOut());
  session.value = { ...value, isEnded: true };
  return new Promise((goOn) => waiting.push(goOn));
};

/** Nobody is signed in, and nobody was. */
export class SignedOut extends Error {}

/** The status of an answer that is an error; 0 when there was no answer. */
export const statusOf = (thrown: unknown): number => {
  const status = typeof thrown === 'object' && thrown !== null && 'status' in thrown ? thrown.status : 0;
  return typeof status === 'number' ? status : 0;
};

/** What the server says about an error, for people; null where it says nothing. */
export const sentenceOf = (thrown: unknown): string | null => {
  const answer = typeof thrown === 'object' && thrown !== null && 'data' in thrown ? thrown.data : null;
  const message = typeof answer === 'object' && answer !== null && 'message' in answer ? answer.message : null;
  return typeof message === 'string' ? message : null;
};

const plainFetch: typeof fetch = (input, init) => fetch(input, { ...init, credentials: 'same-origin' });

/** Answers of the API: with a session that is renewed, or asked for again, when it has ended. */
export const apiFetch: typeof fetch = async (input, init) => {
  const first = await plainFetch(input, init);
  if (first.status !== 401) return first;
  if (await renewed()) {
    const second = await plainFetch(input, init);
    if (second.status !== 401) return second;
  }
  await signedInAgain();
  return plainFetch(input, init);
};

/** For what the browser loads by itself: makes sure that there is a session, and asks for one if need be. */
export const renewOrAsk = async (): Promise<void> => {
  await authMe();
};

/** Whoever asks within this time gets the same answer: many pictures may fail at once. */
const SAME_MS = 3000;
let asked: { readonly ms: number; readonly answer: Promise<boolean> } | null = null;

/** Whether the session is the same as before: false when it was renewed just now. */
export const stillSignedIn = (): Promise<boolean> => {
  const now = performance.now();
  if (asked !== null && now - asked.ms < SAME_MS) return asked.answer;
  const before = renewals;
  asked = { ms: now, answer: renewOrAsk().then(() => renewals === before) };
  return asked.answer;
};

defaults.baseUrl = BASE.href.replace(/\/$/, '');
defaults.fetch = apiFetch;

/** Called once, at the start. */
export const findSession = async (isAtDoor: boolean): Promise<void> => {
  if (isAtDoor && kept(KNOWN) === null) {
    session.value = { kind: 'nobody' };
    return;
  }
  try {
    entered(await authMe());
  } catch (thrown) {
    if (!(thrown instanceof SignedOut)) throw thrown;
    session.value = { kind: 'nobody' };
  }
};

export const signIn = async (username: string, password: string): Promise<void> => {
  const { user } = await authLogin({ body: { username, password, cookie: true } }, { fetch: plainFetch });
  entered(user);
};

export const setUp = async (wanted: { username: string; email: string; password: string }): Promise<void> => {
  const { user } = await setupInitialize({ body: { ...wanted, cookie: true } }, { fetch: plainFetch });
  entered(user);
};

export const signOut = async (): Promise<void> => {
  try {
    await authLogout({ body: {} }, { fetch: plainFetch });
  } catch (thrown) {
    if (statusOf(thrown) !== 401) throw thrown; // it has ended already
  }
  waiting = [];
  drop(KNOWN);
  session.value = { kind: 'nobody' };
};

/** What the person may do, by the role and by permissions of their own. */
const MAINTAINING = new Set(['maintainer', 'admin']);
export const mayMaintain = ({ role }: Me): boolean => MAINTAINING.has(role);
export const mayAdminister = ({ role }: Me): boolean => role === 'admin';
