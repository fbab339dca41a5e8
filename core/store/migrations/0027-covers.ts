// Schema step: covers that users upload or choose, for books, series, collections and read lists. Their images are files in `uploads/`.
export const COVERS = `
CREATE TABLE cover (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  book_id INTEGER REFERENCES book(id) ON DELETE CASCADE,
  series_id INTEGER REFERENCES series(id) ON DELETE CASCADE,
  collection_id INTEGER REFERENCES collection(id) ON DELETE CASCADE,
  read_list_id INTEGER REFERENCES read_list(id) ON DELETE CASCADE,
  -- Where the image is from: custom (uploaded), or page:N of the book. Of a chosen book: book.
  source TEXT NOT NULL,
  -- The cover of this book is shown, whatever that is at the time; there is no image then. A book that is gone, or that a viewer may not
  -- see, is as if it had not been chosen.
  of_book BLOB CHECK (of_book IS NULL OR length(of_book) = 16),
  width INTEGER,
  height INTEGER,
  size_bytes INTEGER,
  -- Whether it is shown in place of the cover from the files.
  selected INTEGER NOT NULL CHECK (selected IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((book_id IS NOT NULL) + (series_id IS NOT NULL) + (collection_id IS NOT NULL) + (read_list_id IS NOT NULL) = 1),
  CHECK ((of_book IS NULL) = (size_bytes IS NOT NULL)),
  CHECK (of_book IS NULL OR selected = 1)
) STRICT;
CREATE INDEX cover_by_book ON cover(book_id, id) WHERE book_id IS NOT NULL;
CREATE INDEX cover_by_series ON cover(series_id, id) WHERE series_id IS NOT NULL;
CREATE INDEX cover_by_collection ON cover(collection_id, id) WHERE collection_id IS NOT NULL;
CREATE INDEX cover_by_read_list ON cover(read_list_id, id) WHERE read_list_id IS NOT NULL;
CREATE UNIQUE INDEX cover_selected_by_book ON cover(book_id) WHERE selected = 1 AND book_id IS NOT NULL;
CREATE UNIQUE INDEX cover_selected_by_series ON cover(series_id) WHERE selected = 1 AND series_id IS NOT NULL;
CREATE UNIQUE INDEX cover_selected_by_collection ON cover(collection_id) WHERE selected = 1 AND collection_id IS NOT NULL;
CREATE UNIQUE INDEX cover_selected_by_read_list ON cover(read_list_id) WHERE selected = 1 AND read_list_id IS NOT NULL;

-- Images whose covers are gone, until their files are.
CREATE TABLE gone_cover (uuid BLOB PRIMARY KEY CHECK (length(uuid) = 16)) STRICT, WITHOUT ROWID;
CREATE TRIGGER cover_gone AFTER DELETE ON cover WHEN old.of_book IS NULL BEGIN
  INSERT OR IGNORE INTO gone_cover (uuid) VALUES (old.uuid);
END;
`;
