// A backup opened for a download: read by position, and closed once it was sent and its last read has ended.
import { close, closeSync, fstatSync, open, read } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';
import { READ_FLAGS } from '../model/held-place.js';
import type { BackupFile } from './backup-files.js';
import { codeOf } from './whole-file.js';

export interface OpenBackup {
  readonly file: BackupFile;
  readonly size: number;
  readonly fd: number;
  readonly readPart: (
    target: Uint8Array,
    length: number,
    position: number,
    done: (error: Error | null, bytes: number) => void,
  ) => void;
  release(): void;
}

const gone = (thrown?: unknown): AppError => new AppError('NotFound', 'There is no backup with this id.', null, thrown);

const descriptorOf = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    open(path, READ_FLAGS, (error, fd) => {
      if (error === null) resolve(fd);
      else reject(['ENOENT', 'ELOOP'].includes(codeOf(error)) ? gone(error) : error);
    });
  });

/** A read counts as a user: a descriptor must not be closed, and its number reused, during one. */
export const openBackup = async (folder: string, file: BackupFile): Promise<OpenBackup> => {
  const fd = await descriptorOf(join(folder, file.name));
  const stat = fstatSync(fd);
  if (!stat.isFile()) {
    closeSync(fd);
    throw gone();
  }
  let users = 1;
  const leave = (): void => {
    users -= 1;
    if (users === 0) close(fd, () => undefined); // nothing was written: there is nothing to lose
  };
  return {
    file,
    size: stat.size,
    fd,
    readPart: (target, length, position, done) => {
      users += 1;
      read(fd, target, 0, length, position, (error, bytes) => {
        leave();
        done(error, bytes);
      });
    },
    release: leave,
  };
};
