// Files that appear whole or not at all, and the system's words for what went wrong with one.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { READ_FLAGS } from '../model/held-place.js';

/** The system's word for what went wrong ('ENOENT'), or ''. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';

/** The same for people: 'EACCES: permission denied'. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.message.split(',')[0] ?? thrown.message) : String(thrown);

/** In bytes; undefined when there is no such file. */
export const sizeOf = async (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    (thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    },
  );

const writeDurably = (path: string, text: string, mode: number): void => {
  const fd = openSync(path, 'wx', mode);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Creates a file with its whole text at once, never replacing one: false when it already exists. No one sees it half written. */
export const createWhole = (path: string, text: string, mode: number): boolean => {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeDurably(draft, text, mode);
    linkSync(draft, path);
    return true;
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
  // No hard links here (exFAT, some network shares): exclusive creation is the next best.
  try {
    writeDurably(path, text, mode);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
};

/** Whether its first byte can be read. */
export const canBeRead = async (path: string): Promise<boolean> => {
  const handle = await open(path, READ_FLAGS).catch(() => null);
  if (handle === null) return false;
  try {
    await handle.read(Buffer.alloc(1), 0, 1, 0);
    return true;
  } catch {
    return false;
  } finally {
    await handle.close();
  }
};
