// The only place that knows status codes: maps error kinds to a status and a word on the wire.
import { type ErrorKind, faultOf, KINDS } from '../core/model/errors.js';
import type { Reply } from './adapter.js';

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
  Internal: wire(500, 'InternalServerError'),
} as const satisfies Record<ErrorKind, Wire>;

const RETRY_AFTER_S = 2;

/** Where the body carries details. */
const retryAfter = (details: unknown): number =>
  typeof details === 'object' && details !== null && 'retry_after' in details && typeof details.retry_after === 'number'
    ? details.retry_after
    : RETRY_AFTER_S;

/** Any thrown value as the error envelope. An Internal error shows only the public sentence; its own message belongs in the log. */
export const errorReply = (thrown: unknown, headers: Reply['headers'] = []): Reply => {
  const fault = faultOf(thrown);
  const { status, word } = WIRE[fault.kind];
  const message = fault.kind === 'Internal' ? KINDS.Internal.say : fault.message;
  const isRetry = status === 503 || status === 429;
  const retry: Reply['headers'] = isRetry ? [['Retry-After', String(retryAfter(fault.details))]] : [];
  return {
    status,
    headers: [['Content-Type', 'application/json; charset=utf-8'], ['Cache-Control', 'no-store'], ...retry, ...headers],
    body: {
      kind: 'bytes',
      bytes: JSON.stringify({ error: word, message, details: fault.kind === 'Internal' ? null : fault.details }),
    },
  };
};

/** True for errors that are answered with a 5xx: the operator has to be able to find out why. */
export const isServerFault = (thrown: unknown): boolean => WIRE[faultOf(thrown).kind].status >= 500;
