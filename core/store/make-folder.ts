// Creates a folder with those above it. Node's own `recursive` reports a full disk as ENOENT, and never returns where a file system refuses new
// folders with ENOENT, as /proc does: it takes that for a missing parent, for ever.
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** `mode`: of each that is created. */
export const makeFolder = async (folder: string, mode = 0o777): Promise<void> => {
  try {
    await mkdir(folder, mode);
  } catch (thrown) {
    if (await isFolder(folder)) return;
    const above = dirname(folder);
    if (codeOf(thrown) !== 'ENOENT' || above === folder || (await isFolder(above))) throw thrown;
    await makeFolder(above, mode);
    await mkdir(folder, mode);
  }
};
