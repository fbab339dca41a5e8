// What a user is limited to: grants of the user and of groups, the list of libraries, the age limit.
import { EVERYTHING, type Scope } from '../model/viewer.js';
import type { Reads } from '../store/db.js';

interface Row {
  readonly libraries: readonly number[] | null;
  readonly ageLimit: number | null;
  readonly showUnrated: 0 | 1;
  readonly denied: readonly number[];
  readonly allowed: readonly number[];
}

const tags = (access: 'allow' | 'deny'): string =>
  `(SELECT json_group_array(tag) FROM (SELECT tag FROM granted WHERE access = '${access}' GROUP BY tag ORDER BY tag))`;

const SELECT = `WITH granted(tag, access) AS (
    SELECT sharing_tag_id, access FROM user_grant WHERE user_id = ?1
    UNION ALL SELECT g.sharing_tag_id, g.access FROM access_group_member m
      CROSS JOIN access_group_grant g ON g.access_group_id = m.access_group_id WHERE m.user_id = ?1)
  SELECT json_object(
    'libraries', CASE r.all_libraries WHEN 0 THEN json((SELECT json_group_array(library_id) FROM
      (SELECT library_id FROM user_library WHERE user_id = ?1 ORDER BY library_id))) END,
    'ageLimit', r.age_limit, 'showUnrated', coalesce(r.show_unrated, 0),
    'denied', json(${tags('deny')}), 'allowed', json(${tags('allow')}))
  FROM (SELECT 1) LEFT JOIN user_restriction r ON r.user_id = ?1`;

/** Grants of the user and of all their groups count alike; a tag denied anywhere is denied. */
export const scopeOfUser = async (db: Reads, userKey: number): Promise<Scope> => {
  const { libraries, ageLimit, showUnrated, denied, allowed } = await db.json<Row>(SELECT, [userKey]);
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
