// Who may see which series, as plain values with random steps that change them, and the same as rows of a database.

import fc from 'fast-check';
import { newId } from '../../core/model/ids.js';
import type { Db, Tx } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';

export const TAGS = [1, 2, 3] as const;
const GROUPS = [1, 2] as const;

type Access = 'allow' | 'deny';

/** Keys of rows throughout. */
export interface Rights {
  readonly ratings: Map<number, number>;
  readonly tags: Map<number, Set<number>>;
  readonly own: Map<number, Access>;
  readonly groups: Map<number, Map<number, Access>>;
  readonly memberOf: Set<number>;
  /** Series that a scan has not compared yet. */
  readonly unswept: Set<number>;
  /** Series with a book that nobody has read yet. */
  readonly unjudged: Set<number>;
  libraries: readonly number[] | null;
  ageLimit: number | null;
  showUnrated: boolean;
}

export const noRights = (): Rights => ({
  ratings: new Map(),
  tags: new Map(),
  own: new Map(),
  groups: new Map(GROUPS.map((group) => [group, new Map()])),
  memberOf: new Set(),
  unswept: new Set(),
  unjudged: new Set(),
  libraries: null,
  ageLimit: null,
  showUnrated: false,
});

/** Whether anything limits the user, even if it hides nothing at present. */
export const isLimited = ({ libraries, ageLimit, own, groups, memberOf }: Rights): boolean =>
  libraries !== null || ageLimit !== null || own.size > 0 || [...memberOf].some((group) => groups.get(group)?.size);

/** The rule, one condition after the other. */
export const maySee = (rights: Rights, series: { readonly key: number; readonly library: number }): boolean => {
  const { libraries, ageLimit, showUnrated } = rights;
  if (libraries !== null && !libraries.includes(series.library)) return false;
  const rating = rights.ratings.get(series.key);
  if (ageLimit !== null && (rating === undefined ? !showUnrated : rating > ageLimit)) return false;
  if (ageLimit !== null && rights.unjudged.has(series.key)) return false;
  const grants = [...rights.own, ...[...rights.memberOf].flatMap((group) => [...(rights.groups.get(group) ?? [])])];
  if (rights.unswept.has(series.key) && (ageLimit !== null || grants.length > 0)) return false;
  const tagged = rights.tags.get(series.key) ?? new Set();
  if (grants.some(([tag, access]) => access === 'deny' && tagged.has(tag))) return false;
  const allowed = grants.filter(([, access]) => access === 'allow');
  return allowed.length === 0 || allowed.some(([tag]) => tagged.has(tag));
};

/** The books that they see of a series that they see. */
export const booksSeen = (
  { ageLimit }: Rights,
  { books, neverReadable }: { readonly books: readonly string[]; readonly neverReadable: readonly string[] },
): readonly string[] => (ageLimit === null ? books : books.filter((id) => !neverReadable.includes(id)));

const tag = fc.constantFrom(...TAGS);
const group = fc.constantFrom(...GROUPS);
const access = fc.constantFrom<Access | null>('allow', 'deny', null);
const series = fc.nat();

export const stepArb = fc.oneof(
  fc.record({ kind: fc.constant('rate' as const), series, rating: fc.constantFrom(null, 0, 12, 18) }),
  fc.record({ kind: fc.constant('tag' as const), series, tag, isOn: fc.boolean() }),
  fc.record({ kind: fc.constant('sweep' as const), series, isOn: fc.boolean() }),
  fc.record({ kind: fc.constant('judge' as const), series, isOn: fc.boolean() }),
  fc.record({ kind: fc.constant('own' as const), tag, access }),
  fc.record({ kind: fc.constant('grant' as const), group, tag, access }),
  fc.record({ kind: fc.constant('member' as const), group, isOn: fc.boolean() }),
  fc.record({
    kind: fc.constant('limit' as const),
    libraries: fc.option(fc.subarray([0, 1]), { freq: 2, nil: null }),
    ageLimit: fc.constantFrom(null, null, 0, 12),
    showUnrated: fc.boolean(),
  }),
);
export type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

export interface Rows {
  readonly userKey: number;
  readonly series: readonly number[];
  readonly libraries: readonly number[];
}

const put = <K, V>(map: Map<K, V>, key: K, value: V | null): void => {
  if (value === null) map.delete(key);
  else map.set(key, value);
};

const put1 = <K>(set: Set<K>, key: K, isOn: boolean): void => {
  if (isOn) set.add(key);
  else set.delete(key);
};

