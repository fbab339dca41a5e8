// Whether the disks have room for what is about to be written: each disk once, whatever is to be written to several folders of it.
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../model/errors.js';

export interface Need {
  /** It, or its nearest existing ancestor. */
  readonly folder: string;
  readonly bytes: number;
  readonly use: string;
}

/** Left free for the database and for other programs: a twentieth of the disk, at most this much. */
const RESERVE_MAX_BYTES = 64 * 1024 * 1024;
const RESERVE_SHARE = 0.05;

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`;

const nearestOf = async (folder: string): Promise<{ readonly folder: string; readonly device: number }> => {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined || dirname(folder) === folder) return { folder, device: found?.dev ?? 0 };
  return nearestOf(dirname(folder));
};

/** Throws when a disk is too small. A file system that does not report its size is assumed to have room. */
export const refuseWithoutRoom = async (what: string, needs: readonly Need[]): Promise<void> => {
  const disks = new Map<number, { folder: string; bytes: number; uses: string[] }>();
  for (const { folder: wanted, bytes, use } of needs) {
    const { folder, device } = await nearestOf(wanted);
    const disk = disks.get(device) ?? { folder, bytes: 0, uses: [] };
    disks.set(device, { folder: disk.folder, bytes: disk.bytes + bytes, uses: [...disk.uses, use] });
  }
  for (const { folder, bytes, uses } of disks.values()) {
    const { bavail, blocks, bsize } = await statfs(folder);
    const needed = bytes + Math.min(RESERVE_MAX_BYTES, blocks * bsize * RESERVE_SHARE);
    const free = bavail * bsize;
    if (blocks === 0 || free >= needed) continue;
    throw new AppError(
      'Conflict',
      `There is not enough space ${what}. It needs ${megabytes(needed)} on the disk of ${folder} (${uses.join(', ')}, and a reserve), and ${megabytes(free)} are free. Free ${megabytes(needed - free)} more and try again; nothing was changed.`,
    );
  }
};
