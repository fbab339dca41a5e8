// Schema step: who made what. Each person once, and for each series in how many of its live books they have which role, counted by triggers:
// lists of people neither walk the books nor read their facts. A series gives credits of its own while it has books. A credit that nothing
// gives any more is removed, and so is a person without credits: every person is somewhere in a list. `name_key` is written by the program before a transaction ends (core/catalog/search/index-upkeep.ts).

/** Facts hold what files say: an entry that is no object is nobody. */
const part = (name: string): string => `CASE a.type WHEN 'object' THEN a.value ->> '${name}' END`;

const NAME = `coalesce(${part('name')}, '')`;
const ROLE = `coalesce(${part('role')}, 'contributor')`;

const addPeople = (list: string, where: string): string =>
  `INSERT INTO person (name) SELECT DISTINCT ${NAME} FROM ${list} a WHERE ${NAME} <> '' AND ${where} ON CONFLICT (name) DO NOTHING;`;

/** `count` is the column that counts: `books`, or `own` for the series itself. */
const credit = (list: string, series: string, count: 'books' | 'own'): string => `
  ${addPeople(list, `${series} IS NOT NULL`)}
  INSERT INTO credit (series_id, person_id, role, ${count})
    SELECT DISTINCT ${series}, p.id, ${ROLE}, 1 FROM ${list} a CROSS JOIN person p ON p.name = ${NAME} WHERE ${series} IS NOT NULL
    ON CONFLICT (series_id, person_id, role) DO UPDATE SET ${count} = ${count} + 1;`;

const discredit = (list: string, series: string, count: 'books' | 'own'): string => `
  UPDATE credit SET ${count} = ${count} - 1 WHERE series_id = ${series} AND (person_id, role) IN
    (SELECT p.id, ${ROLE} FROM ${list} a CROSS JOIN person p ON p.name = ${NAME});
  DELETE FROM credit WHERE series_id = ${series} AND books = 0 AND own = 0;`;

const ofFacts = (facts: string): string => `json_each(${facts}, '$.authors')`;
const factsOf = (book: string): string => ofFacts(`(SELECT facts FROM book_metadata WHERE book_id = ${book})`);
const liveSeries = (book: string): string => `(SELECT series_id FROM book WHERE id = ${book} AND deleted = 0)`;
const ifShown = (row: 'new' | 'old'): string => `iif(${row}.book_count > 0, ${row}.id, NULL)`;
const ifLive = (row: 'new' | 'old'): string => `iif(${row}.deleted = 0, ${row}.series_id, NULL)`;

export const PEOPLE_TABLES = `
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, name_key TEXT) STRICT;
CREATE INDEX person_by_key ON person(name_key, name);
CREATE TABLE credit (
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  person_id INTEGER NOT NULL REFERENCES person(id),
  role TEXT NOT NULL,
  books INTEGER NOT NULL DEFAULT 0,
  own INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (series_id, person_id, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX credit_by_person ON credit(person_id, role, series_id);
CREATE INDEX credit_by_role ON credit(role, person_id);
CREATE INDEX series_published ON series(publisher, library_id, age_rating, unswept) WHERE book_count > 0 AND publisher IS NOT NULL;
CREATE INDEX series_written ON series(language, library_id, age_rating, unswept) WHERE book_count > 0 AND language IS NOT NULL;
CREATE INDEX series_rated ON series(age_rating, library_id, unswept) WHERE book_count > 0;`;

/** What the triggers would have written; a benchmark fills its database the same way. */
export const COUNT_CREDITS = `
INSERT INTO person (name) SELECT ${NAME} FROM book_metadata m CROSS JOIN book b ON b.id = m.book_id AND b.deleted = 0
  CROSS JOIN ${ofFacts('m.facts')} a WHERE ${NAME} <> '' ORDER BY m.book_id, a.key ON CONFLICT (name) DO NOTHING;
INSERT INTO person (name) SELECT ${NAME} FROM series s CROSS JOIN json_each(s.authors) a WHERE s.book_count > 0 AND ${NAME} <> '' ORDER BY s.id, a.key
  ON CONFLICT (name) DO NOTHING;
INSERT INTO credit (series_id, person_id, role, books)
  SELECT series_id, person, role, count(*) FROM (
    SELECT DISTINCT b.series_id, p.id AS person, ${ROLE} AS role, b.id FROM book_metadata m CROSS JOIN book b ON b.id = m.book_id AND b.deleted = 0
    CROSS JOIN ${ofFacts('m.facts')} a CROSS JOIN person p ON p.name = ${NAME}) GROUP BY series_id, person, role;
INSERT INTO credit (series_id, person_id, role, own)
  SELECT DISTINCT s.id, p.id, ${ROLE}, 1 FROM series s CROSS JOIN json_each(s.authors) a CROSS JOIN person p ON p.name = ${NAME} WHERE s.book_count > 0
  ON CONFLICT (series_id, person_id, role) DO UPDATE SET own = 1;`;

const TRIGGERS = `
CREATE TRIGGER credit_fact AFTER INSERT ON book_metadata BEGIN
  ${credit(ofFacts('new.facts'), liveSeries('new.book_id'), 'books')}
END;
CREATE TRIGGER credit_facts AFTER UPDATE OF facts ON book_metadata WHEN new.facts -> '$.authors' IS NOT old.facts -> '$.authors' BEGIN
  ${credit(ofFacts('new.facts'), liveSeries('new.book_id'), 'books')}
  ${discredit(ofFacts('old.facts'), liveSeries('new.book_id'), 'books')}
END;
CREATE TRIGGER credit_no_fact AFTER DELETE ON book_metadata BEGIN
  ${discredit(ofFacts('old.facts'), liveSeries('old.book_id'), 'books')}
END;
CREATE TRIGGER credit_book AFTER UPDATE OF deleted, series_id ON book
WHEN old.deleted IS NOT new.deleted OR old.series_id IS NOT new.series_id BEGIN
  ${credit(factsOf('new.id'), ifLive('new'), 'books')}
  ${discredit(factsOf('new.id'), ifLive('old'), 'books')}
END;
CREATE TRIGGER credit_no_book BEFORE DELETE ON book WHEN old.deleted = 0 BEGIN
  ${discredit(factsOf('old.id'), 'old.series_id', 'books')}
END;
CREATE TRIGGER credit_series AFTER UPDATE OF authors, book_count ON series
WHEN old.authors IS NOT new.authors OR (old.book_count > 0) <> (new.book_count > 0) BEGIN
  ${credit('json_each(new.authors)', ifShown('new'), 'own')}
  ${discredit('json_each(old.authors)', ifShown('old'), 'own')}
END;
CREATE TRIGGER credit_gone AFTER DELETE ON credit BEGIN
  DELETE FROM person WHERE id = old.person_id AND NOT EXISTS (SELECT 1 FROM credit WHERE person_id = old.person_id);
END;`;

export const PEOPLE = `${PEOPLE_TABLES}\n${COUNT_CREDITS}\n${TRIGGERS}`;
