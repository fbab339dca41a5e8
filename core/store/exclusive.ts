// A lock that lives as long as its process: an exclusive transaction on a database of its own, held open and never written.
import { Connection } from './connection.js';

export interface FileLock {
  /** May be called twice. */
  release(): Promise<void>;
}

/** Null when another process (or this one) holds it already. */
export const holdExclusively = async (path: string): Promise<FileLock | null> => {
  const connection = await Connection.open(path, true);
  try {
    await connection.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    await connection.close();
    if (thrown instanceof Error && /SQLITE_BUSY/.test(thrown.message)) return null;
    throw thrown;
  }
  let isHeld = true;
  return {
    release: async () => {
      if (!isHeld) return;
      isHeld = false;
      await connection.exec('ROLLBACK');
      await connection.close();
    },
  };
};
