// The only place that knows status codes: maps error kinds to a status and a word on the wire. How a refusal looks is the surface's.
import { AppError, type ErrorKind, faultOf, KINDS } from '../../core/model/errors.js';
import type { Reply } from '../server/adapter.js';
import type { ErrorView, Refusal, RefusedAt, Surface } from './surface.js';

interface Wire {
  readonly status: number;
  /** The word in the `error` field; clients compare it. */
  readonly word: string;
}

const wire = (status: number, word: string): Wire => ({ status, word });

export const WIRE = {
  BadRequest: wire(400, 'BadRequest'),
  Unauthorized: wire(401, 'Unauthorized'),
  Forbidden: wire(403, 'Forbidden'),
  NotFound: wire(404, 'NotFound'),
  MethodNotAllowed: wire(405, 'MethodNotAllowed'),
  Conflict: wire(409, 'Conflict'),
  LengthRequired: wire(411, 'LengthRequired'),
  PreconditionFailed: wire(412, 'PreconditionFailed'),
  PayloadTooLarge: wire(413, 'PayloadTooLarge'),
  UnsupportedMediaType: wire(415, 'UnsupportedMediaType'),
  RangeNotSatisfiable: wire(416, 'RangeNotSatisfiable'),
  TooManyRequests: wire(429, 'TooManyRequests'),
  UnsupportedFormat: wire(422, 'UnsupportedFormat'),
  CorruptArchive: wire(422, 'CorruptArchive'),
  EncryptedArchive: wire(422, 'EncryptedArchive'),
  EmptyBook: wire(422, 'EmptyBook'),
  CorruptPage: wire(422, 'CorruptPage'),
  LimitExceeded: wire(422, 'LimitExceeded'),
  FileUnreadable: wire(503, 'FileUnreadable'),
  FileChanged: wire(503, 'FileChanged'),
  Cancelled: wire(503, 'Cancelled'),
  Timeout: wire(503, 'Timeout'),
  Overloaded: wire(503, 'Overloaded'),
  WorkerCrashed: wire(503, 'WorkerCrashed'),
  StorageFull: wire(503, 'StorageFull'),
  StorageFailed: wire(503, 'StorageFailed'),
  ProviderFailed: wire(503, 'ProviderFailed'),
  CollectorFailed: wire(502, 'CollectorFailed'),
  NotConfigured: wire(503, 'NotConfigured'),
  Internal: wire(500, 'InternalServerError'),
} as const satisfies Record<ErrorKind, Wire>;

const RETRY_AFTER_S = 2;

/** Where the body carries details. */
const retryAfter = (details: unknown): number =>
  typeof details === 'object' && details !== null && 'retry_after' in details && typeof details.retry_after === 'number'
    ? details.retry_after
    : RETRY_AFTER_S;

/** The error envelope of the API: JSON with a word, a sentence and details. */
export const envelope: ErrorView = ({ word, message, details }) => ({
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ error: word, message, details }),
});

/** What may be said of any thrown value. An Internal error shows only the public sentence; its own message belongs in the log. */
const refusalOf = (thrown: unknown): Refusal => {
  const { kind, message, details } = faultOf(thrown);
  const isOurs = kind === 'Internal';
  return { ...WIRE[kind], message: isOurs ? KINDS.Internal.say : message, details: isOurs ? null : details };
};

/** Headers that some kinds add, and the details without what only they need. */
const headersOf = (thrown: unknown, { details }: Refusal): [Reply['headers'], unknown] => {
  if (KINDS[faultOf(thrown).kind].retry) return [[['Retry-After', String(retryAfter(details))]], details];
  if (!(thrown instanceof AppError) || thrown.details === null) return [[], details];
  if (thrown.kind === 'MethodNotAllowed') {
    const { allow = [] } = (thrown.details ?? {}) as { readonly allow?: readonly string[] };
    return [[['Allow', allow.join(', ')]], null];
  }
  if (thrown.kind === 'RangeNotSatisfiable') {
    const { size = 0 } = (thrown.details ?? {}) as { readonly size?: number };
    return [[['Content-Range', `bytes */${size}`]], null];
  }
  return [[], details];
};

/** How a surface refuses. */
export type Refusing = Pick<Surface, 'errorView' | 'credentials'>;

const PLAIN: Refusing = { errorView: envelope, credentials: { ways: [], challenge: null } };
const NOWHERE: RefusedAt = { path: '', base: () => '', now: Date.now, isOpened: () => false };

const challengeOf = ({ challenge, onUnauthorized }: Refusing['credentials'], at: RefusedAt): Reply['headers'] => [
  ...(challenge === null ? [] : [['WWW-Authenticate', challenge] as const]),
  ...(onUnauthorized?.(at) ?? []),
];

/** Any thrown value as a reply, in the shape of a surface. */
export const errorReply = (thrown: unknown, { errorView, credentials } = PLAIN, at = NOWHERE): Reply => {
  const refusal = refusalOf(thrown);
  const [extra, details] = headersOf(thrown, refusal);
  const { type, text, security } = errorView({ ...refusal, details }, at);
  const asked = refusal.status === 401 ? challengeOf(credentials, at) : [];
  return {
    status: refusal.status,
    headers: [['Content-Type', type], ['Cache-Control', 'no-store'], ...asked, ...extra],
    ...(security === undefined ? {} : { security }),
    body: { kind: 'bytes', bytes: text },
  };
};

/** True for errors that are answered with a 5xx: the operator has to be able to find out why. */
export const isServerFault = (thrown: unknown): boolean => {
  const { kind } = faultOf(thrown);
  return WIRE[kind].status >= 500 && kind !== 'NotConfigured'; // what the owner has not turned on is no fault
};
