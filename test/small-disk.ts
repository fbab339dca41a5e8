// A small disk of its own: a tmpfs, or an ext4 file system in a file. Where mounting is not allowed, the reason instead.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check } from './kit.js';

export type DiskKind = 'tmpfs' | 'ext4';

export interface SmallDisk {
  readonly path: string;
  /** Takes all space but so many bytes. */
  fill(leftBytes: number): void;
  /** Gives it back. */
  empty(): void;
  readOnly(on: boolean): void;
  remove(): void;
}

const run = (command: string, ...args: string[]): string | null => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return null;
  return error?.message ?? (stderr.trim().split('\n')[0] || `${command} failed`);
};

const mounted = (kind: DiskKind, folder: string, megabytes: number): string | null => {
  const path = join(folder, 'disk');
  mkdirSync(path);
  if (kind === 'tmpfs') return run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path);
  const image = join(folder, 'image');
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  return run('mkfs.ext4', '-q', '-m', '0', image) ?? run('mount', '-o', 'loop', image, path);
};

const FILLER = 'filler';

/** A disk, or why there can be none. */
export const smallDisk = (kind: DiskKind, megabytes: number): SmallDisk | string => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-disk-'));
  const why = mounted(kind, folder, megabytes);
  if (why !== null) {
    rmSync(folder, { recursive: true, force: true });
    return why;
  }
  const path = join(folder, 'disk');
  const filler = join(path, FILLER);
  return {
    path,
    fill: (leftBytes) => {
      const { bavail, bsize } = statfsSync(path);
      const bytes = bavail * bsize - leftBytes;
      const count = `count=${Math.ceil(bytes / 4096)}`;
      if (bytes > 0) run('dd', 'if=/dev/zero', `of=${filler}`, 'bs=4096', 'oflag=append', 'conv=notrunc', count);
    },
    empty: () => rmSync(filler, { force: true }),
    readOnly: (on) => {
      const failed = run('mount', '-o', `remount,${on ? 'ro' : 'rw'}`, path);
      if (failed !== null) throw new Error(failed);
    },
    remove: () => {
      run('umount', '-l', path);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Whether small disks can be had here; otherwise the reason. */
export const whyNoDisk = (kind: DiskKind): string | null => {
  const disk = smallDisk(kind, 8);
  if (typeof disk === 'string') return disk;
  disk.remove();
  return null;
};

/** Checks that each get a tmpfs of their own. Where none can be mounted they are skipped, with the reason. */
export const checkOnDisks = (
  check: Check,
  megabytes: number,
  facts: Readonly<Record<string, (disk: SmallDisk) => Promise<void>>>,
): void => {
  const why = whyNoDisk('tmpfs');
  for (const [fact, body] of Object.entries(facts)) {
    if (why !== null) check.skip(fact, `no disk of its own: ${why}`);
    else
      check(fact, async () => {
        const disk = smallDisk('tmpfs', megabytes);
        if (typeof disk === 'string') throw new Error(disk);
        try {
          await body(disk);
        } finally {
          disk.remove();
        }
      });
  }
};
