// Single sign-on: flows that begin here, go to a provider and come back, and the codes that apps exchange for tokens.
import { timingSafeEqual } from 'node:crypto';
import type { Client } from '../access/caller.js';
import { RequestRate } from '../access/request-rate.js';
import type { Sessions, SignedIn } from '../access/sessions.js';
import { activeUser, type User } from '../access/users.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { Db } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { accountOf, type SignedOn } from './accounts.js';
import { isSubject, mappedRole, personOf } from './claims.js';
import type { SignOnOptions } from './options.js';
import { Declined, type Proof, type Provider } from './provider.js';
import type { Providers } from './providers.js';
import { addressWith, type Target, targetOf } from './redirects.js';
import { type Reason, Refused } from './refusals.js';
import { hashOf, newSecret, Tickets } from './tickets.js';

export interface SignOnParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly providers: Providers;
  /** Why somebody could not sign in, if the administrator may have to act. */
  readonly onWarning: (sentence: string) => void;
}

/** What a client asks for. */
export interface Wish {
  readonly redirectUri: string | null;
  /** For apps: the SHA-256 of the code verifier that it sends when it fetches its tokens (RFC 7636, S256). */
  readonly codeChallenge: string | null;
  /** For apps: returned unchanged. */
  readonly state: string | null;
}

type Ending =
  | { readonly kind: 'page'; readonly path: string | null; readonly mark: Buffer }
  | { readonly kind: 'app'; readonly address: string; readonly challenge: string; readonly state: string | null };

interface Flow {
  readonly provider: string;
  readonly proof: Proof;
  readonly ending: Ending;
}

interface Grant {
  readonly provider: string;
  readonly userId: string;
  readonly isNew: boolean;
  readonly challenge: string;
}

/** For the browser in which a flow began. */
export interface Mark {
  /** What tells it from others that began in the same browser. */
  readonly flow: string;
  readonly secret: string;
}

/** How a flow ended. `page`: the browser that began it is signed in; `app`: the address contains a code, or an error. */
export type Ended =
  | { readonly kind: 'page'; readonly path: string | null; readonly signedIn: SignedIn }
  | { readonly kind: 'app'; readonly address: string }
  | { readonly kind: 'refused'; readonly reason: Reason };

export interface Exchanged {
  readonly user: User;
  readonly signedIn: SignedIn;
  readonly isNew: boolean;
  readonly provider: string;
}

const MINUTE_MS = 60_000;
const FLOWS = { max: 10_000, lifetimeMs: 10 * MINUTE_MS };
const CODES = { max: 10_000, lifetimeMs: MINUTE_MS };
/** Anybody can make a sign-on fail. */
const WARNINGS = { burst: 30, perSecond: 0.5 };
export const FLOW_S = FLOWS.lifetimeMs / 1000;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const REASON_CHARS = 200;

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

const challengeOf = (verifier: string): string => hashOf(verifier).toString('base64url');

