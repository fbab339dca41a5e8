// Reads backups: what one says of itself, whether all of it is what was written, and its parts. Nothing in a file is trusted: names are
// those that a backup has, and sizes and hashes those of its own list.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../model/errors.js';
import { READ_FLAGS } from '../model/held-place.js';
import { beginsAsTar } from '../model/tar-header.js';
import {
  CONTENTS,
  DATABASE,
  DESCRIPTION,
  type Description,
  isKnownEntry,
  readDescription,
  readFiles,
  uploadIn,
} from './backup-parts.js';
import { entriesOf, hasEnd, piecesOf, type TarEntry, type Written } from './tar.js';
import { codeOf } from './whole-file.js';

const HEAD_BYTES = 4096;
const SQLITE_MAGIC = 'SQLite format 3\0';
/** Where SQLite keeps the number of the schema (https://www.sqlite.org/fileformat.html, 1.3.14). */
const SQLITE_SCHEMA_AT = 60;
const SQLITE_HEADER_BYTES = 100;
const DESCRIPTION_BYTES_MAX = 2048;
/** A list of more than a million files. */
const CONTENTS_BYTES_MAX = 256 * 1024 * 1024;

/** An entry as its manifest has it. */
export interface Listed extends TarEntry {
  readonly sha256: string;
}

export interface Upload extends Listed {
  readonly id: string;
}

export interface CheckedBackup {
  readonly description: Description;
  readonly database: Listed;
  readonly uploads: readonly Upload[];
}

/** What the first bytes say; a `database` is a copy made by an earlier version, or before an upgrade. */
export type Kind = 'archive' | 'database' | 'other';

const headOf = async (handle: FileHandle): Promise<Buffer> => {
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0);
  return head.subarray(0, bytesRead);
};

const kindIn = (head: Buffer): Kind => {
  if (head.toString('latin1', 0, SQLITE_MAGIC.length) === SQLITE_MAGIC) return 'database';
  return beginsAsTar(head) ? 'archive' : 'other';
};

export const withFile = async <T>(path: string, body: (handle: FileHandle) => Promise<T>): Promise<T> => {
  const handle = await open(path, READ_FLAGS);
  try {
    return await body(handle);
  } finally {
    await handle.close();
  }
};

export const kindOf = (path: string): Promise<Kind> => withFile(path, async (handle) => kindIn(await headOf(handle)));

const textOf = async (handle: FileHandle, entry: TarEntry, max: number): Promise<string> => {
  if (entry.bytes > max) throw new AppError('BadRequest', `${entry.name} in it is too large`);
  const pieces: Buffer[] = [];
  for await (const piece of piecesOf(handle, entry)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
};

export interface Glance {
  /** Null for a copy of the database, and for what cannot be read. */
  readonly version: string | null;
  readonly schema: number | null;
  readonly createdAt: number | null;
  /** False for one that was cut off. */
  readonly complete: boolean;
}

const NOTHING: Glance = { version: null, schema: null, createdAt: null, complete: false };

/** Its header says how many pages it has (https://www.sqlite.org/fileformat.html#the_database_header). */
const glanceAtDatabase = (head: Buffer, size: number): Glance => {
  if (head.length < SQLITE_HEADER_BYTES) return NOTHING;
  const [page, pages] = [head.readUInt16BE(16), head.readUInt32BE(28)];
  const bytes = (page === 1 ? 65_536 : page) * pages;
  return { ...NOTHING, schema: head.readUInt32BE(SQLITE_SCHEMA_AT), complete: size > 0 && size >= bytes };
};

/** Whether the headers lead to a database of that schema, and to a list of contents at the end; damaged ones throw. */
const hasParts = async (handle: FileHandle, { schema }: Description): Promise<boolean> => {
  const entries = await entriesIn(handle);
  const database = entries.get(DATABASE);
  if (database === undefined || [...entries.keys()].at(-1) !== CONTENTS) return false;
  const head = Buffer.alloc(SQLITE_HEADER_BYTES);
  await handle.read(head, 0, head.length, database.offset);
  const found = glanceAtDatabase(head, database.bytes);
  return kindIn(head) === 'database' && found.complete && found.schema === schema;
};

/** What can be said of a file from its headers. */
export const glanceAt = (path: string): Promise<Glance> =>
  withFile(path, async (handle) => {
    const { size } = await handle.stat();
    const head = await headOf(handle);
    const kind = kindIn(head);
    if (kind === 'database') return glanceAtDatabase(head, size);
    if (kind === 'other') return NOTHING;
    const { value: first } = await entriesOf(handle, size).next();
    if (first?.name !== DESCRIPTION) return NOTHING;
    const description = readDescription(await textOf(handle, first, DESCRIPTION_BYTES_MAX));
    return { ...description, complete: (await hasEnd(handle, size)) && (await hasParts(handle, description)) };
  }).catch((thrown: unknown) => {
    if (['ENOENT', 'ELOOP'].includes(codeOf(thrown))) throw thrown;
    return NOTHING; // one that cannot be read is listed as such, and hides no other
  });

const hashOf = async (handle: FileHandle, entry: TarEntry): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of piecesOf(handle, entry)) hash.update(piece);
  return hash.digest('hex');
};

