// Retries background work that a full disk stopped once the database disk works again, and writes that must not be lost after any failure.
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../model/errors.js';
import { isOfDisk } from './connection.js';
import type { Db } from './db.js';

/** Runs `body`, and runs it again after each disk failure. Throws Cancelled when `signal` ends the wait. */
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
 * For writes that must not be lost: retries `body` after any failure, with growing waits. The first failure goes to `onFault`, unless a
 * disk is to blame. Once `signal` is aborted, it tries one last time and throws that failure.
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
