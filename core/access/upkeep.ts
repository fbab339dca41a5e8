// What accounts and sign-in need done at intervals: stored times of last use, checks of live answers, removal of what has expired.
import type { Clock } from '../engine/clock.js';
import type { Db } from '../store/db.js';
import { pruneAudit } from './audit.js';
import type { Access } from './open.js';
import { pruneRegistration } from './registration.js';
import { pruneSessions } from './sessions.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

type Regularly = (everyMs: number, act: () => Promise<void>) => void;

interface Kept extends Pick<Access, 'lastUse' | 'liveCallers'> {
  readonly db: Db;
  readonly clock: Clock;
}

export const keepUp = (regularly: Regularly, { db, clock, lastUse, liveCallers }: Kept): void => {
  regularly(MINUTE_MS, () => lastUse.store());
  regularly(MINUTE_MS / 2, () => liveCallers.checkAll());
  for (const prune of [pruneSessions, pruneAudit]) regularly(DAY_MS, () => prune(db, clock.now()));
  regularly(DAY_MS, () => pruneRegistration(db, clock));
};
