// A session beside a password. Some apps send the password for one part of themselves and only the cookies for another, such as a tracker:
// so whoever sends a password without a cookie gets one, and the same one as long as it is worth something.
import type { Caller } from '../../core/access/caller.js';
import { boundedByCount } from '../../core/model/bounded-map.js';
import { AppError } from '../../core/model/errors.js';
import type { Reply } from '../server/adapter.js';
import { isFromElsewhere } from '../surface/origins.js';
import { clientOf } from '../surface/request-parts.js';
import type { Ctx } from '../surface/route.js';
import { sentSession, sessionHeader } from './sign-in.js';

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

/** Whether a session is that of the caller: at once for one that was seen before. */
const isOf = ({ app, caller }: Asked, text: string): boolean | Promise<boolean> => {
  const refused = (thrown: unknown): boolean => {
    if (thrown instanceof AppError && thrown.kind === 'Unauthorized') return false;
    throw thrown;
  };
  try {
    const owner = app.callers.byToken(text);
    if (!(owner instanceof Promise)) return owner.user.key === caller.user.key;
    return owner.then(({ user }) => user.key === caller.user.key, refused);
  } catch (thrown) {
    return refused(thrown);
  }
};

const open = async (ctx: Asked, storedHash: string): Promise<Opened> => {
  const { app, caller } = ctx;
  const account = { user: caller.user, passwordHash: storedHash };
  const { text, expiresInS } = await app.sessions.signIn(account, clientOf(ctx), true);
  return { text, untilMs: app.clock.now() + (expiresInS * 1000) / 2 };
};

const NONE: Reply['headers'] = [];

/** For one surface: remembers which client it gave which session. Without a promise for a client that is known. */
export const passwordSessions = (): ((ctx: Asked) => Reply['headers'] | Promise<Reply['headers']>) => {
  /** By account, password and client; promises while they are made, since apps send their first requests all at once. */
  const opened = boundedByCount<string, Opened | Promise<Opened>>(CLIENTS_MAX);
  const make = (ctx: Asked, storedHash: string, key: string): Promise<Opened> => {
    const made = open(ctx, storedHash);
    opened.set(key, made);
    made.then(
      (one) => opened.set(key, one),
      () => opened.delete(key),
    );
    return made;
  };
  const given = (ctx: Asked, storedHash: string): Opened | Promise<Opened> => {
    const { agent, address } = clientOf(ctx);
    const key = `${ctx.caller.user.key} ${storedHash} ${address} ${agent}`;
    const last = opened.get(key);
    if (last === undefined) return make(ctx, storedHash, key);
    if (last instanceof Promise) return last;
    if (last.untilMs <= ctx.app.clock.now()) return make(ctx, storedHash, key);
    const isGood = isOf(ctx, last.text);
    if (isGood === true) return last;
    return Promise.resolve(isGood).then((is) => (is ? last : make(ctx, storedHash, key)));
  };
  const headers = (ctx: Asked, storedHash: string): Reply['headers'] | Promise<Reply['headers']> => {
    const one = given(ctx, storedHash);
    const written = ({ text }: Opened): Reply['headers'] => [sessionHeader(text, ctx)];
    return one instanceof Promise ? one.then(written) : written(one);
  };
  return (ctx) => {
    const { request, caller } = ctx;
    if (caller.via.kind !== 'password' || OWN.test(`${request.path}?${request.query}`) || isFromElsewhere(request))
      return NONE;
    const { storedHash } = caller.via;
    const sent = sentSession(request);
    const isGood = sent !== '' && isOf(ctx, sent);
    if (typeof isGood === 'boolean') return isGood ? NONE : headers(ctx, storedHash);
    return isGood.then((is) => (is ? NONE : headers(ctx, storedHash)));
  };
};
