// Schema 18: what each source says of each book, so that a field can be unlocked without opening the file. `source` is a number of
// core/catalog/sources.ts. `facts` NULL: exactly what book_metadata shows, which is the usual case of a file without user changes. Locked
// facts become what the user says, the rest what the file says. What the file says of locked fields and of its series is unknown, so its
// row is incomplete until the next analysis. `cleared` of a series: fields a user cleared, with what the sources said at the time.
import type { BatchStep } from '../schema-step.js';

const ROLES = `'{"writer":["writer","author"],"penciller":["penciller"],"inker":["inker"],"colorist":["colorist"],"letterer":["letterer"],
  "coverArtist":["cover_artist"],"editor":["editor"]}'`;
const NOT_FACTS = `'cover', 'genres', 'tags'`;

/** Authors whose roles are not locked. */
const UNLOCKED = `(SELECT json_group_array(json(a.value)) FROM json_each(m.facts, '$.authors') a
  WHERE NOT EXISTS (SELECT 1 FROM json_each(m.locks) l JOIN json_each(${ROLES}, '$.' || l.value) r WHERE r.value = a.value ->> '$.role'))`;

const OF_ROLE = `(SELECT json_group_array(json(a.value)) FROM json_each(m.facts, '$.authors') a
  WHERE a.value ->> '$.role' IN (SELECT r.value FROM json_each(${ROLES}, '$.' || l.value) r))`;

const TABLES = `
ALTER TABLE series ADD COLUMN cleared TEXT;

CREATE TABLE book_source (
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  source INTEGER NOT NULL,
  facts TEXT,
  series TEXT,
  complete INTEGER NOT NULL DEFAULT 1 CHECK (complete IN (0, 1)),
  PRIMARY KEY (book_id, source)
) STRICT, WITHOUT ROWID;`;

/** Facts are copied for these books alone. */
const IS_COPIED = `(m.locks <> '[]' OR m.facts ->> '$.customMetadata' IS NOT NULL)`;

const OF_USER = `(SELECT json_group_object(l.value, json(CASE WHEN l.value IN (SELECT key FROM json_each(${ROLES})) THEN ${OF_ROLE}
      ELSE coalesce(m.facts -> ('$.' || l.value), 'null') END))
    FROM (SELECT value FROM json_each(m.locks) WHERE value NOT IN (${NOT_FACTS})
      UNION SELECT 'customMetadata' WHERE m.facts ->> '$.customMetadata' IS NOT NULL) l)`;

const OF_FILE = `CASE WHEN ${IS_COPIED} THEN
    (SELECT json_group_object(f.key, json(CASE f.key WHEN 'authors' THEN ${UNLOCKED} ELSE m.facts -> f.fullkey END)) FROM json_each(m.facts) f
      WHERE f.key <> 'customMetadata' AND f.key NOT IN (SELECT value FROM json_each(m.locks))) END`;

/** In the order of the table's key: rows put between others would leave its pages half empty. */
const COPY = `INSERT INTO book_source (book_id, source, facts, complete)
  SELECT m.book_id, 0, ${OF_USER}, 1 FROM book_metadata m WHERE m.book_id > ?1 AND m.book_id <= ?2 AND (m.facts ->> '$.customMetadata' IS NOT NULL
    OR EXISTS (SELECT 1 FROM json_each(m.locks) WHERE value NOT IN (${NOT_FACTS})))
  UNION ALL SELECT m.book_id, 1, ${OF_FILE}, 0 FROM book_metadata m WHERE m.book_id > ?1 AND m.book_id <= ?2
  ORDER BY 1, 2`;

/** What the two rows of a copied book say together: a lock without a fact is stored as null. */
const COPIED = `octet_length(m.facts) + 2 * octet_length(m.locks)`;

/**
 * About what a book adds to the table, more rather than less. SQLite keeps rows of up to 1002 bytes in the tree. Of longer ones it keeps at
 * least 489 there, and the others in pages of their own: those of one row, or of both when they are long enough together.
 */
const BYTES = `CASE WHEN NOT ${IS_COPIED} THEN 20 WHEN ${COPIED} <= 1000 THEN 60 + (${COPIED}) * 13 / 10
  ELSE 1500 + 4096 * ((${COPIED} - 489 + 4091) / 4092 + (${COPIED} > 2000)) END`;

const BATCH_BOOKS = 5000;
const BATCH_BYTES = 2_000_000;

/** The last book of the batch after ?: it may exceed the bytes. */
const NEXT = `SELECT max(book_id) AS key, (SELECT max(book_id) FROM book_metadata) AS lastKey
  FROM (SELECT book_id, sum(bytes) OVER (ORDER BY book_id) - bytes AS before
    FROM (SELECT book_id, ${BYTES} AS bytes FROM book_metadata m WHERE book_id > ? ORDER BY book_id LIMIT ${BATCH_BOOKS}))
  WHERE before < ${BATCH_BYTES}`;

export const SOURCES: BatchStep = {
  name: 'metadata by source',
  first: TABLES,
  batch: async (statements, done) => {
    const [next] = await statements.all<{ key: number | null; lastKey: number }>(NEXT, [done]);
    if (next === undefined || next.key === null) return null;
    await statements.run(COPY, [done, next.key]);
    return { key: next.key, lastKey: next.lastKey };
  },
  growth: async (reader, done) => {
    const [column] = await reader.all("SELECT 1 FROM pragma_table_info('book_metadata') WHERE name = 'locks'");
    if (column === undefined) return 0;
    const [row] = await reader.all<{ bytes: number }>(
      `SELECT coalesce(sum(${BYTES}), 0) AS bytes FROM book_metadata m WHERE book_id > ?`,
      [done],
    );
    return row?.bytes ?? 0;
  },
};
