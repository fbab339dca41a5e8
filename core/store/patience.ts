// Lets background work outlive a full disk: it is retried when the database disk works again.
import { AppError } from '../model/errors.js';
import { isOfDisk } from './connection.js';
import type { Db } from './db.js';

/** Runs `body`, again after each disk failure, until it ends otherwise. Throws Cancelled when `signal` ends the wait. */
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
