// A session beside a password. Some apps send the password for one part of themselves and only the cookies for another, such as a tracker:
// so whoever sends a password without a cookie gets one, and the same one as long as it is worth something.
import type { Caller } from '../../core/access/caller.js';
import { boundedByCount } from '../../core/model/bounded-map.js';
import { AppError } from '../../core/model/errors.js';
import type { Reply } from '../server/adapter.js';
import { cookieIn } from '../surface/cookies.js';
import { isFromElsewhere } from '../surface/origins.js';
import { clientOf } from '../surface/request-parts.js';
import type { Ctx } from '../surface/route.js';
import { SESSION, sessionCookie } from './sign-in.js';

interface Opened {
  readonly text: string;
  /** From then on the client gets another, before this one ends. */
  readonly untilMs: number;
}

type Asked = Ctx<Caller>;

/** Clients that sign in with a password at the same time. */
const CLIENTS_MAX = 1000;

/** These open and end sessions themselves. */
const OWN = /\/(?:users\/me\/?\?(?:.*&)?remember-me=true(?:&.*)?|logout\/?\?.*)$/;

const isOf = async ({ app, caller }: Asked, text: string): Promise<boolean> => {
  try {
    return (await app.callers.byToken(text)).user.key === caller.user.key;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === 'Unauthorized') return false;
    throw thrown;
  }
};

const open = async (ctx: Asked, storedHash: string): Promise<Opened> => {
  const { app, caller } = ctx;
  const account = { user: caller.user, passwordHash: storedHash };
  const { text, expiresInS } = await app.sessions.signIn(account, clientOf(ctx), true);
  return { text, untilMs: app.clock.now() + (expiresInS * 1000) / 2 };
};

/** For one surface: remembers which client it gave which session. */
export const passwordSessions = (): ((ctx: Asked) => Promise<Reply['headers']>) => {
  /** By account, password and client; promises, since apps send their first requests all at once. */
  const opened = boundedByCount<string, Promise<Opened>>(CLIENTS_MAX);
  const openedFor = (ctx: Asked, storedHash: string): Promise<Opened> => {
    const { agent, address } = clientOf(ctx);
    const key = JSON.stringify([ctx.caller.user.key, storedHash, agent, address]);
    const make = (): Promise<Opened> => {
      const made = open(ctx, storedHash);
      opened.set(key, made);
      made.catch(() => opened.delete(key));
      return made;
    };
    const renew = async (found: Opened): Promise<Opened> =>
      found.untilMs > ctx.app.clock.now() && (await isOf(ctx, found.text)) ? found : make();
    return opened.get(key)?.then(renew) ?? make();
  };
  return async (ctx) => {
    const { request, caller } = ctx;
    if (caller.via.kind !== 'password' || OWN.test(`${request.path}?${request.query}`) || isFromElsewhere(request))
      return [];
    const sent = cookieIn(request, SESSION);
    if (sent !== '' && (await isOf(ctx, sent))) return [];
    return [sessionCookie((await openedFor(ctx, caller.via.storedHash)).text, ctx)];
  };
};
