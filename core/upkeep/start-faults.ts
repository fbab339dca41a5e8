// Turns faults before the server listens into messages with advice for its owner. Unexpected faults keep their stack.
import { statSync } from 'node:fs';
import { AppError, type ErrorKind } from '../model/errors.js';
import { type Places, restoreAdvice } from './installation.js';
import { codeOf, reasonOf } from './whole-file.js';

/** SQLite and system codes and messages of an error and its causes. */
const wordsOf = (thrown: unknown): string => {
  const words: string[] = [];
  for (let one = thrown; one instanceof Error && words.length < 5; one = one.cause)
    words.push(`${codeOf(one)} ${one.message}`);
  return words.join(' ');
};

const user = (): string => (process.getuid === undefined ? '' : ` (user id ${process.getuid()})`);

interface Advice {
  readonly when: RegExp;
  readonly say: (code: string, places: Places) => string;
}

const ADVICE: readonly Advice[] = [
  {
    when: /SQLITE_(?:CORRUPT|NOTADB)/,
    say: (code, { database, backups }) =>
      `The database ${database} is damaged (${code}). Run "longbox check" to see how badly. ${restoreAdvice(backups)}`,
  },
  {
    when: /SQLITE_FULL|ENOSPC|EDQUOT/,
    say: (code, { folder, cache }) =>
      `There is no space left on the disk of ${cache.startsWith(folder) ? folder : `${folder} or of the cache ${cache}`} (${code}). Free some space and start again; no data is lost.`,
  },
  {
    when: /SQLITE_READONLY|EROFS|EACCES|EPERM/,
    say: (code, { folder }) =>
      `The data folder ${folder} is not writable (${code}). Make the user that runs Longbox${user()} the owner of it and everything in it, mount it writable, or choose another folder with --data.`,
  },
  {
    when: /EMFILE|ENFILE/,
    say: (code) => `The limit on open files is too low (${code}). Raise it, for example with "ulimit -n 4096".`,
  },
  {
    when: /SQLITE_CANTOPEN/,
    say: (code, { database }) =>
      `The database ${database} cannot be opened (${code}). Check that the user that runs Longbox${user()} may read and write it, and may create files in its folder.`,
  },
  {
    when: /SQLITE_(?:BUSY|LOCKED)/,
    say: (code, { database }) => `The database ${database} is in use by another program (${code}). Close it first.`,
  },
  {
    when: /SQLITE_IOERR|\bEIO\b/,
    say: (code, { folder }) =>
      `The disk of ${folder} reports an error (${code}). Check the system log and the disk before starting again.`,
  },
];

/** Kinds whose messages are written for clients; the owner gets more detail. */
const UNEXPLAINED: ReadonlySet<ErrorKind> = new Set(['Internal', 'StorageFull', 'StorageFailed']);

/** A message for a fault the owner can fix; anything else unchanged. */
export const explained = (thrown: unknown, places: Places): unknown => {
  if (thrown instanceof AppError && !UNEXPLAINED.has(thrown.kind)) return thrown;
  const words = wordsOf(thrown);
  for (const { when, say } of ADVICE) {
    const code = when.exec(words)?.[0];
    if (code !== undefined) return new AppError('BadRequest', say(code, places), null, thrown);
  }
  return thrown;
};

/** A cache that cannot be a folder is a mistake in the configuration. */
export const refuseCacheFile = (cache: string): void => {
  try {
    if (statSync(cache).isDirectory()) return;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return;
    throw new AppError('BadRequest', `The cache folder ${cache} cannot be used: ${reasonOf(thrown)}.`, null, thrown);
  }
  throw new AppError(
    'BadRequest',
    `The cache path ${cache} is not a folder. Move that file away, or set cache.path (SVC_CACHE__PATH) to a folder.`,
  );
};
