// The kinds of everything that can go wrong, and the one error class. Knows no status codes (http/surface/errors.ts does).

type Blame = 'client' | 'book' | 'server';

interface Kind {
  /** Who has to act: the caller, the owner of the file, or the operator of the server. */
  readonly blame: Blame;
  /** The message that may be shown to anyone when the error has none of its own. */
  readonly say: string;
  /** True when the same call may succeed later without a change. */
  readonly retry: boolean;
}

const kind = (blame: Blame, say: string, retry = false): Kind => ({ blame, say, retry });

/** Public names: a kind is never renamed and never reused with another meaning. */
export const KINDS = {
  BadRequest: kind('client', 'The request is not valid.'),
  Unauthorized: kind('client', 'Missing or invalid authentication credentials'),
  Forbidden: kind('client', 'You are not allowed to do this.'),
  NotFound: kind('client', 'There is nothing at this address.'),
  MethodNotAllowed: kind('client', 'This address does not support that method.'),
  Conflict: kind('client', 'The request conflicts with the current state.'),
  LengthRequired: kind('client', 'The request body needs a Content-Length.'),
  PreconditionFailed: kind('client', 'The resource has changed since the version the request names; fetch it again.'),
  PayloadTooLarge: kind('client', 'The request body is too large.'),
  UnsupportedMediaType: kind('client', 'The request body must be JSON.'),
  RangeNotSatisfiable: kind('client', 'The requested range lies outside the file.'),
  TooManyRequests: kind('client', 'Too many requests; wait a moment and try again.', true),
  UnsupportedFormat: kind('book', 'This file is not in a supported book format.'),
  CorruptArchive: kind('book', 'The file is damaged.'),
  EncryptedArchive: kind('book', 'The file is protected by a password.'),
  EmptyBook: kind('book', 'The file contains no pages.'),
  CorruptPage: kind('book', 'This page is damaged and cannot be shown.'),
  LimitExceeded: kind('book', 'The file exceeds a limit of this server.'),
  FileUnreadable: kind('book', 'The file cannot be read from disk.', true),
  FileChanged: kind('book', 'The file changed while it was being read.', true),
  Cancelled: kind('server', 'The work was cancelled.', true),
  Timeout: kind('server', 'The work took too long and was stopped.', true),
  Overloaded: kind('server', 'The server is busy; try again in a moment.', true),
  WorkerCrashed: kind('server', 'A worker thread ended unexpectedly.', true),
  StorageFull: kind(
    'server',
    'The disk of the data folder is full; changes are refused until there is space again.',
    true,
  ),
  StorageFailed: kind('server', 'The disk of the data folder is failing; try again later.', true),
  ProviderFailed: kind('server', 'The sign-on provider cannot be reached or gave an invalid response.', true),
  CollectorFailed: kind('server', 'The collector of traces and metrics could not be reached or refused them.', true),
  NotConfigured: kind('server', 'This is not set up on this server.'),
  Internal: kind('server', 'An internal error occurred'),
} as const satisfies Record<string, Kind>;

export type ErrorKind = keyof typeof KINDS;

/** An error as plain data: how it crosses a thread boundary and how it is stored. */
export interface Fault {
  readonly kind: ErrorKind;
  /** May be shown to anyone. */
  readonly message: string;
  readonly details: unknown;
  /** Where an unexpected error came from, for the log only: it names files of the server. */
  readonly trace?: string;
}

export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly details: unknown;

  constructor(kind: ErrorKind, message?: string, details: unknown = null, cause?: unknown) {
    super(message ?? KINDS[kind].say, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.kind = kind;
    this.details = details;
  }
}

/** The stack of an error and of its causes, for the log. */
export const traceOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = thrown.stack ?? thrown.message;
  return thrown.cause === undefined ? own : `${own}\ncaused by ${traceOf(thrown.cause)}`;
};

/** The request and the book are fine: the machine has run out of descriptors, threads or memory. */
const EXHAUSTED =
  /\b(?:EMFILE|ENFILE|ENOMEM|EAGAIN|ERR_WORKER_INIT_FAILED)\b|too many open files|cannot allocate memory|array buffer allocation failed/i;

/** What the machine has run out of, as a temporary error; undefined when that is not the cause. */
export const exhaustionOf = (thrown: unknown): AppError | undefined =>
  EXHAUSTED.test(traceOf(thrown))
    ? new AppError(
        'Overloaded',
        'The server has run out of file descriptors, threads or memory; try again in a moment.',
        null,
        thrown,
      )
    : undefined;

/** Any thrown value as data. An unknown throw becomes Internal; its own message is kept for the log, never for a client. */
export const faultOf = (thrown: unknown): Fault => {
  if (thrown instanceof AppError && thrown.kind !== 'Internal')
    return { kind: thrown.kind, message: thrown.message, details: thrown.details };
  const exhaustion = thrown instanceof AppError ? undefined : exhaustionOf(thrown);
  if (exhaustion !== undefined)
    return { kind: exhaustion.kind, message: exhaustion.message, details: null, trace: traceOf(thrown) };
  return { kind: 'Internal', message: KINDS.Internal.say, details: null, trace: traceOf(thrown) };
};

export const errorOf = ({ kind, message, details, trace }: Fault): AppError =>
  new AppError(kind, message, details, trace);
