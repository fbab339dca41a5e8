// What clients of the comic-server API take for missing: they know no other answer for what a book does not have.
import { AppError, type ErrorKind, faultOf } from '../../core/model/errors.js';

const MISSING: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'BadRequest',
  'UnsupportedFormat',
  'CorruptArchive',
  'EncryptedArchive',
  'EmptyBook',
]);

/** Throws NotFound, with the reason, for a book that cannot be read or is of another kind. */
export const asMissing = (thrown: unknown): never => {
  const { kind, message } = faultOf(thrown);
  throw MISSING.has(kind) ? new AppError('NotFound', message) : thrown;
};

/** The same, but what is wrong in the request stays a bad request. */
export const asUnreadable = (thrown: unknown): never => {
  if (faultOf(thrown).kind === 'BadRequest') throw thrown;
  return asMissing(thrown);
};
