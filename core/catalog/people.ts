// Who made the series that a viewer sees and their books, by name and role: from counted credits, so that no book is read.
import { AUTHOR_ROLES, type AuthorRole } from '../model/metadata.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import { searchKey } from '../model/search-key.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { packed, whereOf } from '../store/packed.js';
import { isEverywhere, type Place, seriesIn, type Where } from './places.js';

export interface PeopleAsk {
  /** Part of a name; case and accents do not matter. */
  readonly search?: string | undefined;
  /** Left out: any. */
  readonly roles?: readonly AuthorRole[] | undefined;
  readonly place?: Place | undefined;
}

export interface Person {
  readonly name: string;
  readonly roles: readonly AuthorRole[];
  /** Series where they have one of the roles asked for. */
  readonly seriesCount: number;
}

/** A person in one role. */
export interface Credit {
  readonly name: string;
  readonly role: string;
}

/** Roles by other names, of which several may be the same. */
export type RoleNames = Readonly<Partial<Record<AuthorRole, string>>>;

const ofRoles = ({ roles }: PeopleAsk): Where =>
  roles === undefined
    ? { sql: '', binds: [] }
    : { sql: ' AND c.role IN (SELECT value FROM json_each(?))', binds: [JSON.stringify(roles)] };

interface Asked {
  /** People (`p`) who are asked for. */
  readonly people: Where;
  /** From a person to their credits (`c`) that are. */
  readonly credits: Where;
}

const NO_LIMIT: Where = { sql: '', binds: [] };

/** Every credit is one in a series that has books, so whoever sees everything needs no look at the series. */
const askedOf = async (db: Reads, viewer: Viewer, ask: PeopleAsk): Promise<Asked> => {
  const role = ofRoles(ask);
  const isPlaced = !isEverywhere(viewer, ask.place);
  const series = isPlaced ? await seriesIn(db, viewer, ask.place) : NO_LIMIT;
  const search = searchKey(ask.search ?? '');
  const among = isPlaced ? ` CROSS JOIN series s ON s.id = c.series_id AND ${series.sql}` : '';
  const credits = {
    sql: `FROM credit c${among} WHERE c.person_id = p.id${role.sql}`,
    binds: [...series.binds, ...role.binds],
  };
  const found = isPlaced
    ? `p.id IN (SELECT c.person_id FROM series s CROSS JOIN credit c ON c.series_id = s.id WHERE ${series.sql}${role.sql})`
    : `EXISTS (SELECT 1 ${credits.sql})`;
  const isEverybody = !isPlaced && role.sql === '';
  const tests = [...(isEverybody ? [] : [found]), ...(search === '' ? [] : ['instr(p.name_key, ?) > 0'])];
  const binds = [...(isEverybody ? [] : credits.binds), ...(search === '' ? [] : [search])];
  return { credits, people: { sql: whereOf(tests), binds } };
};

const ORDER = 'ORDER BY p.name_key, p.name';

const columns = ({ sql }: Where) =>
  packed<Person>({
    name: { sql: 'p.name' },
    roles: { sql: `(SELECT json_group_array(role) FROM (SELECT DISTINCT c.role ${sql} ORDER BY 1)) || ''`, as: 'json' },
    seriesCount: { sql: `(SELECT count(DISTINCT c.series_id) ${sql})` },
  });

const countOf = async (db: Reads, sql: string, binds: Where['binds']): Promise<number> =>
  (await db.all<{ n: number }>(sql, binds))[0]?.n ?? 0;

export const listPeople = async (
  db: Reads,
  viewer: Viewer,
  ask: PeopleAsk,
  window: Window,
): Promise<PageOf<Person>> => {
  const { people, credits } = await askedOf(db, viewer, ask);
  const { expression, read } = columns(credits);
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${expression} AS row FROM
       (SELECT * FROM person p${people.sql} ${ORDER} LIMIT ? OFFSET ?) p ${ORDER})`,
    [...credits.binds, ...credits.binds, ...people.binds, window.pageSize, offsetOf(window)],
  );
  const total = await countOf(db, `SELECT count(*) AS n FROM person p${people.sql}`, people.binds);
  return { ...window, items: rows.map(read), total };
};

/** Where nobody is left out, an index suffices. */
const ALL_PAIRS =
  'SELECT count(*) AS n FROM (SELECT DISTINCT c.person_id, coalesce(? ->> c.role, c.role) FROM credit c)';

/** One entry for each person and role, under the names that the caller has for roles. */
export const listCredits = async (
  db: Reads,
  viewer: Viewer,
  ask: PeopleAsk & { readonly names: RoleNames },
  window: Window,
): Promise<PageOf<Credit>> => {
  const { people, credits } = await askedOf(db, viewer, ask);
  const names = JSON.stringify(ask.names);
  const roles = `(SELECT json_group_array(role) FROM (SELECT DISTINCT coalesce(? ->> c.role, c.role) AS role ${credits.sql} ORDER BY 1))`;
  const binds = [names, ...credits.binds, ...people.binds];
  const pairs = `FROM (SELECT p.name, p.name_key, ${roles} AS roles FROM person p${people.sql}) p CROSS JOIN json_each(p.roles) r`;
  const rows = await db.json<[string, string][]>(
    `SELECT json_group_array(json_array(name, role)) FROM
       (SELECT p.name, r.value AS role ${pairs} ${ORDER} LIMIT ? OFFSET ?)`,
    [...binds, window.pageSize, offsetOf(window)],
  );
  const total =
    people.sql === ''
      ? await countOf(db, ALL_PAIRS, [names])
      : await countOf(
          db,
          `SELECT sum(json_array_length(roles)) AS n FROM (SELECT ${roles} AS roles FROM person p${people.sql})`,
          binds,
        );
  return { ...window, items: rows.map(([name, role]) => ({ name, role })), total };
};

/** Roles that anybody has. */
export const listRoles = async (db: Reads, viewer: Viewer, place?: Place): Promise<readonly AuthorRole[]> => {
  const series = await seriesIn(db, viewer, place);
  const rows = await db.all<{ role: AuthorRole }>(
    `SELECT j.value AS role FROM json_each(?) j WHERE EXISTS
       (SELECT 1 FROM credit c INDEXED BY credit_by_role CROSS JOIN series s ON s.id = c.series_id WHERE c.role = j.value AND ${series.sql})`,
    [JSON.stringify([...AUTHOR_ROLES].sort()), ...series.binds],
  );
  return rows.map(({ role }) => role);
};
