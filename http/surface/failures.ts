// Which errors a row may answer with: those that follow from its access, its input and its method, and those that it names itself.
import type { ErrorKind } from '../../core/model/errors.js';
import { isSignIn, type Route } from './route.js';

/** Reading the file of a book. */
export const FILE_FAULTS = ['FileUnreadable', 'FileChanged'] as const satisfies readonly ErrorKind[];

/** Reading what is in the file of a book. */
export const BOOK_FAULTS = [
  'UnsupportedFormat',
  'CorruptArchive',
  'EncryptedArchive',
  'EmptyBook',
  'CorruptPage',
  'LimitExceeded',
  ...FILE_FAULTS,
] as const satisfies readonly ErrorKind[];

/** Any work may fail, or be given up. */
const ALWAYS = [
  'Internal',
  'Cancelled',
  'Timeout',
  'Overloaded',
  'WorkerCrashed',
  'StorageFull',
  'StorageFailed',
] as const satisfies readonly ErrorKind[];

const hasFields = (schema: object): boolean =>
  'properties' in schema && Object.keys(schema.properties as object).length > 0;

export const failuresOf = (route: Route): ReadonlySet<ErrorKind> => {
  const kinds = new Set<ErrorKind>([...ALWAYS, ...route.fails]);
  const has = (kind: ErrorKind, isPossible: boolean): unknown => isPossible && kinds.add(kind);
  const isPublic = route.access === 'public';
  const takesBody = route.body !== null || route.upload !== null;
  has('BadRequest', takesBody || route.raw !== null || hasFields(route.params) || hasFields(route.query));
  has('UnsupportedMediaType', takesBody);
  has('PayloadTooLarge', route.method !== 'GET');
  has('LengthRequired', route.method !== 'GET');
  has('Unauthorized', !isPublic);
  // Whose keys a bearer token is checked with.
  has('ProviderFailed', !isPublic);
  // A key without permissions, or a page of another site that writes with the cookie.
  has('Forbidden', !isPublic || isSignIn(route));
  has('NotFound', hasFields(route.params));
  // Passwords may be guessed at a login, and wherever else they are taken.
  has('TooManyRequests', isSignIn(route) || !isPublic);
  return kinds;
};
