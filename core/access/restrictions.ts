// What a user is limited to: grants of the user and of groups, the list of libraries, the age limit.
import { EVERYTHING, type Scope } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reader } from '../store/db.js';

interface Row {
  readonly user: number;
  readonly libraries: readonly number[] | null;
  readonly ageLimit: number | null;
  readonly showUnrated: 0 | 1;
  readonly denied: readonly number[];
  readonly allowed: readonly number[];
}

const tags = (access: 'allow' | 'deny'): string =>
  `(SELECT json_group_array(tag) FROM (
    SELECT sharing_tag_id AS tag FROM user_grant WHERE user_id = j.value AND access = '${access}'
    UNION SELECT g.sharing_tag_id FROM access_group_member m
      CROSS JOIN access_group_grant g ON g.access_group_id = m.access_group_id WHERE m.user_id = j.value AND g.access = '${access}'
    ORDER BY tag))`;

const SELECT = `SELECT json_group_array(json_object(
    'user', j.value,
    'libraries', CASE r.all_libraries WHEN 0 THEN json((SELECT json_group_array(library_id) FROM
      (SELECT library_id FROM user_library WHERE user_id = j.value ORDER BY library_id))) END,
    'ageLimit', r.age_limit, 'showUnrated', coalesce(r.show_unrated, 0),
    'denied', json(${tags('deny')}), 'allowed', json(${tags('allow')}))) AS list
  FROM json_each(?) j LEFT JOIN user_restriction r ON r.user_id = j.value`;

const scopeOf = ({ libraries, ageLimit, showUnrated, denied, allowed }: Row): Scope => {
  const isUnlimited = libraries === null && ageLimit === null && denied.length === 0 && allowed.length === 0;
  if (isUnlimited) return EVERYTHING;
  return {
    libraries,
    ageLimit,
    showUnrated: ageLimit === null || showUnrated === 1,
    deniedTags: denied,
    allowedTags: allowed.length === 0 ? null : allowed,
    removing: [],
  };
};

/** By user key. Grants of a user and of all their groups count alike; a tag denied anywhere is denied. */
export const scopesOfUsers = async (from: Reader, userKeys: readonly number[]): Promise<ReadonlyMap<number, Scope>> => {
  const [found] = await from.all<{ list: string }>(SELECT, [keyList(userKeys)]);
  return new Map((JSON.parse(found?.list ?? '[]') as Row[]).map((row) => [row.user, scopeOf(row)]));
};

export const scopeOfUser = async (from: Reader, userKey: number): Promise<Scope> =>
  (await scopesOfUsers(from, [userKey])).get(userKey) ?? EVERYTHING;
