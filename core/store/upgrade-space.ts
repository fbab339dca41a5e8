// Whether the disk has room for an upgrade of the database: a copy of it, what the steps add, and the log of the largest.
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../model/errors.js';

/** A step of statements may write this share of the database in its one transaction; one that writes more is split into batches. */
const LOG_SHARE = 0.125;
const LOG_MIN_BYTES = 16 * 1024 * 1024;

export interface Upgrade {
  readonly path: string;
  readonly backupFolder: string;
  /** Schema numbers. */
  readonly from: number;
  readonly to: number;
  /** The size of the copy; 0 when it already exists. */
  readonly copyBytes: number;
  readonly databaseBytes: number;
  /** What the steps add for good. */
  readonly growthBytes: number;
}

interface Place {
  readonly folder: string;
  readonly bytes: number;
  readonly use: string;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** What is needed on which disk. Copies may lie on another one. */
const placesOf = async ({
  path,
  backupFolder,
  copyBytes,
  databaseBytes,
  growthBytes,
}: Upgrade): Promise<readonly Place[]> => {
  const folder = dirname(path);
  const backups = (await exists(backupFolder)) ? backupFolder : dirname(backupFolder);
  const bytes = growthBytes + LOG_MIN_BYTES + databaseBytes * LOG_SHARE;
  const changes = { folder, bytes, use: 'new data and its log' };
  if (copyBytes === 0) return [changes];
  const copy = { folder: backups, bytes: copyBytes, use: 'a copy of the database' };
  const [one, other] = [await stat(folder), await stat(backups)];
  if (one.dev !== other.dev) return [copy, changes];
  return [{ folder, bytes: copy.bytes + changes.bytes, use: `${copy.use}, ${changes.use}` }];
};

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;

/** Throws when a disk is too small. A file system that does not report its size is assumed to have room. */
export const refuseWithoutRoom = async (upgrade: Upgrade): Promise<void> => {
  for (const { folder, bytes, use } of await placesOf(upgrade)) {
    const { bavail, blocks, bsize } = await statfs(folder);
    const free = bavail * bsize;
    if (blocks === 0 || free >= bytes) continue;
    throw new AppError(
      'BadRequest',
      `There is not enough space to upgrade the database ${upgrade.path} from schema ${upgrade.from} to ${upgrade.to}. It needs ${megabytes(bytes)} on the disk of ${folder} (${use}), and ${megabytes(free)} are free. Free ${megabytes(bytes - free)} more, for example by moving older copies out of ${upgrade.backupFolder}, and start again; no data is lost.`,
    );
  }
};
