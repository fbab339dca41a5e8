// Accounts that e-readers create, where an administrator allows it: readers without a password and without an address, who can do nothing but
// synchronise documents of their own until an administrator gives them a password.
import { randomBytes } from 'node:crypto';
import { AppError } from '../model/errors.js';
import { SYSTEM } from '../store/feed.js';
import { audited, REGISTRATIONS } from './audit.js';
import type { Actor } from './caller.js';
import { insertUser } from './new-users.js';
import { NO_PASSWORD } from './passwords.js';
import type { RegistrationParts } from './registration.js';
import { storeSyncKey } from './sync-secrets.js';
import { checkOwnNames } from './user-fields.js';
import { refuseTaken } from './user-names.js';
import { hasUsers, type User } from './users.js';

export interface NewDevice {
  readonly username: string;
  /** What the device will send with each request: the MD5 of what its user typed. */
  readonly key: string;
}

const KEY_MAX = 200;

/** RFC 2606: no mail gets there. */
const placeholder = (): string => `${randomBytes(8).toString('hex')}@e-reader.invalid`;

const closed = (why: string): AppError => new AppError('Forbidden', why);

/** Forbidden where accounts cannot be made in this way, Conflict for a name that is taken. */
export const registerDevice = async (
  { db, clock, registration, mailRates }: RegistrationParts,
  by: Actor,
  { username, key }: NewDevice,
): Promise<User> => {
  if (registration.isConfirmed)
    throw closed('Accounts of this server are confirmed by mail: register in a browser and set a sync secret there.');
  checkOwnNames({ username });
  if (key === '' || key.length > KEY_MAX) throw new AppError('BadRequest', 'The password is missing or too long.');
  mailRates.takeFrom(by.address ?? '');
  const now = clock.now();
  return db.write(SYSTEM, 'interactive', async (tx) => {
    if (!(await hasUsers(tx))) throw closed('The server is not set up yet.');
    await refuseTaken(tx, { username });
    const wanted = { username, email: placeholder(), passwordHash: NO_PASSWORD, role: 'reader' } as const;
    const user = await insertUser(tx, { ...wanted, standing: 'unverified' }, now);
    await storeSyncKey(tx, user.key, key, now);
    const target = { kind: 'user', id: user.id, name: user.username };
    const details = { role: user.role, registered: true, device: true };
    await audited(tx, { at: now, by, action: 'user.create', target, ownOf: REGISTRATIONS, details });
    return user;
  });
};
