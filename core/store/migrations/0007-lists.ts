// Schema 7: collections of series and read lists of books. Positions count from 1, with gaps where a member was removed.
// No counter for members is stored: their number depends on which files are present, and on who views the list.
export const LISTS = `
CREATE TABLE collection (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  name_sort TEXT NOT NULL,
  summary TEXT,
  ordered INTEGER NOT NULL DEFAULT 0 CHECK (ordered IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX collection_by_name ON collection(name_sort);

CREATE TABLE collection_series (
  collection_id INTEGER NOT NULL REFERENCES collection(id) ON DELETE CASCADE,
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  PRIMARY KEY (collection_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_series_by_series ON collection_series(series_id);
CREATE INDEX collection_series_by_position ON collection_series(collection_id, position);

CREATE TABLE read_list (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  name_sort TEXT NOT NULL,
  summary TEXT,
  ordered INTEGER NOT NULL DEFAULT 1 CHECK (ordered IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX read_list_by_name ON read_list(name_sort);

CREATE TABLE read_list_book (
  read_list_id INTEGER NOT NULL REFERENCES read_list(id) ON DELETE CASCADE,
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  PRIMARY KEY (read_list_id, book_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX read_list_book_by_book ON read_list_book(book_id);
CREATE INDEX read_list_book_by_position ON read_list_book(read_list_id, position);
`;