/** Every entry has to be named once, and to be where a backup has it. */
const entriesIn = async (handle: FileHandle): Promise<ReadonlyMap<string, TarEntry>> => {
  const { size } = await handle.stat();
  const entries = new Map<string, TarEntry>();
  for await (const entry of entriesOf(handle, size)) {
    if (!isKnownEntry(entry.name))
      throw new AppError('BadRequest', `it contains ${JSON.stringify(entry.name)}, which no backup has`);
    if (entries.has(entry.name)) throw new AppError('BadRequest', `it contains ${entry.name} twice`);
    entries.set(entry.name, entry);
  }
  return entries;
};

const needed = (entries: ReadonlyMap<string, TarEntry>, name: string): TarEntry => {
  const entry = entries.get(name);
  if (entry === undefined) throw new AppError('BadRequest', `${name} is missing from it`);
  return entry;
};

/** Reads all of it. Throws, in words that follow the name of the file, unless every byte is as it was written. */
export const checkBackup = (path: string): Promise<CheckedBackup> =>
  withFile(path, async (handle) => {
    const entries = await entriesIn(handle);
    const description = readDescription(await textOf(handle, needed(entries, DESCRIPTION), DESCRIPTION_BYTES_MAX));
    const files = readFiles(await textOf(handle, needed(entries, CONTENTS), CONTENTS_BYTES_MAX));
    const listed = new Map<string, Written>(files.map((file) => [file.name, file]));
    if (listed.size !== files.length || listed.size !== entries.size - 1)
      throw new AppError('BadRequest', 'its manifest does not match what it contains');
    const uploads: Upload[] = [];
    const hashes = new Map<string, string>();
    for (const entry of entries.values()) {
      if (entry.name === CONTENTS) continue;
      const file = listed.get(entry.name);
      if (file === undefined || file.bytes !== entry.bytes || file.sha256 !== (await hashOf(handle, entry)))
        throw new AppError('BadRequest', `${entry.name} in it does not match its manifest`);
      hashes.set(entry.name, file.sha256);
      const id = uploadIn(entry.name);
      if (id !== undefined) uploads.push({ ...entry, id, sha256: file.sha256 });
    }
    return { description, database: { ...needed(entries, DATABASE), sha256: hashes.get(DATABASE) ?? '' }, uploads };
  });

/** Writes an entry to a new file and syncs it. Throws if it is not what was checked. */
export const extract = async (
  source: FileHandle,
  entry: TarEntry & { readonly sha256?: string },
  target: string,
): Promise<void> => {
  const handle = await open(target, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    for await (const piece of piecesOf(source, entry)) {
      hash.update(piece);
      await handle.writeFile(piece);
    }
    if (entry.sha256 !== undefined && entry.sha256 !== hash.digest('hex'))
      throw new AppError('BadRequest', `${entry.name} changed while the backup was being read.`);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Whether a file has this content; false when there is none. */
export const holds = async (path: string, upload: Upload): Promise<boolean> => {
  const found = await open(path, READ_FLAGS).catch(() => undefined);
  if (found === undefined) return false;
  try {
    const { size } = await found.stat();
    return (
      size === upload.bytes && (await hashOf(found, { name: upload.name, bytes: size, offset: 0 })) === upload.sha256
    );
  } finally {
    await found.close();
  }
};
