// Requests that are still running when their user is deleted: what they write is refused, since its owner is gone. That is not a server
// error.
import { AppError } from '../model/errors.js';
import type { Db } from '../store/db.js';

const isOrphan = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith('SQLITE_CONSTRAINT: FOREIGN KEY');

/** The database, whose writes on behalf of a deleted user are Unauthorized. */
export const refusingDeparted = (db: Db): Db => ({
  ...db,
  write: (by, lane, body) =>
    db.write(by, lane, body).catch(async (thrown: unknown) => {
      if (by === null || !isOrphan(thrown)) throw thrown;
      const users = await db.all('SELECT 1 FROM user WHERE id = ?', [by]);
      throw users.length === 0 ? new AppError('Unauthorized', 'User not found', null, thrown) : thrown;
    }),
});
