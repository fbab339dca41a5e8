// A change that a user asks for, in its transaction: several such changes can share one.
import type { Clock } from '../engine/clock.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Tx } from '../store/db.js';

export interface Asking {
  readonly tx: Tx;
  readonly viewer: Viewer;
  readonly nowMs: number;
}

/** Runs changes in a transaction of their own, on behalf of the viewer. */
export const asAsked = <T>(
  db: Db,
  clock: Clock,
  viewer: Viewer,
  change: (asking: Asking) => Promise<T>,
): Promise<T> => {
  const nowMs = clock.now();
  return db.write(viewer.userKey, 'interactive', (tx) => change({ tx, viewer, nowMs }));
};
