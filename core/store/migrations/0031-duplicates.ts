// Schema step: groups of books and series that may be the same (core/scan/duplicates), and what they are recognised by.
export const DUPLICATES = `
CREATE TABLE duplicate_group (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  -- 0: equal files; 1: editions of one work; 2: series with equal titles.
  kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 2),
  -- Of series: their library. Otherwise 0.
  library_id INTEGER NOT NULL DEFAULT 0,
  match_key TEXT NOT NULL,
  -- Of the keys of its members. A group whose members are others is no longer dismissed.
  digest TEXT NOT NULL,
  dismissed INTEGER NOT NULL DEFAULT 0 CHECK (dismissed IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (kind, library_id, match_key)
) STRICT;
CREATE INDEX duplicate_group_shown ON duplicate_group(kind, id) WHERE dismissed = 0;
CREATE TABLE duplicate_book (
  group_id INTEGER NOT NULL REFERENCES duplicate_group(id) ON DELETE CASCADE,
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, book_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX duplicate_book_by_book ON duplicate_book(book_id);
CREATE TABLE duplicate_series (
  group_id INTEGER NOT NULL REFERENCES duplicate_group(id) ON DELETE CASCADE,
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX duplicate_series_by_series ON duplicate_series(series_id);

-- How three pages of a book look, of the version of its file that is named. Without a look: they cannot be decoded.
CREATE TABLE book_look (
  book_id INTEGER PRIMARY KEY REFERENCES book(id) ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  file_size INTEGER NOT NULL,
  file_mtime INTEGER NOT NULL,
  look BLOB
) STRICT;
-- Titles of series in the form in which they are compared.
CREATE TABLE series_key (
  series_id INTEGER PRIMARY KEY REFERENCES series(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  title_key TEXT NOT NULL
) STRICT;
CREATE INDEX series_key_by_title ON series_key(title_key, series_id);
CREATE INDEX book_by_hash ON book(file_hash) WHERE deleted = 0 AND file_hash <> '';
`;
