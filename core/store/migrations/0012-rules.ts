// Schema 12: which version of each rule (core/model/stored-rules.ts) made the stored results, and how far recomputing them has come. The
// first versions made the existing rows; a new database has no rows here until its first start. The letter of a series comes from its sort
// key, in which numbers are padded: the first digit comes after the zeros.
export const RULES = `
CREATE TABLE stored_rule (
  name TEXT NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  target INTEGER,
  reached INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO stored_rule (name, number) SELECT value, 1 FROM json_each('["pages","sortKeys","volumes","numbers","words"]')
  WHERE EXISTS (SELECT 1 FROM library);

ALTER TABLE book_pages ADD COLUMN rule INTEGER NOT NULL DEFAULT 1;

DROP INDEX series_by_letter;
CREATE INDEX series_by_letter ON series(CASE WHEN name_sort GLOB '[0-9]*'
  THEN substr(coalesce(nullif(ltrim(substr(name_sort, 1, 10), '0'), ''), '0'), 1, 1) ELSE substr(name_sort, 1, 1) END) WHERE book_count > 0;
`;
