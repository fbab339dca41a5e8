// The two secrets of an installation: created at the first start, kept in the data folder, readable only by its owner.
// Never logs a value and never includes one in a message.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';
import { codeOf, createWhole, reasonOf } from './whole-file.js';

const SECRET_BYTES = 32;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Keys as bytes, ready for signing and for encryption. */
export interface Secrets {
  readonly jwtSecret: Uint8Array;
  readonly encryptionKey: Uint8Array;
}

/** What the configuration says; null means "use the one in the data folder". */
export interface SecretOverrides {
  readonly jwtSecret: string | null;
  readonly encryptionKey: string | null;
}

/** Any text of at least 32 bytes: a shorter key would be weaker than the signature it makes. */
export const jwtSecretOf = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length >= SECRET_BYTES ? bytes : null;
};

/** Exactly 32 bytes, written as 64 hex digits or in base64 (either alphabet, padded or not). */
export const encryptionKeyOf = (text: string): Uint8Array | null => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9_+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
};

export const JWT_SECRET_SHAPE = 'a text of at least 32 bytes';
export const ENCRYPTION_KEY_SHAPE = '32 bytes as base64 or as 64 hex digits';

interface StoredSecret {
  readonly file: string;
  /** The consequence for users when this file is replaced by a new one. */
  readonly loss: string;
}

const JWT_FILE: StoredSecret = { file: 'jwt-secret', loss: 'everybody has to sign in again' };
const KEY_FILE: StoredSecret = { file: 'encryption-key', loss: 'stored passwords of plugins have to be entered again' };

const unusable = (path: string, thrown: unknown): AppError =>
  new AppError('BadRequest', `The secret file ${path} cannot be used (${reasonOf(thrown)}).`, null, thrown);

/** The text of the file, or undefined when there is none. */
const readSecret = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, 'utf8');
    // A restored backup often comes back readable by everyone.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, FILE_MODE);
    return text;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw unusable(path, thrown);
  }
};

const bytesOf = (path: string, text: string, loss: string): Uint8Array => {
  const word = text.trim();
  const bytes = Buffer.from(word, 'base64url');
  if (/^[A-Za-z0-9_-]{43}$/.test(word) && bytes.length === SECRET_BYTES) return bytes;
  const fault = word === '' ? 'is empty' : 'does not hold 32 bytes in base64url';
  throw new AppError(
    'BadRequest',
    `The secret file ${path} ${fault}. Restore it from a backup, or delete it to create a new one; then ${loss}.`,
  );
};

const makeSecret = (path: string): void => {
  try {
    createWhole(path, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`, FILE_MODE);
  } catch (thrown) {
    throw unusable(path, thrown);
  }
};

const loadOrMake = (folder: string, kept: StoredSecret): Uint8Array => {
  const path = join(folder, kept.file);
  const there = readSecret(path);
  if (there !== undefined) return bytesOf(path, there, kept.loss);
  makeSecret(path);
  // Read back: what counts is what the next start will find.
  return bytesOf(path, readSecret(path) ?? '', kept.loss);
};

const configured = (
  name: string,
  text: string,
  read: (text: string) => Uint8Array | null,
  shape: string,
): Uint8Array => {
  const bytes = read(text);
  if (bytes === null) throw new AppError('BadRequest', `${name} must be ${shape}.`);
  return bytes;
};

const makeFolder = (dataDir: string, folder: string): void => {
  try {
    mkdirSync(dataDir, { recursive: true });
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  } catch (thrown) {
    throw new AppError('BadRequest', `The folder ${folder} cannot be created (${reasonOf(thrown)}).`, null, thrown);
  }
};

/**
 * Loads both secrets. Those in the configuration take precedence; missing ones are created. Call it while holding the data folder's lock.
 */
export const loadSecrets = (dataDir: string, overrides: SecretOverrides): Secrets => {
  const folder = join(dataDir, 'secrets');
  const { jwtSecret, encryptionKey } = overrides;
  if (jwtSecret === null || encryptionKey === null) makeFolder(dataDir, folder);
  return {
    jwtSecret:
      jwtSecret === null
        ? loadOrMake(folder, JWT_FILE)
        : configured('auth.jwt_secret', jwtSecret, jwtSecretOf, JWT_SECRET_SHAPE),
    encryptionKey:
      encryptionKey === null
        ? loadOrMake(folder, KEY_FILE)
        : configured('auth.encryption_key', encryptionKey, encryptionKeyOf, ENCRYPTION_KEY_SHAPE),
  };
};
