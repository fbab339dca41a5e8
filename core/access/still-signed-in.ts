// A request may wait for its turn to write. What its caller signed in with may have been revoked meanwhile, and must not leave anything behind
// that signs in.
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Tx } from '../store/db.js';
import type { Caller } from './caller.js';
import { activeUser } from './users.js';

const STILL = {
  session: 'SELECT 1 FROM session WHERE uuid = ?',
  'api-key': 'SELECT 1 FROM api_key WHERE uuid = ? AND active = 1',
} as const;

export const stillSignedIn = async (tx: Tx, { user, via }: Caller): Promise<void> => {
  await activeUser(tx, user.id);
  if (via.kind === 'password') return;
  const rows = await tx.all(STILL[via.kind], [bytesOfUuid(via.id)]);
  if (rows.length === 0) throw new AppError('Unauthorized');
};
