// Why a path that somebody typed cannot be used: a sentence, and the code of the operating system, so that clients can say it themselves.
import { AppError } from './errors.js';

/** Sentences by code; a path that is refused for another reason has its own. */
const SENTENCES = {
  ENOENT: 'Path does not exist',
  EACCES: 'Path is not readable by the server',
  ENOTDIR: 'Path is not a directory',
  ELOOP: 'Path goes through too many links',
  ENAMETOOLONG: 'Path has a name that is too long',
} as const;

export type PathCode = keyof typeof SENTENCES;

export const isPathCode = (code: unknown): code is PathCode => typeof code === 'string' && code in SENTENCES;

export const pathRefusal = (code: PathCode, path: string, message: string = SENTENCES[code]): AppError =>
  new AppError('BadRequest', `${message}: ${path}`, [{ path: 'path', message, code }]);

export const isMissingPath = (thrown: unknown): boolean => {
  const details = thrown instanceof AppError && Array.isArray(thrown.details) ? thrown.details : [];
  return details.some((one: { readonly code?: unknown }) => one.code === ('ENOENT' satisfies PathCode));
};
