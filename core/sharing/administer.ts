// A change by an administrator of who may see what. Callers who waited for their turn to write must still be administrators.
import { byOf, type KnownActor } from '../access/caller.js';
import { stillAdministrates } from '../access/still-signed-in.js';
import type { Clock } from '../engine/clock.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';

export interface SharingParts {
  readonly db: Db;
  readonly clock: Clock;
}

export const administer = <T>({ db, clock }: SharingParts, by: KnownActor, body: (tx: Tx) => Promise<T>): Promise<T> =>
  db.write(byOf(by), 'interactive', async (tx) => {
    await stillAdministrates(tx, by.caller, clock.now());
    return body(tx);
  });

/** Tags, grants, groups and members have no listeners of their own: anybody may see more or less now. */
export const reportRestriction = (tx: Tx): void => tx.report(updated('restriction', 'all', ASPECTS.details));
