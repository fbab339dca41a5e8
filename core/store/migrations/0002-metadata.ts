// Schema 2: the metadata of books and series, which fields are locked, genres and tags. Facts and locks are JSON: they are read whole, and
// a new fact needs no new column. An absent fact is null.
export const METADATA = `
CREATE TABLE book_metadata_2 (
  book_id INTEGER PRIMARY KEY REFERENCES book(id) ON DELETE CASCADE,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  facts TEXT NOT NULL,
  locks TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
INSERT INTO book_metadata_2 (book_id, uuid, facts, created_at, updated_at)
  SELECT book_id, uuid,
    json_patch('{}', json_object('title', title, 'series', series, 'number', number, 'volume', volume, 'summary', summary)),
    created_at, updated_at
  FROM book_metadata;
DROP TABLE book_metadata;
ALTER TABLE book_metadata_2 RENAME TO book_metadata;

ALTER TABLE book ADD COLUMN number_locked INTEGER NOT NULL DEFAULT 0 CHECK (number_locked IN (0, 1));

ALTER TABLE series ADD COLUMN title_sort TEXT;
ALTER TABLE series ADD COLUMN summary TEXT;
ALTER TABLE series ADD COLUMN publisher TEXT;
ALTER TABLE series ADD COLUMN imprint TEXT;
ALTER TABLE series ADD COLUMN status TEXT CHECK (status IN ('ongoing', 'ended', 'hiatus', 'abandoned', 'unknown'));
ALTER TABLE series ADD COLUMN year INTEGER;
ALTER TABLE series ADD COLUMN language TEXT;
ALTER TABLE series ADD COLUMN age_rating INTEGER;
ALTER TABLE series ADD COLUMN total_volume_count INTEGER;
ALTER TABLE series ADD COLUMN total_chapter_count REAL;
ALTER TABLE series ADD COLUMN authors TEXT;
ALTER TABLE series ADD COLUMN custom TEXT;
ALTER TABLE series ADD COLUMN links TEXT;
ALTER TABLE series ADD COLUMN locks TEXT NOT NULL DEFAULT '[]';

CREATE TABLE genre (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tag (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE series_genre (
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  genre_id INTEGER NOT NULL REFERENCES genre(id) ON DELETE CASCADE,
  PRIMARY KEY (series_id, genre_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_genre_by_genre ON series_genre(genre_id);

CREATE TABLE series_tag (
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tag(id) ON DELETE CASCADE,
  PRIMARY KEY (series_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_tag_by_tag ON series_tag(tag_id);

CREATE TABLE book_genre (
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  genre_id INTEGER NOT NULL REFERENCES genre(id) ON DELETE CASCADE,
  PRIMARY KEY (book_id, genre_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX book_genre_by_genre ON book_genre(genre_id);

CREATE TABLE book_tag (
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tag(id) ON DELETE CASCADE,
  PRIMARY KEY (book_id, tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX book_tag_by_tag ON book_tag(tag_id);
`;
