// A user as the comic-server API shows them: restrictions in its words.
import type { AgeLimit } from '../../../core/access/user-limits.js';
import type { UserRecord } from '../../../core/access/user-records.js';
import type { EffectiveGrant } from '../../../core/sharing/effective.js';
import type { Wire } from '../../surface/wire.js';
import type { User } from '../schemas/user.js';
import { idText } from './text.js';

/** Some apps offer nothing without these. */
const ROLES = ['USER', 'FILE_DOWNLOAD', 'PAGE_STREAMING'];

const ageView = (limit: AgeLimit | null): Wire<typeof User>['ageRestriction'] => {
  if (limit === null) return null;
  return limit.unrated === 'hide'
    ? { age: limit.max, restriction: 'ALLOW_ONLY' }
    : { age: limit.max + 1, restriction: 'EXCLUDE' };
};

const labels = (grants: readonly EffectiveGrant[], mode: EffectiveGrant['mode']): readonly string[] =>
  grants.filter((one) => one.mode === mode).map(({ tagName }) => tagName);

export const userView = (
  { id, libraryIds, ageLimit }: UserRecord,
  shown: { readonly name: string; readonly administers: boolean; readonly grants: readonly EffectiveGrant[] },
): Wire<typeof User> => ({
  id: idText(id),
  email: shown.name,
  roles: shown.administers ? ['ADMIN', ...ROLES] : ROLES,
  sharedAllLibraries: libraryIds === null,
  sharedLibrariesIds: (libraryIds ?? []).map(idText),
  labelsAllow: labels(shown.grants, 'allow'),
  labelsExclude: labels(shown.grants, 'deny'),
  ageRestriction: ageView(ageLimit),
});
