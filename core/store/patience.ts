// Work that nobody waits for outlives a full disk: it is tried again when the disk of the database works.
import { AppError } from '../model/errors.js';
import { isOfDisk } from './connection.js';
import type { Db } from './db.js';

/** Runs `body` until the disk does not stand in its way. Throws Cancelled when `signal` ends the wait. */
export const patiently = async <T>(
  db: Pick<Db, 'working'>,
  signal: AbortSignal,
  body: () => Promise<T>,
): Promise<T> => {
  for (;;) {
    try {
      return await body();
    } catch (thrown) {
      if (!isOfDisk(thrown)) throw thrown;
      await db.working(signal);
      if (signal.aborted) throw new AppError('Cancelled', undefined, null, thrown);
    }
  }
};
