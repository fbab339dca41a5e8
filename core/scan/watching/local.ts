// Which file systems report every change: those that only this computer writes to. On network file systems, and on those that forward to
// others, changes happen behind the kernel's back.
import type { Mounts } from '../../engine/mounts.js';

const LOCAL: ReadonlySet<string> = new Set([
  ...['ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'zfs', 'f2fs', 'jfs', 'reiserfs', 'bcachefs', 'ubifs', 'nilfs2'],
  ...['vfat', 'msdos', 'exfat', 'ntfs', 'ntfs3', 'fuseblk', 'hfs', 'hfsplus', 'apfs', 'udf', 'iso9660', 'squashfs'],
  ...['tmpfs', 'ramfs', 'overlay'],
]);

export const isLocal = (mounts: Mounts, path: string): boolean => LOCAL.has(mounts.kindOf(path));

/** Whether a folder of a local library, relative to its root, is local too: something may be mounted inside. */
export const localIn = (mounts: Mounts, root: string): ((folder: string) => boolean) => {
  const others = mounts.below(root).filter((place) => !isLocal(mounts, place));
  if (others.length === 0) return () => true;
  return (folder) => isLocal(mounts, `${root}/${folder}`);
};
