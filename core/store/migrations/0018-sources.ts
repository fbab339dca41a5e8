// Schema 18: what each source says of each book, so that a field can be unlocked without opening the file. `source` is a number of
// core/catalog/sources.ts. `facts` NULL: exactly what book_metadata shows, which is the usual case of a file without user changes. Locked
// facts become what the user says, the rest what the file says. What the file says of locked fields and of its series is unknown, so its
// row is incomplete until the next analysis. `cleared` of a series: fields a user cleared, with what the sources said at the time.
const ROLES = `'{"writer":["writer","author"],"penciller":["penciller"],"inker":["inker"],"colorist":["colorist"],"letterer":["letterer"],
  "coverArtist":["cover_artist"],"editor":["editor"]}'`;
const NOT_FACTS = `'cover', 'genres', 'tags'`;

/** Authors whose roles are not locked. */
const UNLOCKED = `(SELECT json_group_array(json(a.value)) FROM json_each(m.facts, '$.authors') a
  WHERE NOT EXISTS (SELECT 1 FROM json_each(m.locks) l JOIN json_each(${ROLES}, '$.' || l.value) r WHERE r.value = a.value ->> '$.role'))`;

const OF_ROLE = `(SELECT json_group_array(json(a.value)) FROM json_each(m.facts, '$.authors') a
  WHERE a.value ->> '$.role' IN (SELECT r.value FROM json_each(${ROLES}, '$.' || l.value) r))`;

export const SOURCES = `
ALTER TABLE series ADD COLUMN cleared TEXT;

CREATE TABLE book_source (
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  source INTEGER NOT NULL,
  facts TEXT,
  series TEXT,
  complete INTEGER NOT NULL DEFAULT 1 CHECK (complete IN (0, 1)),
  PRIMARY KEY (book_id, source)
) STRICT, WITHOUT ROWID;

INSERT INTO book_source (book_id, source, facts, complete)
  SELECT m.book_id, 1, CASE WHEN m.locks <> '[]' OR m.facts ->> '$.customMetadata' IS NOT NULL THEN
    (SELECT json_group_object(f.key, json(CASE f.key WHEN 'authors' THEN ${UNLOCKED} ELSE m.facts -> f.fullkey END)) FROM json_each(m.facts) f
      WHERE f.key <> 'customMetadata' AND f.key NOT IN (SELECT value FROM json_each(m.locks))) END, 0
  FROM book_metadata m;

INSERT INTO book_source (book_id, source, facts)
  SELECT m.book_id, 0, (SELECT json_group_object(l.value, json(CASE WHEN l.value IN (SELECT key FROM json_each(${ROLES})) THEN ${OF_ROLE}
      ELSE coalesce(m.facts -> ('$.' || l.value), 'null') END))
    FROM (SELECT value FROM json_each(m.locks) WHERE value NOT IN (${NOT_FACTS})
      UNION SELECT 'customMetadata' WHERE m.facts ->> '$.customMetadata' IS NOT NULL) l)
  FROM book_metadata m WHERE m.facts ->> '$.customMetadata' IS NOT NULL
    OR EXISTS (SELECT 1 FROM json_each(m.locks) WHERE value NOT IN (${NOT_FACTS}));
`;
