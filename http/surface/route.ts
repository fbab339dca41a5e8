// One row of a surface: everything that is public about an endpoint. Who may use it has no default; a row that lacks it does not compile.
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../../core/access/caller.js';
import type { ErrorKind } from '../../core/model/errors.js';
import type { Permission } from '../../core/model/permissions.js';
import type { Viewer } from '../../core/model/viewer.js';
import type { App } from '../../core/start.js';
import type { Reply, Request } from '../server/adapter.js';
import type { CookiePlace } from './cookies.js';
import type { SignIn } from './credentials.js';
import type { Scrape } from './exposition.js';
import type { RecentLog } from './recent-log.js';
import type { Media, Replies } from './replies.js';
import { none } from './schemas.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `public`: no credentials. `user`: any known user. A permission: users who have it. Several: users who have all of them. */
export type Access = 'public' | 'user' | Permission | readonly [Permission, Permission, ...Permission[]];

/** What a row's action receives in addition to its parsed input. */
export interface Ctx<C> {
  readonly app: App;
  readonly caller: C;
  /** The caller as a viewer, for functions that read; NOBODY on public rows. */
  readonly viewer: Viewer;
  readonly request: Request;
  /** The client's address, also behind a trusted proxy. */
  readonly clientAddress: () => string;
  /** Whether the client speaks TLS, to a trusted proxy in front of the server. */
  readonly isOverTls: () => boolean;
  /** The address under which the client reaches this server, without a slash at its end; '' when nothing tells it. */
  readonly base: () => string;
  /** Of the surface that the row is served by. */
  readonly prefix: string;
  readonly settings: HttpSettings;
}

export const APP_KINDS = ['comics', 'opds', 'opds2', 'sync'] as const;

/** What an app that speaks something other than the API is told to connect to. */
export interface AppAddress {
  readonly kind: (typeof APP_KINDS)[number];
  /** Below the address of the server. */
  readonly path: string;
  /** Where the same is at the root of a port of its own; null for nowhere. */
  readonly port: number | null;
}

export interface HttpSettings {
  /** Cookies for TLS only, whatever the request came over. */
  readonly cookieSecure: boolean;
  /** The path of the address under which clients reach the server; '' at the root of its host. */
  readonly subPath: string;
  readonly version: string;
  /** Where other people's apps find this server. */
  readonly appAddresses: readonly AppAddress[];
  /** The address that the server listens on. */
  readonly host: string;
  /** What the server logged last. */
  readonly recentLog: RecentLog;
  /** All measurements, as text. */
  readonly scrape: Scrape;
}

export interface RawBody {
  readonly type: string;
  readonly maxBytes: number;
}

interface Row<A extends Access, P extends TSchema, Q extends TSchema, B extends TSchema | null> {
  /** Label in logs and metrics; never the raw path. */
  readonly id: string;
  readonly method: Method;
  /** Below the prefix of its surface. `{name}` is a parameter, `{name*}` the rest of the path. */
  readonly path: string;
  readonly access: A;
  /** Whether only administrators get in, besides what `access` says: an account with the role; permissions of its own do not make one. */
  readonly administrator?: boolean;
  /** A further way of signing in, for requests that use none of the surface's. */
  readonly signIn?: SignIn;
  /** Headers of its 401 answers. */
  readonly onUnauthorized?: (place: CookiePlace) => Reply['headers'];
  readonly params?: P;
  readonly query?: Q;
  /** Left out, the endpoint takes no body. */
  readonly body?: B;
  /** It takes a form with one file (multipart.ts), under the first of these field names. Its body may be larger than others. */
  readonly upload?: readonly [string, ...string[]];
  /** It takes bytes of this media type, and parses them itself. */
  readonly raw?: RawBody;
  /** A body for the API description. */
  readonly example?: B extends TSchema ? Static<B> : never;
  /** What it answers, by status. Tests hold every answer against it; the program does not. */
  readonly reply: Replies;
  /** Media types that it answers with instead, with status 200, to clients that prefer one of them. */
  readonly alternative?: Media;
  /** Errors it may answer with, beyond those that its access, input and method bring along (failures.ts). */
  readonly fails?: readonly ErrorKind[];
  /** One sentence for the API description. */
  readonly about: string;
  /**
   * The answer is made of what is stored about the catalog and about the caller's reading, and of nothing else (no clock, no running work,
   * no header): it may be kept, and asked for conditionally.
   */
  readonly kept?: boolean;
  readonly run: (
    ctx: Ctx<A extends 'public' ? Caller | null : Caller>,
    input: {
      readonly params: Static<P>;
      readonly query: Static<Q>;
      readonly body: B extends TSchema ? Static<B> : null;
    },
  ) => Reply | Promise<Reply>;
}

/** A row as stored in the table: its input types are erased; dispatch parses by the schemas. */
export interface Route {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly administrator: boolean;
  readonly signIn: SignIn | null;
  readonly onUnauthorized: ((place: CookiePlace) => Reply['headers']) | null;
  readonly params: TSchema;
  readonly query: TSchema;
  readonly body: TSchema | null;
  readonly upload: readonly [string, ...string[]] | null;
  readonly raw: RawBody | null;
  readonly example: unknown;
  readonly reply: Replies;
  readonly alternative: Media | null;
  readonly fails: readonly ErrorKind[];
  readonly about: string;
  readonly kept: boolean;
  readonly run: (
    ctx: Ctx<Caller | null>,
    input: { params: unknown; query: unknown; body: unknown },
  ) => Reply | Promise<Reply>;
}

const DEFAULTS = {
  administrator: false,
  signIn: null,
  onUnauthorized: null,
  kept: false,
  params: none,
  query: none,
  body: null,
  upload: null,
  raw: null,
  example: null,
  alternative: null,
  fails: [],
} as const;

/** Set-up and login: other sites may not send requests there, and nobody may send many. */
export const isSignIn = ({ path }: Pick<Route, 'path'>): boolean => /^\/(?:auth|setup)\//.test(path);

/** The request that makes whoever sends it the administrator. */
export const isSetUp = ({ method, path }: Pick<Route, 'method' | 'path'>): boolean =>
  method === 'POST' && path === '/setup/initialize';

/** Checks a row against its own schemas and erases its types. Dispatch calls `run` only with input that those schemas accept. */
export const route = <
  A extends Access,
  P extends TSchema = typeof none,
  Q extends TSchema = typeof none,
  B extends TSchema | null = null,
>(
  row: Row<A, P, Q, B>,
): Route => {
  if (row.kept !== true || row.method !== 'GET') return { ...DEFAULTS, ...row } as unknown as Route;
  // A client that has the answer is told so.
  const reply = { ...row.reply, 304: null };
  const fails = [...(row.fails ?? []), 'PreconditionFailed'];
  return { ...DEFAULTS, ...row, reply, fails } as unknown as Route;
};
