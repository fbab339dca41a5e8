// Who makes a request, what they may do, and what they signed in with. Pure.
import type { Permission } from '../model/permissions.js';
import type { User } from './users.js';

export type Credential =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'api-key'; readonly id: string; readonly name: string }
  /** A name and a password, sent with every request. */
  | { readonly kind: 'password' };

export interface Caller {
  readonly user: User;
  /** Of the user; with a key, those that the key has as well. */
  readonly permissions: ReadonlySet<Permission>;
  readonly via: Credential;
}
