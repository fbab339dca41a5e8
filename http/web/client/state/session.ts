// Who is signed in. Tokens are in cookies that no script sees. An access token that has expired is renewed. When a session has ended, the
// user is asked to sign in again; requests wait for that, and then continue.
import { signal } from '@preact/signals';
import {
  authLogin,
  authLogout,
  authMe,
  authRefresh,
  authRegister,
  authResetPassword,
  authSession,
  authVerifyEmail,
  defaults,
  type Me,
  setupInitialize,
} from './api.js';
import { statusOf } from './api-errors.js';
import { BASE } from './server-url.js';

export type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signedOut' }
  /** `isEnded`: the page stays as it is, and asks for the password. */
  | { readonly kind: 'user'; readonly me: Me; readonly isEnded: boolean };

export const session = signal<Session>({ kind: 'unknown' });

/** Requests that wait for the next session. */
let waiting: (() => void)[] = [];

/** How many sessions there have been, by signing in or by renewal. */
let renewals = 0;

const startSession = (me: Me): void => {
  renewals += 1;
  session.value = { kind: 'user', me, isEnded: false };
  const waited = waiting;
  waiting = [];
  for (const resume of waited) resume();
};

/** One renewal at a time; those who come meanwhile get its result. */
let renewal: Promise<boolean> | null = null;

const renewed = (): Promise<boolean> => {
  renewal ??= authRefresh({ body: {} }, { fetch: plainFetch })
    .then(({ user }) => {
      startSession(user);
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
  return new Promise((resume) => waiting.push(resume));
};

/** Nobody is signed in, and nobody was. */
export class SignedOut extends Error {}

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

/** Checks within this time share one answer, since many images may fail at once. */
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
export const findSession = async (): Promise<void> => {
  const { user, isRenewable } = await authSession({ fetch: plainFetch });
  if (user !== null) startSession(user);
  else if (!isRenewable || !(await renewed())) session.value = { kind: 'signedOut' };
};

export const signIn = async (username: string, password: string): Promise<void> => {
  const { user } = await authLogin({ body: { username, password, cookie: true } }, { fetch: plainFetch });
  startSession(user);
};

export const setUp = async (wanted: { username: string; email: string; password: string }): Promise<void> => {
  const { user } = await setupInitialize({ body: { ...wanted, cookie: true } }, { fetch: plainFetch });
  startSession(user);
};

/** False when the account waits for the link in a mail. */
export const register = async (wanted: { username: string; email: string; password: string }): Promise<boolean> => {
  const { user, accessToken } = await authRegister({ body: wanted }, { fetch: plainFetch });
  if (accessToken === null) return false;
  startSession(user);
  return true;
};

/** `token` is what was in the link of a mail. */
export const verifyEmail = async (token: string): Promise<void> => {
  const { user } = await authVerifyEmail({ body: { token } }, { fetch: plainFetch });
  startSession(user);
};

/** All sessions of the account have ended, and one of them may be this. */
export const resetPassword = async (token: string, newPassword: string): Promise<void> => {
  await authResetPassword({ body: { token, newPassword } }, { fetch: plainFetch });
  await findSession();
};

/** The account as it is now, after its owner changed it. */
export const renamed = (changed: Pick<Me, 'username' | 'email'>): void => {
  const { value } = session;
  if (value.kind === 'user') session.value = { ...value, me: { ...value.me, ...changed } };
};

export const signOut = async (): Promise<void> => {
  try {
    await authLogout({ body: {} }, { fetch: plainFetch });
  } catch (thrown) {
    if (statusOf(thrown) !== 401) throw thrown; // it has ended already
  }
  waiting = [];
  session.value = { kind: 'signedOut' };
};

/** Whether the signed-in user has a permission, through the role or granted individually. */
export const may = (permission: string): boolean =>
  session.value.kind === 'user' && session.value.me.effectivePermissions.includes(permission);

/** What the role alone permits. */
const MAINTAINING = new Set(['maintainer', 'admin']);
export const mayMaintain = ({ role }: Me): boolean => MAINTAINING.has(role);
export const mayAdminister = ({ role }: Me): boolean => role === 'admin';
