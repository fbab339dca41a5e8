// Lets background work outlive a full disk: it is retried when the database disk works again. Writes that must not be lost outlive any failure.
import { setTimeout as delay } from 'node:timers/promises';
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

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/**
 * For writes that must not be lost: runs `body` again after any failure, with growing waits. The first failure goes to `onFault`, unless a
 * disk is to blame. Once `signal` is aborted, tries once more and throws what that throws.
 */
export const persistently = async <T>(
  db: Pick<Db, 'working'>,
  signal: AbortSignal,
  onFault: (thrown: unknown) => void,
  body: () => Promise<T>,
): Promise<T> => {
  let isSaid = false;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await body();
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      if (isOfDisk(thrown)) await db.working(signal);
      else {
        if (!isSaid) onFault(thrown);
        isSaid = true;
        await delay(waitMs, undefined, { signal }).catch(() => undefined); // an abort ends the wait
      }
    }
  }
};
