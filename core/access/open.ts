// Builds everything that authenticates people from its parts.
import type { Clock } from '../engine/clock.js';
import type { Db } from '../store/db.js';
import { Callers, type ProviderTokens } from './callers.js';
import { LastUse } from './last-use.js';
import { LiveCallers } from './live-callers.js';
import { type HashCost, Passwords } from './passwords.js';
import { type RateOptions, RequestRate } from './request-rate.js';
import { Sessions } from './sessions.js';
import { Throttle, type ThrottleOptions } from './throttle.js';

export interface AccessOptions {
  readonly jwtSecret: Uint8Array;
  readonly tokenLifetimeMs: number;
  /** How long a refresh token lasts; null: there are none. */
  readonly refreshLifetimeMs: number | null;
  readonly hashCost: HashCost;
  readonly loginThrottle: ThrottleOptions;
  /** Rate and burst of requests from one peer to routes that need no login. */
  readonly guestRate: RateOptions;
}

export interface Access {
  readonly sessions: Sessions;
  readonly callers: Callers;
  readonly liveCallers: LiveCallers;
  readonly lastUse: LastUse;
  readonly throttle: Throttle;
  readonly guestRate: RequestRate;
  readonly passwords: Passwords;
}

export const openAccess = (db: Db, clock: Clock, options: AccessOptions, providerTokens: ProviderTokens): Access => {
  const { jwtSecret: secret, tokenLifetimeMs: lifetimeMs, refreshLifetimeMs: refreshMs } = options;
  const lastUse = new LastUse(db);
  const sessions = new Sessions({ db, clock, lastUse }, { secret, lifetimeMs, refreshMs });
  const throttle = new Throttle(clock, options.loginThrottle);
  const passwords = new Passwords(clock, options.hashCost);
  const callers = new Callers({ db, clock, sessions, passwords, throttle, lastUse, providerTokens });
  return {
    sessions,
    callers,
    liveCallers: new LiveCallers(db, clock),
    lastUse,
    throttle,
    passwords,
    guestRate: new RequestRate(clock, options.guestRate),
  };
};
