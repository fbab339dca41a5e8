// What a backup consists of: the names of its entries, the description it begins with, and the list of contents it ends with. Pure.
import { AppError } from '../model/errors.js';
import { isUuid } from '../model/ids.js';
import type { Written } from './tar.js';

/** First, so that a list of backups reads a kilobyte of each. */
export const DESCRIPTION = 'backup.json';
/** Last, since it holds the hashes of all others. */
export const CONTENTS = 'manifest.json';
export const DATABASE = 'longbox.db';
const UPLOADS = 'uploads/';
const UPLOAD_ENDING = '.jpg';

const FORMAT = 'longbox-backup';
const FORMAT_VERSION = 1;
/** In the data folder, and in no backup: keys, which are kept apart from what they protect, and what can be made again. */
export const NOT_INCLUDED = ['secrets', 'cache'] as const;

export interface Description {
  /** Of the program that made it. */
  readonly version: string;
  readonly schema: number;
  readonly createdAt: number;
}

export interface Counts {
  readonly users: number;
  readonly libraries: number;
  readonly series: number;
  readonly books: number;
  readonly uploads: number;
}

export interface Contents {
  readonly counts: Counts;
  readonly files: readonly Written[];
  /** Ids of covers whose files were lost before. */
  readonly missingUploads: readonly string[];
}

/** The file of an uploaded image, in the folder of uploads. */
export const uploadFile = (id: string): string => `${id}${UPLOAD_ENDING}`;

export const uploadEntry = (id: string): string => `${UPLOADS}${uploadFile(id)}`;

/** The id of an uploaded image; undefined for any other name. */
export const uploadIn = (entry: string): string | undefined => {
  if (!entry.startsWith(UPLOADS) || !entry.endsWith(UPLOAD_ENDING)) return undefined;
  const id = entry.slice(UPLOADS.length, -UPLOAD_ENDING.length);
  return isUuid(id) && id === id.toLowerCase() ? id : undefined;
};

/** The id of an uploaded image by the name of its file. */
export const uploadNamed = (name: string): string | undefined => uploadIn(`${UPLOADS}${name}`);

export const isKnownEntry = (name: string): boolean =>
  name === DESCRIPTION || name === DATABASE || name === CONTENTS || uploadIn(name) !== undefined;

export const descriptionText = ({ version, schema, createdAt }: Description): string =>
  `${JSON.stringify({
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    version,
    schema,
    createdAt: new Date(createdAt).toISOString(),
    included: ['database', 'uploads'],
    notIncluded: NOT_INCLUDED,
  })}\n`;

export const contentsText = ({ counts, files, missingUploads }: Contents): string =>
  `${JSON.stringify({ counts, missingUploads, files })}\n`;

const recordIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null) return found as Record<string, unknown>;
  } catch {
    // no JSON at all: said below
  }
  throw new AppError('BadRequest', 'its description is damaged');
};

/** Throws for what another program, or a newer format, has written. */
export const readDescription = (text: string): Description => {
  const { format, formatVersion, version, schema, createdAt } = recordIn(text);
  if (format !== FORMAT) throw new AppError('BadRequest', 'it was not made by Longbox');
  if (formatVersion !== FORMAT_VERSION)
    throw new AppError('BadRequest', 'it was made by a newer version of Longbox; install that one first');
  const at = typeof createdAt === 'string' ? Date.parse(createdAt) : Number.NaN;
  if (typeof version !== 'string' || !Number.isSafeInteger(schema) || Number.isNaN(at))
    throw new AppError('BadRequest', 'its description is damaged');
  return { version, schema: Number(schema), createdAt: at };
};

const isWritten = (found: unknown): found is Written =>
  typeof found === 'object' &&
  found !== null &&
  'name' in found &&
  typeof found.name === 'string' &&
  'bytes' in found &&
  Number.isSafeInteger(found.bytes) &&
  'sha256' in found &&
  typeof found.sha256 === 'string';

/** The list of files with their sizes and hashes. */
export const readFiles = (text: string): readonly Written[] => {
  const { files } = recordIn(text);
  if (!Array.isArray(files) || !files.every(isWritten)) throw new AppError('BadRequest', 'its manifest is damaged');
  return files;
};
