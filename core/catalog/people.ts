// Who made the series that a viewer sees and their books, by name and role: from counted credits, so that no book is read.
import { AUTHOR_ROLES, type AuthorRole } from '../model/metadata.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import { searchRuns } from '../model/search-key.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { packed, whereOf } from '../store/packed.js';
import { listReads } from './list-reads.js';
import { type CountParts, countingIn, isEverywhere, type Place, seriesIn, shareOf, type Where } from './places.js';

export interface PeopleAsk {
  /** Parts of a name in any order; case and accents do not matter. */
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
  /** Null where every person has such credits. */
  readonly visible: Where | null;
  /** From a person (`p`) to the credits (`c`) that are asked for. */
  readonly credits: Where;
  /** All of those credits, without their people. */
  readonly all: Where;
  /** The same with their people. */
  readonly named: Where;
  /** Credits of the same roles in the other series; null where no series is left out. */
  readonly others: Where | null;
  /** Credits of the same roles, wherever they are. */
  readonly anywhere: Where;
  /** The series asked for; null where they are all. */
  readonly series: Where | null;
  /** Each is somewhere in the key of a name; none: any name. */
  readonly search: readonly string[];
}

const NOTHING: Where = { sql: '', binds: [] };

/** Nobody's name has more; each is looked for in every name. */
const PARTS_MAX = 8;

/** `Moore, Alan` finds Alan Moore. */
const partsOfName = (search: string): readonly string[] =>
  searchRuns(search)
    .slice(0, PARTS_MAX)
    .map(({ tokens }) => tokens);

/** `obrien` finds O'Brien, and `vanhamme` Van Hamme. Shorter parts would be found across too many names: `ann` in Ryan North. */
const JOINED_MIN = 5;

const partTest = (part: string): { readonly sql: string; readonly bind: string } => {
  const whole = part.replaceAll(' ', '');
  return whole.length < JOINED_MIN
    ? { sql: 'instr(p.name_key, ?) > 0', bind: part }
    : { sql: "instr(replace(p.name_key, ' ', ''), ?) > 0", bind: whole };
};

/** Every credit is one in a series that has books, so whoever sees everything needs no look at the series. */
const askedOf = async (db: Reads, viewer: Viewer, ask: PeopleAsk): Promise<Asked> => {
  const role = ofRoles(ask);
  const isPlaced = !isEverywhere(viewer, ask.place);
  const series = isPlaced ? await seriesIn(db, viewer, ask.place) : NOTHING;
  const seen = isPlaced ? ` CROSS JOIN series s ON s.id = c.series_id AND ${series.sql}` : '';
  const binds = [...series.binds, ...role.binds];
  const credits = { sql: `FROM credit c${seen} WHERE c.person_id = p.id${role.sql}`, binds };
  const ofSeries = (test: string): Where => ({
    sql: `FROM series s CROSS JOIN credit c ON c.series_id = s.id WHERE ${test}${role.sql}`,
    binds,
  });
  const anywhere = { sql: `FROM credit c WHERE true${role.sql}`, binds: role.binds };
  return {
    visible: isPlaced || role.sql !== '' ? { sql: `EXISTS (SELECT 1 ${credits.sql})`, binds } : null,
    credits,
    all: isPlaced ? ofSeries(series.sql) : anywhere,
    named: { sql: `FROM person p CROSS JOIN credit c${seen} WHERE c.person_id = p.id${role.sql}`, binds },
    others: isPlaced ? ofSeries(`(${series.sql}) IS NOT TRUE`) : null,
    anywhere,
    series: isPlaced ? series : null,
    search: partsOfName(ask.search ?? ''),
  };
};

const ORDER = 'ORDER BY p.name_key, p.name';

const columns = ({ sql }: Where) =>
  packed<Person>({
    name: { sql: 'p.name' },
    roles: { sql: `(SELECT json_group_array(role) FROM (SELECT DISTINCT c.role ${sql} ORDER BY 1)) || ''`, as: 'json' },
    seriesCount: { sql: `(SELECT count(DISTINCT c.series_id) ${sql})` },
  });

