// Identifies the caller from a credential: an access token, an API key, a name and a password, or a name and the secret of a
// device. Knows nothing about headers.
import { createHash } from 'node:crypto';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { effectivePermissions } from '../model/permissions.js';
import type { Db } from '../store/db.js';
import { ownerOfKey } from './api-keys.js';
import type { Caller } from './caller.js';
import { KnownCallers } from './known-callers.js';
import type { LastUse } from './last-use.js';
import type { Passwords } from './passwords.js';
import { ProvenPasswords } from './proven-passwords.js';
import type { Sessions } from './sessions.js';
import { callerOfDevice, fittingHash, wrongSyncSecret } from './sync-secrets.js';
import type { Throttle } from './throttle.js';
import { userByName } from './users.js';

export interface CallersParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly throttle: Throttle;
  readonly lastUse: LastUse;
  readonly providerTokens: ProviderTokens;
}

/** Access tokens of sign-on providers. */
export interface ProviderTokens {
  /** Whose token it is; undefined for a text that cannot be one of theirs. */
  find(text: string): Promise<Caller> | undefined;
}

/** Where a credential came from. */
interface Origin {
  readonly address: () => string;
  readonly surface: string;
}

export interface NameAndPassword extends Origin {
  readonly name: string;
  readonly password: string;
}

/** A name, and what a device sends to prove its secret. */
export interface NameAndSyncKey extends Origin {
  readonly name: string;
  readonly key: string;
}

/** Devices have a counter of their own, which no name of an account begins with: knowing one secret must not help to guess the other. */
const DEVICE = 'e-reader\n';
const deviceAccount = (name: string): string => `${DEVICE}${name}`;

/** Ours have about 300 characters. Those of providers may have many thousands, and are kept as hashes. */
const KEPT_WHOLE_MAX = 1000;

/** A text that is the hash of a long token does not count as that token. */
const tokenKey = (text: string): string =>
  text.length <= KEPT_WHOLE_MAX
    ? `token ${text}`
    : `hashed token ${createHash('sha256').update(text).digest('base64')}`;

/** Every method returns a cached caller synchronously, others after a look-up; Unauthorized says what is wrong. */
export class Callers {
  readonly #parts: CallersParts;
  readonly #known: KnownCallers;
  readonly #proven: ProvenPasswords;

  constructor(parts: CallersParts) {
    this.#parts = parts;
    const { db, clock, lastUse } = parts;
    this.#known = new KnownCallers(db.feed, clock, ({ via }, nowMs) => lastUse.note(via, nowMs));
    this.#proven = new ProvenPasswords(clock);
  }

  byToken(text: string): Caller | Promise<Caller> {
    const { providerTokens, sessions } = this.#parts;
    return this.#known.of(tokenKey(text), () => providerTokens.find(text) ?? sessions.find(text));
  }

  byKey(text: string): Caller | Promise<Caller> {
    const { db, clock } = this.#parts;
    return this.#known.of(`key ${text}`, () => ownerOfKey(db, text, clock.now()));
  }

  byPassword(given: NameAndPassword): Caller | Promise<Caller> {
    const mark = this.#proven.markOf(given.name, given.password);
    return this.#known.of(`password ${mark}`, () => this.#ofPassword(given, mark));
  }

  bySyncKey(given: NameAndSyncKey): Caller | Promise<Caller> {
    const mark = this.#proven.markOf(deviceAccount(given.name), given.key);
    return this.#known.of(`device ${mark}`, () => this.#ofSyncKey(given, mark));
  }

  async #ofSyncKey({ name, key, address, surface }: NameAndSyncKey, mark: string): Promise<Caller> {
    const { db, throttle } = this.#parts;
    const found = await userByName(db, name);
    const fitting = await fittingHash(db, found?.user.key ?? null, key);
    if (fitting === undefined || !this.#proven.isProven(mark, fitting)) {
      const compare = async (): Promise<void> => {
        if (fitting === undefined) throw wrongSyncSecret();
      };
      await throttle.attempt({ name, address: address(), surface }, compare, DEVICE);
    }
    if (found === undefined || fitting === undefined) throw wrongSyncSecret();
    this.#proven.prove(mark, fitting);
    return callerOfDevice(found.user, fitting);
  }

  async #ofPassword({ name, password, address, surface }: NameAndPassword, mark: string): Promise<Caller> {
    const { db, passwords, throttle } = this.#parts;
    const found = await userByName(db, name);
    const stored = found?.passwordHash ?? null;
    if (stored === null || !this.#proven.isProven(mark, stored)) {
      await throttle.attempt({ name, address: address(), surface }, async () => {
        if (!(await passwords.matches(stored, password)))
          throw new AppError('Unauthorized', 'Invalid username or password');
      });
    }
    if (found === undefined || stored === null) throw new AppError('Unauthorized', 'Invalid username or password');
    this.#proven.prove(mark, stored);
    const { user } = found;
    if (!user.active) throw new AppError('Unauthorized', 'User account is inactive');
    const permissions = effectivePermissions(user.role, user.permissions);
    return { user, permissions, via: { kind: 'password', storedHash: stored } };
  }
}
