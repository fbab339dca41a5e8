// Schema 8: alternate titles of a series, which are searched like its own, and the conditions of automatic collections.
// A condition is stored as its client wrote it; a collection that has one has no rows in collection_series.
const waitFor = (row: string): string =>
  `INSERT INTO search_due (kind, id) SELECT 1, ${row}.series_id WHERE NOT EXISTS (SELECT 1 FROM search_due WHERE kind = 1 AND id = ${row}.series_id);`;

export const TITLES = `
CREATE TABLE series_title (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX series_title_by_series ON series_title(series_id);

CREATE TRIGGER series_title_came_search AFTER INSERT ON series_title BEGIN ${waitFor('new')} END;
CREATE TRIGGER series_title_went_search AFTER DELETE ON series_title BEGIN ${waitFor('old')} END;
CREATE TRIGGER series_title_changed_search AFTER UPDATE OF title ON series_title WHEN old.title <> new.title BEGIN ${waitFor('new')} END;

ALTER TABLE collection ADD COLUMN condition TEXT;
CREATE INDEX collection_automatic ON collection(name_sort) WHERE condition IS NOT NULL;
`;