const hasLetters = ({ search }: Asked): Where => {
  const tests = search.map(partTest);
  return { sql: tests.map(({ sql }) => sql).join(' AND '), binds: tests.map(({ bind }) => bind) };
};

/** People who are asked for. */
const foundBy = (asked: Asked): Where => {
  const tests = [hasLetters(asked), asked.visible ?? NOTHING].filter(({ sql }) => sql !== '');
  return { sql: whereOf(tests.map(({ sql }) => sql)), binds: tests.flatMap(({ binds }) => binds) };
};

/**
 * The same where they are few among all: found from their credits. To walk the names until a page is full would test most of the others.
 */
const foundAmongFew = (asked: Asked): Where => {
  const letters = hasLetters(asked);
  const few = `p.id IN (SELECT c.person_id ${asked.all.sql})`;
  return {
    sql: whereOf([few, ...(letters.sql === '' ? [] : [letters.sql])]),
    binds: [...asked.all.binds, ...letters.binds],
  };
};

interface Reading {
  readonly reads: Reads;
  readonly asked: Asked;
  readonly count: (sql: string, binds: Where['binds']) => Promise<number>;
}

const readingOf = async (parts: CountParts, viewer: Viewer, ask: PeopleAsk): Promise<Reading> => {
  const reads = listReads(parts, viewer);
  const asked = await askedOf(reads, viewer, ask);
  return {
    reads,
    asked,
    count: countingIn(parts, reads, ask.place),
  };
};

/** How many of the series are asked for: that decides from which side people are found and counted. */
type Extent = 'few' | 'some' | 'most' | 'all';

const FEW = 1 / 8;

const extentOf = async ({ asked, count }: Reading): Promise<Extent> => {
  if (asked.series === null) return 'all';
  const share = await shareOf(count, asked.series);
  if (share < FEW) return 'few';
  return share < 0.5 ? 'some' : 'most';
};

/** Different values among credits (`c`), as a query with one column, `n`. */
const different = (value: string, { sql, binds }: Where): Where => ({
  sql: `SELECT count(*) AS n FROM (SELECT DISTINCT ${value} ${sql})`,
  binds,
});

const PERSON = 'c.person_id';
const PAIR = 'c.person_id, c.role';

/**
 * How many different people, or people and roles, have the credits asked for. Where most series are asked for, they are all but those who
 * have credits in other series only: those are few, and everything together is counted along an index.
 */
const countedAmong = async (
  { asked, count }: Reading,
  extent: Extent,
  value: typeof PERSON | typeof PAIR,
): Promise<number> => {
  if (extent === 'all' && value === PERSON && asked.visible === null)
    return count('SELECT count(*) AS n FROM person', []);
  const from = extent === 'most' ? asked.anywhere : asked.all;
  const all = different(value, from);
  const total = await count(all.sql, all.binds);
  if (extent !== 'most' || asked.others === null) return total;
  const { credits, others } = asked;
  const isPair = value === PAIR;
  const columns = `c.person_id AS id${isPair ? ', c.role AS role' : ''}`;
  const isSame = isPair ? ' AND c.role = p.role' : '';
  const hidden = await count(
    `SELECT count(*) AS n FROM (SELECT DISTINCT ${columns} ${others.sql}) p
       WHERE NOT EXISTS (SELECT 1 ${credits.sql}${isSame})`,
    [...others.binds, ...credits.binds],
  );
  return total - hidden;
};

const foundIn = ({ asked }: Reading, extent: Extent): Where =>
  extent === 'few' ? foundAmongFew(asked) : foundBy(asked);

