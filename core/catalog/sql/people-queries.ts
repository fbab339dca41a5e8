// Rows by the people credited, from the counted credits of series; of books, only the facts of those in credited series are read.
import type { RowKind } from '../../model/row-kind.js';
import { caseKey } from '../../model/search-key.js';
import type { RowSet } from '../conditions/sets.js';
import type { Test } from '../conditions/tree.js';
import { type IdQuery, idsOf, type Predicate, textPredicate } from './predicates.js';

type In<K extends RowSet['in']> = Extract<RowSet, { in: K }>;

const oneOf = (column: string, roles: readonly string[] | null): Predicate =>
  roles === null
    ? { sql: 'TRUE', binds: [] }
    : { sql: `${column} IN (SELECT value FROM json_each(?))`, binds: [JSON.stringify(roles)] };

/** Facts hold whatever files say: an entry that is not an object names nobody. */
const part = (name: string): string => `CASE a.type WHEN 'object' THEN a.value ->> '${name}' END`;

/** At least one of the people named in these facts passes. */
const namesOne = (test: Test, roles: readonly string[] | null): Predicate => {
  const person = textPredicate('p.case_key', test, caseKey);
  const role = oneOf(`coalesce(${part('role')}, 'contributor')`, roles);
  return {
    sql: `EXISTS (SELECT 1 FROM json_each(m.facts, '$.authors') a CROSS JOIN person p ON p.name = ${part('name')}
      WHERE ${role.sql} AND ${person.sql})`,
    binds: [...role.binds, ...person.binds],
  };
};

const OF_BOOKS = 'CROSS JOIN book_metadata m ON m.book_id = b.id';

/** Credits are those of live books, so books whose files are gone have none. */
const booksBy = (credited: Predicate, { roles, test }: In<'authors'>): IdQuery => {
  const named = namesOne(test, roles);
  return idsOf(
    `SELECT b.id FROM (SELECT DISTINCT c.series_id ${credited.sql} AND c.books > 0) t
     CROSS JOIN book b ON b.series_id = t.series_id AND b.deleted = 0 ${OF_BOOKS} WHERE ${named.sql}`,
    [...credited.binds, ...named.binds],
    'catalog',
    (keys) => ({
      sql: `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value AND b.deleted = 0 ${OF_BOOKS} WHERE ${named.sql}`,
      binds: [JSON.stringify(keys), ...named.binds],
    }),
  );
};

/** Series match by their own credits and those of their books, as `/people` counts them; books by their own only. */
export const byAuthor = (rows: RowKind, set: In<'authors'>): IdQuery => {
  const person = textPredicate('p.case_key', set.test, caseKey);
  const role = oneOf('c.role', set.roles);
  const credited = {
    sql: `FROM person p CROSS JOIN credit c ON c.person_id = p.id WHERE ${person.sql} AND ${role.sql}`,
    binds: [...person.binds, ...role.binds],
  };
  return rows === 'book' ? booksBy(credited, set) : idsOf(`SELECT c.series_id AS id ${credited.sql}`, credited.binds);
};
