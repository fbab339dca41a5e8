// Who makes a request, what they may do, and with which credential; and on whose behalf something is changed. Pure.
import type { Permission } from '../model/permissions.js';
import { type By, SYSTEM } from '../store/feed.js';
import type { User } from './users.js';

export type Credential =
  /** An access token of a session, which ends before it. */
  | { readonly kind: 'session'; readonly id: string; readonly expiresAt: number }
  | { readonly kind: 'api-key'; readonly id: string; readonly name: string; readonly expiresAt: number | null }
  /** A name and a password, sent with every request, and the stored hash they fitted. */
  | { readonly kind: 'password'; readonly storedHash: string }
  /** The secret of an e-reader, and the stored hash it fitted. */
  | { readonly kind: 'sync-secret'; readonly storedHash: string }
  /** A token of a sign-on provider, for the person whom it knows by this name. */
  | { readonly kind: 'provider'; readonly issuer: string; readonly subject: string; readonly expiresAt: number };

/** When it ends by itself; Infinity for never. */
export const endOf = (via: Credential): number =>
  'expiresAt' in via ? (via.expiresAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;

export interface Caller {
  readonly user: User;
  /** Of the user; with a key, those that the key has as well. */
  readonly permissions: ReadonlySet<Permission>;
  readonly via: Credential;
}

/** What a client says of itself, for the list of sessions. */
export interface Client {
  readonly agent: string | null;
  readonly address: string | null;
}

/** Who changes something, and from where: a caller, somebody without an account, or the server itself. */
export interface Actor {
  readonly caller: Caller | null;
  readonly address: string | null;
}

/** Who changes something by a request that needs a login. */
export interface KnownActor extends Actor {
  readonly caller: Caller;
}

export const SERVER: Actor = { caller: null, address: null };

export const byOf = ({ caller }: Actor): By => caller?.user.key ?? SYSTEM;