export const listPeople = async (
  parts: CountParts,
  viewer: Viewer,
  ask: PeopleAsk,
  window: Window,
): Promise<PageOf<Person>> => {
  const reading = await readingOf(parts, viewer, ask);
  const { asked } = reading;
  const { credits } = asked;
  const extent = await extentOf(reading);
  const found = foundIn(reading, extent);
  const total =
    asked.search.length === 0
      ? await countedAmong(reading, extent, PERSON)
      : await reading.count(`SELECT count(*) AS n FROM person p${found.sql}`, found.binds);
  const { expression, read } = columns(credits);
  const rows = await reading.reads.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${expression} AS row FROM
       (SELECT * FROM person p${found.sql} ${ORDER} LIMIT ? OFFSET ?) p ${ORDER})`,
    [...credits.binds, ...credits.binds, ...found.binds, window.pageSize, offsetOf(window)],
  );
  return { ...window, items: rows.map(read), total };
};

/** Each person and role once, and only then by the names that the caller has for roles. */
const pairsOf = (from: Where, names: string): Where => ({
  sql: `SELECT count(*) AS n FROM (SELECT DISTINCT person, coalesce(? ->> role, role) FROM
    (SELECT DISTINCT c.person_id AS person, c.role AS role ${from.sql}))`,
  binds: [names, ...from.binds],
});

/** The roles that credits have: one look-up in the index for each. */
const ROLES = `WITH RECURSIVE r(role) AS (SELECT min(role) FROM credit
  UNION ALL SELECT (SELECT min(role) FROM credit WHERE role > r.role) FROM r WHERE r.role IS NOT NULL)
  SELECT json_group_array(role) FROM r WHERE role IS NOT NULL`;

/** Whether several roles share a name, so that their entries merge. */
const shareNames = async (reads: Reads, names: RoleNames): Promise<boolean> => {
  const roles = await reads.json<AuthorRole[]>(ROLES, []);
  return new Set(roles.map((role) => names[role] ?? role)).size < roles.length;
};

const countPairs = async (reading: Reading, extent: Extent, names: RoleNames): Promise<number> => {
  const { asked, count, reads } = reading;
  const letters = hasLetters(asked);
  const isSearch = letters.sql !== '';
  const areDistinct = !(await shareNames(reads, names));
  if (!isSearch && areDistinct) return countedAmong(reading, extent, PAIR);
  const among = { sql: `${asked.named.sql} AND ${letters.sql}`, binds: [...asked.named.binds, ...letters.binds] };
  const from = isSearch ? among : asked.all;
  const pairs = areDistinct ? different(PAIR, from) : pairsOf(from, JSON.stringify(names));
  return count(pairs.sql, pairs.binds);
};

/** One entry for each person and role, under the names that the caller has for roles. */
export const listCredits = async (
  parts: CountParts,
  viewer: Viewer,
  ask: PeopleAsk & { readonly names: RoleNames },
  window: Window,
): Promise<PageOf<Credit>> => {
  const reading = await readingOf(parts, viewer, ask);
  const { asked, reads } = reading;
  const { credits } = asked;
  const names = JSON.stringify(ask.names);
  const extent = await extentOf(reading);
  const found = foundIn(reading, extent);
  const roles = `(SELECT json_group_array(role) FROM (SELECT DISTINCT coalesce(? ->> role, role) AS role FROM (SELECT DISTINCT c.role ${credits.sql}) ORDER BY 1))`;
  // Each of them has a role, so as many people as entries are enough.
  const people = `SELECT p.name, p.name_key, ${roles} AS roles FROM (SELECT * FROM person p${found.sql} ${ORDER} LIMIT ?) p`;
  const start = offsetOf(window);
  const rows = await reads.json<[string, string][]>(
    `SELECT json_group_array(json_array(name, role)) FROM
       (SELECT p.name, r.value AS role FROM (${people}) p CROSS JOIN json_each(p.roles) r ${ORDER} LIMIT ? OFFSET ?)`,
    [names, ...credits.binds, ...found.binds, start + window.pageSize, window.pageSize, start],
  );
  const total = await countPairs(reading, extent, ask.names);
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
