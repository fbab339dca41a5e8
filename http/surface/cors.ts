// Which pages of other sites may read answers: CORS of the Fetch standard. Never with credentials that a browser adds by itself.
import type { Reply, Request } from '../server/adapter.js';
import type { Surface } from './surface.js';

export const ANY_ORIGIN = '*';

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Accept, X-API-Key, Range, If-Match, If-None-Match, If-Modified-Since, If-Range, X-Codex-Device-Id';
const EXPOSED_HEADERS =
  'ETag, Content-Range, Content-Disposition, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';
/** How long a browser may remember the answer to its question. */
const PREFLIGHT_S = '600';

export interface Cors {
  /** `*`, or origins as a browser sends them; none turns it off. */
  readonly origins: readonly string[];
}

/** True when this very origin is named in the settings: only then may its pages sign people in. */
export const isNamedOrigin = ({ origins }: Cors, origin: string): boolean =>
  origin !== ANY_ORIGIN && origins.includes(origin);

const NONE: Reply['headers'] = [];
const EXPOSED = ['Access-Control-Expose-Headers', EXPOSED_HEADERS] as const;
const ANYBODY: Reply['headers'] = [['Access-Control-Allow-Origin', ANY_ORIGIN]];
const DEPENDS: Reply['headers'] = [['Vary', 'Origin']];

/**
 * The headers for an answer to a request of this origin ('' for none, or unknown); `isSignIn` rows are open to origins that are named only.
 * Answers without an origin carry them as well: a browser may keep one, and use it for a page of another site later.
 */
export const corsHeaders = (cors: Cors, origin: string, isSignIn: boolean): Reply['headers'] => {
  if (cors.origins.length === 0) return NONE;
  if (isNamedOrigin(cors, origin)) return [['Access-Control-Allow-Origin', origin], ['Vary', 'Origin'], EXPOSED];
  if (!cors.origins.includes(ANY_ORIGIN)) return DEPENDS;
  if (isSignIn) return cors.origins.length > 1 ? DEPENDS : NONE;
  if (cors.origins.length > 1) return [...ANYBODY, ...DEPENDS, EXPOSED];
  return origin === '' ? ANYBODY : [...ANYBODY, EXPOSED];
};

/** What each answer of a surface carries. */
export const sharedHeaders = (
  { headers, cors }: Pick<Surface, 'headers' | 'cors'>,
  allowed: Cors,
  origin: string,
  isSignIn: boolean,
): Reply['headers'] => (cors ? [...headers, ...corsHeaders(allowed, origin, isSignIn)] : headers);

/** What a browser asks before it sends a request that a form could not send. */
export const isPreflight = (request: Request): boolean =>
  request.method === 'OPTIONS' &&
  request.header('origin') !== '' &&
  request.header('access-control-request-method') !== '';

export const preflightHeaders = (methods: readonly string[]): Reply['headers'] => [
  ['Access-Control-Allow-Methods', methods.join(', ')],
  ['Access-Control-Allow-Headers', ALLOWED_HEADERS],
  ['Access-Control-Max-Age', PREFLIGHT_S],
];
