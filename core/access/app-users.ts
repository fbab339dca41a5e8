// Accounts as reader apps administer them: known by an e-mail address, which is their name as well, and either administrators or not.
import { AppError } from '../model/errors.js';
import type { Role } from '../model/permissions.js';
import type { KnownActor } from './caller.js';
import { isAdministrator } from './rights.js';
import { changeUser, createUser, type UserParts } from './user-admin.js';
import { AGE_MAX, type AgeLimit, type LimitsChange } from './user-limits.js';
import { type UserRecord, userRecord } from './user-records.js';

export interface AppUserChange extends LimitsChange {
  readonly administers?: boolean | undefined;
}

/** Series up to an age and none without a rating, or all but those from an age on. */
export interface AgeRestriction {
  readonly age: number;
  readonly restriction: 'ALLOW_ONLY' | 'EXCLUDE' | 'NONE';
}

export const ageLimitOf = (asked: AgeRestriction | null | undefined): AgeLimit | null | undefined => {
  if (asked === undefined) return undefined;
  if (asked === null || asked.restriction === 'NONE') return null;
  const max = asked.restriction === 'EXCLUDE' ? asked.age - 1 : asked.age;
  if (max >= 0 && max <= AGE_MAX) return { max, unrated: asked.restriction === 'EXCLUDE' ? 'allow' : 'hide' };
  throw new AppError('BadRequest', `Invalid body: ageRestriction.age cannot be ${asked.age}.`);
};

export const createUserAsApp = (
  parts: UserParts,
  by: KnownActor,
  { administers = false, ...wanted }: AppUserChange & { readonly email: string; readonly password: string },
): Promise<UserRecord> =>
  createUser(parts, by, { ...wanted, username: wanted.email, role: administers ? 'admin' : 'reader' });

/** Whoever is no administrator keeps the role that they have. */
const roleOf = (user: UserRecord, administers: boolean | undefined): Role | undefined => {
  if (administers === undefined || administers === isAdministrator(user)) return undefined;
  return administers ? 'admin' : 'reader';
};

export const changeUserAsApp = async (
  parts: UserParts,
  by: KnownActor,
  id: string,
  { administers, ...limits }: AppUserChange,
): Promise<UserRecord> =>
  changeUser(parts, by, id, { ...limits, role: roleOf(await userRecord(parts.db, id), administers) });
