// The files in the folder `backups/`: their names, what each is, and which of them may be removed. A name decides what made a file.
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';
import { uuidOfBytes } from '../model/ids.js';
import { type Glance, glanceAt } from './read-backup.js';
import { codeOf } from './whole-file.js';

/** `other`: put there by somebody, as with `longbox backup FILE`. */
export const KINDS = ['manual', 'scheduled', 'upgrade', 'restore-point', 'other'] as const;
export type BackupKind = (typeof KINDS)[number];

export interface BackupFile {
  /** Derived from its name. */
  readonly id: string;
  readonly name: string;
  readonly kind: BackupKind;
  readonly bytes: number;
  readonly createdAt: number;
  readonly modifiedAt: number;
  /** Of the program that made it; null for a copy of the database alone. */
  readonly version: string | null;
  readonly schema: number | null;
  /** Whether uploaded images are in it as well. */
  readonly hasUploads: boolean;
  /** False for one that is being made, or that was cut off. */
  readonly complete: boolean;
}

export const BEFORE_RESTORE = 'longbox-before-restore';
const WORDS = { manual: 'longbox-manual', scheduled: 'longbox-scheduled', 'restore-point': BEFORE_RESTORE } as const;
const OF_UPGRADE = /^longbox-schema-\d+\.db$/;
const ENDINGS = ['.tar', '.db'];
const PARTIAL = '.partial';
/** Only the last so many names in the folder count; nobody has more. */
const FILES_MAX = 1000;

/** A name that says what made it, and when; such names sort by time. */
export const ownName = (kind: keyof typeof WORDS, nowMs: number, ending = '.tar'): string =>
  `${WORDS[kind]}-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}${ending}`;

const kindOf = (name: string): BackupKind => {
  if (OF_UPGRADE.test(name)) return 'upgrade';
  for (const kind of ['manual', 'scheduled', 'restore-point'] as const)
    if (name.startsWith(`${WORDS[kind]}-`)) return kind;
  return 'other';
};

/** A version 8 UUID (RFC 9562 section 5.8). */
const idOf = (name: string): string => {
  const bytes = createHash('sha256').update(`backup ${name}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return uuidOfBytes(bytes);
};

const namesIn = async (folder: string, isWanted: (name: string) => boolean): Promise<readonly string[]> => {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) if (entry.isFile() && isWanted(entry.name)) names.push(entry.name);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown; // no backup was ever made
  }
  return names.sort();
};

const isBackup = (name: string): boolean =>
  ENDINGS.some((ending) => name.endsWith(ending) || name.endsWith(`${ending}${PARTIAL}`));

interface Remembered {
  readonly glance: Glance;
  /** What changes when the file does. */
  readonly stamp: string;
}

/** A glance reads the header of every entry, and a list is asked for by each visit of a dashboard. */
const remembered = boundedByCount<string, Remembered>(FILES_MAX);

const glanceOnce = async (path: string, { ino, size, ctimeNs }: BigIntStats): Promise<Glance> => {
  const stamp = `${ino} ${size} ${ctimeNs}`;
  const known = remembered.get(path);
  if (known?.stamp === stamp) return known.glance;
  const glance = await glanceAt(path);
  remembered.set(path, { glance, stamp });
  return glance;
};

/** Undefined for one that is gone by now. */
const fileOf = async (folder: string, name: string): Promise<BackupFile | undefined> => {
  const path = join(folder, name);
  try {
    const stat = await lstat(path, { bigint: true });
    const [size, mtimeMs] = [Number(stat.size), Number(stat.mtimeMs)];
    const { version, schema, createdAt, complete } = await glanceOnce(path, stat);
    return {
      id: idOf(name),
      name,
      kind: kindOf(name),
      bytes: size,
      createdAt: createdAt ?? mtimeMs,
      modifiedAt: mtimeMs,
      version,
      schema,
      hasUploads: version !== null,
      complete: complete && !name.endsWith(PARTIAL),
    };
  } catch (thrown) {
    if (['ENOENT', 'ELOOP'].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
};

/** The newest first. */
export const backupsIn = async (folder: string): Promise<readonly BackupFile[]> => {
  const names = (await namesIn(folder, isBackup)).slice(-FILES_MAX);
  const files: BackupFile[] = [];
  for (const name of names) files.push(...[await fileOf(folder, name)].flatMap((file) => file ?? []));
  return files.sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? 1 : -1));
};

/** Of the names in the folder, that with this id: a path never comes from a client. */
export const backupById = async (folder: string, id: string): Promise<BackupFile> => {
  const name = (await namesIn(folder, isBackup)).find((one) => idOf(one) === id);
  const file = name === undefined ? undefined : await fileOf(folder, name);
  if (file === undefined) throw new AppError('NotFound', 'There is no backup with this id.');
  return file;
};

/**
 * The newest that is whole and was made to be kept; null if there is none. Restore points and copies before an upgrade do not count, nor do
 * backups from the future: what the clock said while it was ahead must not hide that no more were made.
 */
export const lastBackup = async (folder: string, nowMs: number): Promise<BackupFile | null> =>
  (await backupsIn(folder)).find(
    ({ kind, complete, createdAt }) =>
      complete && createdAt <= nowMs && (kind === 'manual' || kind === 'scheduled' || kind === 'other'),
  ) ?? null;

/**
 * Removes scheduled backups but the one just `made` and the newest others, so many in all; no other kind is ever removed by the server.
 * Those from the future, when the clock was ahead, count as the oldest. Returns how many.
 */
export const removeOld = async (folder: string, keep: number, made: string, nowMs: number): Promise<number> => {
  const others = (await backupsIn(folder)).filter(
    ({ kind, complete, name }) => kind === 'scheduled' && complete && name !== made,
  );
  const past = others.filter(({ createdAt }) => createdAt <= nowMs);
  const future = others.filter(({ createdAt }) => createdAt > nowMs);
  const old = [...past, ...future].slice(keep - 1);
  for (const { name } of old) await rm(join(folder, name), { force: true });
  return old.length;
};

const OWN_PARTIAL = new RegExp(`^(?:${Object.values(WORDS).join('|')})-.*\\${PARTIAL}(?:-wal|-journal|-shm)?$`);

/** What a process that was killed left. Only while nothing of the kind is being made. */
export const removeOwnPartials = async (folder: string): Promise<void> => {
  for (const name of await namesIn(folder, (one) => OWN_PARTIAL.test(one)))
    await rm(join(folder, name), { force: true });
};
