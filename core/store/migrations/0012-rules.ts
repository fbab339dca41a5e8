// Schema 12: by the numbers of which rules (core/model/stored-rules.ts) stored things were made, and how far making them again has come.
// What is there already was made by the first ones; a new database has no rows here until its first start. Letters of series are those
// of what series are sorted by; numbers are padded there, and the first digit is behind the zeros.
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