/** For the log: an error and its causes, in one line. */
const explained = (thrown: unknown): string => {
  const parts: string[] = [];
  for (let at = thrown; at instanceof Error && parts.length < 4; at = at.cause) {
    const { error } = at as { readonly error?: unknown }; // the error code of the provider (RFC 6749, 5.2)
    parts.push(typeof error === 'string' ? `${at.message} (${error})` : at.message);
  }
  return parts
    .join(': ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, REASON_CHARS);
};

const FLOW_CHARS = 8;

const flowNamed = (state: string): string => hashOf(state).toString('base64url').slice(0, FLOW_CHARS);

const stateIn = (query: string): string => new URLSearchParams(query).get('state') ?? '';

/** The flow that a browser comes back from. */
export const flowIn = (query: string): string => flowNamed(stateIn(query));

const needsChallenge = (): AppError => {
  const message = 'must be the SHA-256 of a code verifier, as 43 characters of base64url';
  return new AppError('BadRequest', `The codeChallenge ${message}.`, [{ path: 'codeChallenge', message }]);
};

const codeRefused = (): AppError =>
  new AppError(
    'Unauthorized',
    'The code is unknown, already used or older than a minute, or the code verifier does not match.',
  );

export class SignOn {
  readonly options: SignOnOptions;
  readonly #parts: SignOnParts;
  readonly #flows: Tickets<Flow>;
  readonly #codes: Tickets<Grant>;
  readonly #warnings: RequestRate;

  constructor(options: SignOnOptions, parts: SignOnParts) {
    this.options = options;
    this.#parts = parts;
    this.#flows = new Tickets(parts.clock, FLOWS);
    this.#codes = new Tickets(parts.clock, CODES);
    this.#warnings = new RequestRate(parts.clock, WARNINGS);
  }

  /** Where the browser goes, and a secret for that browser alone; null for an app, which may come back in another one. */
  async begin(name: string, wish: Wish): Promise<{ readonly address: string; readonly mark: Mark | null }> {
    const provider = this.#parts.providers.named(name);
    const target = targetOf(wish.redirectUri, this.options);
    const mark = target.kind === 'page' ? newSecret() : null;
    const ending = this.#ending(target, wish, mark);
    const proof = { state: newSecret(), nonce: newSecret(), verifier: newSecret() };
    const address = await provider.address(proof);
    this.#flows.give(proof.state, { provider: name, proof, ending });
    return { address, mark: mark === null ? null : { flow: flowNamed(proof.state), secret: mark } };
  }

  #ending(target: Target, { codeChallenge, state }: Wish, mark: string | null): Ending {
    if (target.kind === 'page') return { kind: 'page', path: target.path, mark: hashOf(mark ?? '') };
    if (codeChallenge === null || !CHALLENGE.test(codeChallenge)) throw needsChallenge();
    return { kind: 'app', address: target.address, challenge: codeChallenge, state };
  }

  /**
   * Handles the return from a provider. `mark`: the secret that the browser got when the flow began. Throws only for faults of this
   * server.
   */
  async end(name: string, query: string, mark: string, client: Client): Promise<Ended> {
    const provider = this.#parts.providers.named(name);
    const flow = this.#flows.take(stateIn(query));
    const isOurs = flow?.provider === name && (flow.ending.kind === 'app' || isSame(flow.ending.mark, hashOf(mark)));
    if (flow === undefined || !isOurs) return { kind: 'refused', reason: 'expired' };
    const { ending, proof } = flow;
    try {
      const told = await this.#told(provider, query, proof).catch((thrown: unknown) => {
        throw this.#refused(name, thrown);
      });
      return await this.#finish(told, ending, client);
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      const { reason } = thrown;
      if (ending.kind === 'page') return { kind: 'refused', reason };
      const { address, state } = ending;
      return { kind: 'app', address: addressWith(address, { error: 'access_denied', reason, state }) };
    }
  }

  async #told(provider: Provider, query: string, proof: Proof): Promise<SignedOn> {
    const { options } = provider;
    const { issuer, subject, claims } = await provider.told(query, proof);
    if (!isSubject(subject)) throw new Error('the subject is too long');
    const person = personOf(claims, options);
    return { provider: options.name, issuer, subject, person, role: mappedRole(person.groups, options) };
  }

  async #finish(told: SignedOn, ending: Ending, client: Client): Promise<Ended> {
    const { db, clock } = this.#parts;
    const act = { at: clock.now(), by: { caller: null, address: client.address } };
    if (ending.kind === 'page')
      return db.write(SYSTEM, 'interactive', async (tx): Promise<Ended> => {
        const { user } = await accountOf(tx, told, this.options, act);
        return { kind: 'page', path: ending.path, signedIn: await this.#parts.sessions.openIn(tx, user, client) };
      });
    const { user, isNew } = await db.write(SYSTEM, 'interactive', (tx) => accountOf(tx, told, this.options, act));
    const { address, challenge, state } = ending;
    const code = newSecret(); // given once all is stored
    this.#codes.give(code, { provider: told.provider, userId: user.id, isNew, challenge });
    return { kind: 'app', address: addressWith(address, { code, state }) };
  }

  /** The reason for a refusal; failures are logged. */
  #refused(name: string, thrown: unknown): Refused {
    if (thrown instanceof Declined && thrown.message === 'access_denied') return new Refused('declined');
    if (this.#warnings.takeOf(name).retryS === null)
      this.#parts.onWarning(`signing on with "${name}" failed: ${explained(thrown)}`);
    return new Refused(thrown instanceof AppError ? 'unreachable' : 'failed');
  }

  /** The tokens for an app's code. Whatever is wrong, the code is used up. */
  async exchange(code: string, verifier: string, client: Client): Promise<Exchanged> {
    const grant = this.#codes.take(code);
    if (grant === undefined || !isSame(Buffer.from(grant.challenge), Buffer.from(challengeOf(verifier))))
      throw codeRefused();
    const { db } = this.#parts;
    return db.write(SYSTEM, 'interactive', async (tx) => {
      const user = await activeUser(tx, grant.userId);
      const signedIn = await this.#parts.sessions.openIn(tx, user, client);
      return { user, signedIn, isNew: grant.isNew, provider: grant.provider };
    });
  }
}
