// Schema step: e-reader sync. Secrets of users, of which only hashes are stored; what e-readers say of each document; and by what e-readers know
// the books of the server (core/sync/book-names.ts).
export const SYNC = `
CREATE TABLE sync_secret (
  user_id INTEGER PRIMARY KEY REFERENCES user(id) ON DELETE CASCADE,
  salt BLOB NOT NULL CHECK (length(salt) = 16),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  set_at INTEGER NOT NULL
) STRICT;

-- As the device sent it. read_at: the time of the progress that was stored with it. book: the id of the book it was taken for, if any.
CREATE TABLE sync_document (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  document TEXT NOT NULL,
  progress TEXT NOT NULL,
  percentage REAL NOT NULL,
  device TEXT NOT NULL,
  device_id TEXT,
  read_at INTEGER NOT NULL,
  book BLOB CHECK (length(book) = 16),
  PRIMARY KEY (user_id, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_document_by_time ON sync_document(user_id, read_at);
CREATE INDEX sync_document_by_book ON sync_document(user_id, book, read_at) WHERE book IS NOT NULL;

-- kind 0: the hash of (parts of) a file, as it is or was. kind 1: the MD5 of a file name, as it is or was.
CREATE TABLE book_name (
  hash BLOB NOT NULL CHECK (length(hash) = 16),
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
  PRIMARY KEY (hash, book_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX book_name_by_book ON book_name(book_id);

-- Books whose hash or file name is not in book_name yet. Null: what it is now.
CREATE TABLE book_name_due (
  id INTEGER PRIMARY KEY,
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  file_name TEXT,
  koreader_hash TEXT
) STRICT;
CREATE INDEX book_name_due_by_book ON book_name_due(book_id);
INSERT INTO book_name_due (book_id) SELECT id FROM book WHERE koreader_hash IS NOT NULL;
CREATE TRIGGER book_renamed AFTER UPDATE OF file_name, koreader_hash ON book
  WHEN new.koreader_hash IS NOT NULL AND (old.koreader_hash IS NOT new.koreader_hash OR old.file_name <> new.file_name)
BEGIN
  INSERT INTO book_name_due (book_id, file_name, koreader_hash) VALUES (new.id,
    iif(old.file_name <> new.file_name, old.file_name, NULL), iif(old.koreader_hash <> new.koreader_hash, old.koreader_hash, NULL));
END;
`;
