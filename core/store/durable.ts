// Makes writes survive a power loss: the bytes of a file, and the names in a folder.
import { type FileHandle, open } from 'node:fs/promises';

const synced = async (path: string, flags: string): Promise<void> => {
  const handle: FileHandle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

export const syncFile = (path: string): Promise<void> => synced(path, 'r+');

/** Some systems cannot do this for a folder; renames there are as durable as the system makes them. */
const NOT_FOR_FOLDERS = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'];

export const syncFolder = (path: string): Promise<void> =>
  synced(path, 'r').catch((thrown: NodeJS.ErrnoException) => {
    if (!NOT_FOR_FOLDERS.includes(thrown.code ?? '')) throw thrown;
  });
