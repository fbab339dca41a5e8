// A surface is one way of speaking to clients, as a value: its addresses, the ways of signing in that it accepts, how its errors look, and
// its rows. The API is one, the description of the API another.

import type { Caller } from '../../core/access/caller.js';
import type { Reply } from '../server/adapter.js';
import type { SecurityHeaders } from '../server/security-headers.js';
import type { SignIn } from './credentials.js';
import type { Ctx, Route } from './route.js';

/** What is wrong, as a client may be told. */
export interface Refusal {
  readonly status: number;
  /** The word that clients compare. */
  readonly word: string;
  readonly message: string;
  readonly details: unknown;
}

/** Where and when a request is refused. */
export interface RefusedAt {
  readonly path: string;
  /** See Ctx.base; '' when the request could not be read. */
  readonly base: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether somebody opened the address in a browser, rather than an app or a script. */
  readonly isOpened: () => boolean;
}

/** The body of a refusal and its media type. `security`: where it is a page. */
export type ErrorView = (
  refusal: Refusal,
  at: RefusedAt,
) => { readonly type: string; readonly text: string; readonly security?: SecurityHeaders };

export interface Credentials {
  /** In the order in which they are tried. */
  readonly ways: readonly SignIn[];
  /** The WWW-Authenticate header of a 401 (RFC 9110 11.6.1); null for none, so that browsers do not ask for a password themselves. */
  readonly challenge: string | null;
  /** Further headers of a 401. */
  readonly onUnauthorized?: (at: RefusedAt) => Reply['headers'];
  /** Headers of an answer to a caller who sent a password, such as a cookie in its place. */
  readonly onPassword?: (ctx: Ctx<Caller>) => Reply['headers'] | Promise<Reply['headers']>;
}

export interface Surface {
  /** Its name in the description. */
  readonly name: string;
  /** Addresses at and below this path are its own; '' has all that no other surface claims. */
  readonly prefix: string;
  readonly credentials: Credentials;
  readonly errorView: ErrorView;
  /** Headers that each of its answers carries. */
  readonly headers: Reply['headers'];
  /** Whether pages of other sites may use it (the Fetch standard's CORS), as far as the settings allow. */
  readonly cors: boolean;
  /** Whether its answers contain absolute addresses: they differ with the address under which a client reaches the server. */
  readonly isAbsolute?: boolean;
  /** Whether clients take any text for an id: one of another form than ours is an id of nothing. */
  readonly hasOpaqueIds?: boolean;
  readonly rows: readonly Route[];
  /** Paths that no row answers and that would otherwise match a row with an odd id. */
  readonly notIds?: readonly string[];
}

/** The full path of a row; `{name}` marks a parameter, `{name*}` the rest of the path. */
export const pathOf = ({ prefix }: Pick<Surface, 'prefix'>, { path }: Pick<Route, 'path'>): string => prefix + path;

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/' || prefix === '');

/** Finds the surface that has an address: the one with the longest prefix. One of them has to have the prefix ''. */
export const surfaceFinder = (surfaces: readonly Surface[]): ((path: string) => Surface) => {
  const longestFirst = [...surfaces].sort((a, b) => b.prefix.length - a.prefix.length);
  const last = longestFirst.at(-1);
  if (last === undefined || last.prefix !== '') throw new Error('no surface has the addresses that no other claims');
  return (path) => longestFirst.find(({ prefix }) => isBelow(path, prefix)) ?? last;
};
