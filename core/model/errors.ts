// The words for everything that can go wrong, and the one error class. Knows no status numbers (http/errors.ts does).

type Blame = 'client' | 'book' | 'server';

interface Kind {
  /** Who has to act: the caller, the owner of the file, or whoever runs the server. */
  readonly blame: Blame;
  /** The sentence that may be shown to anyone when the error carries none of its own. */
  readonly say: string;
  /** True when the same call may succeed later without a change. */
  readonly retry: boolean;
}

const kind = (blame: Blame, say: string, retry = false): Kind => ({ blame, say, retry });

/** Public words: a kind is never renamed and never reused with another meaning. */
export const KINDS = {
  BadRequest: kind('client', 'The request is not valid.'),
  Unauthorized: kind('client', 'Missing or invalid authentication credentials'),
  Forbidden: kind('client', 'You are not allowed to do this.'),
  NotFound: kind('client', 'There is nothing at this address.'),
  MethodNotAllowed: kind('client', 'This address does not know that method.'),
  Conflict: kind('client', 'The request does not fit the present state.'),
  PayloadTooLarge: kind('client', 'The request body is too large.'),
  UnsupportedMediaType: kind('client', 'The request body must be JSON.'),
  RangeNotSatisfiable: kind('client', 'The requested range lies outside the file.'),
  TooManyRequests: kind('client', 'Too many requests; wait a moment and try again.', true),
  UnsupportedFormat: kind('book', 'This file is not a book format that can be read.'),
  CorruptArchive: kind('book', 'The file is damaged.'),
  EncryptedArchive: kind('book', 'The file is protected by a password.'),
  EmptyBook: kind('book', 'The file holds no page.'),
  CorruptPage: kind('book', 'This page is damaged and cannot be shown.'),
  LimitExceeded: kind('book', 'The file exceeds a limit of this server.'),
  FileUnreadable: kind('book', 'The file cannot be read from disk.', true),
  FileChanged: kind('book', 'The file changed while it was read.', true),
  Cancelled: kind('server', 'The work was cancelled.', true),
  Timeout: kind('server', 'The work took too long and was stopped.', true),
  Overloaded: kind('server', 'The server is busy; try again in a moment.', true),
  WorkerCrashed: kind('server', 'A worker thread ended unexpectedly.', true),
  StorageFull: kind(
    'server',
    'The disk of the data folder is full; nothing can be changed until there is space on it.',
    true,
  ),
  StorageFailed: kind('server', 'The disk of the data folder does not work as it should; try again later.', true),
  Internal: kind('server', 'An internal error occurred'),
} as const satisfies Record<string, Kind>;

export type ErrorKind = keyof typeof KINDS;

/** An error as plain data: how it crosses a thread boundary and how it is stored. */
export interface Fault {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly details: unknown;
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

/** Any thrown value as data. An unknown throw becomes Internal; its own words are kept for the log, never for a client. */
export const faultOf = (thrown: unknown): Fault => {
  if (thrown instanceof AppError) return { kind: thrown.kind, message: thrown.message, details: thrown.details };
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { kind: 'Internal', message: text, details: null };
};

export const errorOf = (fault: Fault): AppError => new AppError(fault.kind, fault.message, fault.details);
