// Small disks to fill: a file system in memory, or one in a file. Both need privileges that a test run may lack.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scene } from './kind.js';

export type Disk = 'tmpfs' | 'ext4';

const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

const mountAt = (kind: Disk, folder: string, bytes: number): void => {
  mkdirSync(folder, { recursive: true });
  if (kind === 'tmpfs') {
    run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'none', folder);
    return;
  }
  const image = `${folder}.image`;
  closeSync(openSync(image, 'w'));
  truncateSync(image, bytes);
  run('mkfs.ext4', '-q', '-F', '-m', '0', image);
  run('mount', '-o', 'loop', image, folder);
};

/** Why a disk of this kind cannot be mounted here; null when it can. */
export const mountHindrance = (kind: Disk): string | null => {
  if (process.platform !== 'linux') return 'mounting works on Linux only';
  const folder = mkdtempSync(join(tmpdir(), 'longbox-mount-'));
  try {
    mountAt(kind, join(folder, 'disk'), 8 * 1024 * 1024);
    run('umount', join(folder, 'disk'));
    return null;
  } catch (thrown) {
    const words = thrown instanceof Error ? thrown.message.split('\n').slice(-2).join(' ').trim() : String(thrown);
    return `no ${kind} can be mounted here: ${words}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Mounts a disk until the kind is over. */
export const mountDisk = (scene: Scene, kind: Disk, folder: string, bytes: number): void => {
  mountAt(kind, folder, bytes);
  scene.atEnd(() => run('umount', '-l', folder));
};

const STEP_BYTES = 64 * 1024;

/** Fills the disk with one file, which can be removed to make room. */
export const fill = (path: string): void => {
  const fd = openSync(path, 'a');
  try {
    for (let step = STEP_BYTES; step >= 1; step = Math.floor(step / 16)) fillBy(fd, Buffer.alloc(step, 1));
  } finally {
    closeSync(fd);
  }
};

const fillBy = (fd: number, bytes: Buffer): void => {
  try {
    for (;;) if (writeSync(fd, bytes) < bytes.length) return;
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown;
  }
};
