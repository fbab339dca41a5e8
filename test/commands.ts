// Programs of the system that some tests need.
import { spawnSync } from 'node:child_process';

/** Whether the system has a program. `args` make it end at once. */
export const hasCommand = (name: string, ...args: readonly string[]): boolean =>
  spawnSync(name, args, { stdio: 'ignore' }).error === undefined;

export const NO_BSDTAR = 'it needs bsdtar (Debian package libarchive-tools)';