export const applyStep = (rights: Rights, rows: Rows, step: Step): void => {
  const at = (n: number): number => rows.series[n % rows.series.length] ?? 0;
  if (step.kind === 'rate') put(rights.ratings, at(step.series), step.rating);
  else if (step.kind === 'tag') {
    const tags = rights.tags.get(at(step.series)) ?? new Set<number>();
    put1(tags, step.tag, step.isOn);
    rights.tags.set(at(step.series), tags);
  } else if (step.kind === 'sweep') put1(rights.unswept, at(step.series), step.isOn);
  else if (step.kind === 'judge') put1(rights.unjudged, at(step.series), step.isOn);
  else if (step.kind === 'own') put(rights.own, step.tag, step.access);
  else if (step.kind === 'grant') put(rights.groups.get(step.group) ?? new Map(), step.tag, step.access);
  else if (step.kind === 'member') put1(rights.memberOf, step.group, step.isOn);
  else {
    rights.libraries = step.libraries?.map((n) => rows.libraries[n] ?? 0) ?? null;
    rights.ageLimit = step.ageLimit;
    rights.showUnrated = step.showUnrated;
  }
};

const storeGrant = async (tx: Tx, owner: 'user' | 'access_group', key: number, tag: number, to: Access | null) => {
  const table = `${owner}_grant`;
  await tx.run(`DELETE FROM ${table} WHERE ${owner}_id = ? AND sharing_tag_id = ?`, [key, tag]);
  if (to === null) return;
  await tx.run(
    `INSERT INTO ${table} (${owner}_id, sharing_tag_id, uuid, access, created_at) VALUES (?, ?, unhex(?), ?, 0)`,
    [key, tag, newId(0), to],
  );
};

const storeLimit = async (tx: Tx, { userKey, libraries }: Rows, step: Step & { kind: 'limit' }): Promise<void> => {
  await tx.run('DELETE FROM user_library WHERE user_id = ?', [userKey]);
  await tx.run('INSERT OR REPLACE INTO user_restriction VALUES (?, ?, ?, ?, 0)', [
    userKey,
    Number(step.libraries === null),
    step.ageLimit,
    Number(step.showUnrated),
  ]);
  for (const n of step.libraries ?? [])
    await tx.run('INSERT INTO user_library VALUES (?, ?)', [userKey, libraries[n] ?? 0]);
};

/** The same step as a transaction. */
export const storeStep = (db: Db, rows: Rows, step: Step): Promise<void> =>
  db.write(SYSTEM, 'interactive', async (tx) => {
    const at = (n: number): number => rows.series[n % rows.series.length] ?? 0;
    if (step.kind === 'rate')
      await tx.run('UPDATE series SET age_rating = ? WHERE id = ?', [step.rating, at(step.series)]);
    else if (step.kind === 'sweep')
      await tx.run('UPDATE series SET unswept = ? WHERE id = ?', [Number(step.isOn), at(step.series)]);
    else if (step.kind === 'judge')
      await tx.run('UPDATE series SET unjudged = ? WHERE id = ?', [Number(step.isOn), at(step.series)]);
    else if (step.kind === 'own') await storeGrant(tx, 'user', rows.userKey, step.tag, step.access);
    else if (step.kind === 'grant') await storeGrant(tx, 'access_group', step.group, step.tag, step.access);
    else if (step.kind === 'limit') await storeLimit(tx, rows, step);
    else {
      const [table, key, other] =
        step.kind === 'tag'
          ? (['series_sharing_tag(series_id, sharing_tag_id)', at(step.series), step.tag] as const)
          : (['access_group_member(access_group_id, user_id)', step.group, rows.userKey] as const);
      const [name = '', first = '', second = ''] = table.split(/[(), ]+/);
      await tx.run(`DELETE FROM ${name} WHERE ${first} = ? AND ${second} = ?`, [key, other]);
      const created = step.kind === 'tag' ? '' : ', created_at';
      if (step.isOn)
        await tx.run(
          `INSERT INTO ${name} (${first}, ${second}${created}) VALUES (?, ?${created === '' ? '' : ', 0'})`,
          [key, other],
        );
    }
  });

/** Tags and groups without any grant, and no limits. */
export const storeNoRights = (db: Db, { userKey }: Rows): Promise<void> =>
  db.write(SYSTEM, 'interactive', async (tx) => {
    for (const table of ['sharing_tag', 'access_group']) await tx.run(`DELETE FROM ${table}`);
    await tx.run('DELETE FROM user_restriction WHERE user_id = ?', [userKey]);
    await tx.run('DELETE FROM user_library WHERE user_id = ?', [userKey]);
    await tx.run('UPDATE series SET age_rating = NULL, unswept = 0, unjudged = 0');
    for (const [table, keys] of [
      ['sharing_tag', TAGS],
      ['access_group', GROUPS],
    ] as const)
      for (const key of keys)
        await tx.run(
          `INSERT INTO ${table} (id, uuid, name, name_key, created_at, updated_at) VALUES (?1, unhex(?2), 'n' || ?1, 'n' || ?1, 0, 0)`,
          [key, newId(0)],
        );
  });
