// What is said about errors of the API, in English. Where the server knows more than the kind (see `SPECIFIC` in state/api-errors.ts), this is
// what it says when it does not.
import type { ErrorMessages } from '../state/api-errors.js';

const OUTDATED = 'This page does not match the server. Reload it.';
const FAILED = 'Something went wrong on the server. Try again; the administrator can find the reason in the log.';

export const errorsEn = {
  kinds: {
    BadRequest: 'The request is not valid.',
    Unauthorized: 'You are not signed in. Sign in and try again.',
    Forbidden: 'You are not allowed to do this.',
    NotFound: 'This no longer exists, or you are not allowed to see it.',
    MethodNotAllowed: OUTDATED,
    Conflict: 'The request conflicts with the current state.',
    LengthRequired: OUTDATED,
    PreconditionFailed: 'This has been changed in the meantime. Reload the page and try again.',
    PayloadTooLarge: 'This is too large for the server. Choose a smaller file.',
    UnsupportedMediaType: 'The server does not accept files of this type.',
    RangeNotSatisfiable: OUTDATED,
    TooManyRequests: 'Too many requests. Wait a moment and try again.',
    UnsupportedFormat: 'This file is not in a supported book format.',
    CorruptArchive: 'The file is damaged.',
    EncryptedArchive: 'The file is protected by a password.',
    EmptyBook: 'The file contains no pages.',
    CorruptPage: 'This page is damaged and cannot be shown.',
    LimitExceeded: 'The file exceeds a limit of this server.',
    FileUnreadable: 'The file cannot be read from disk.',
    FileChanged: 'The file changed while it was being read. Try again.',
    Cancelled: 'This was cancelled. Try again.',
    Timeout: 'This took too long and was stopped. Try again later.',
    Overloaded: 'The server is busy. Try again in a moment.',
    WorkerCrashed: FAILED,
    StorageFull: 'The disk of the data folder is full; changes are refused until there is space again.',
    StorageFailed: 'The disk of the data folder is failing; try again later.',
    ProviderFailed: 'The sign-on provider cannot be reached or gave an invalid response.',
    CollectorFailed: 'The collector of traces and metrics could not be reached or refused them.',
    NotConfigured: 'This is not set up on this server.',
    InternalServerError: FAILED,
  },
  wait: (seconds: number): string =>
    seconds < 90
      ? `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
      : `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
  field: (label: string): string => `Check what you entered under “${label}”.`,
  fields: {
    username: 'User name',
    email: 'E-mail address',
    password: 'Password',
    newPassword: 'New password',
    name: 'Name',
    path: 'Path of the folder',
    cronSchedule: 'Scan on a schedule',
  },
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  unknown: 'Something went wrong. Try again.',
} satisfies ErrorMessages;

/** Every language says all that English says. */
export type ErrorTexts = typeof errorsEn;
