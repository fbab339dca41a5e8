// Schema 1: users and sessions, libraries with folders, series and books, page tables, progress, the last scan of each library.
// Integer keys internally, uuids (16 bytes) externally; times are integer milliseconds; booleans are 0 or 1.
export const FIRST = `
CREATE TABLE user (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  username TEXT NOT NULL,
  username_key TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('reader', 'maintainer', 'admin')),
  permissions TEXT NOT NULL DEFAULT '[]',
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  email_verified INTEGER NOT NULL DEFAULT 1 CHECK (email_verified IN (0, 1)),
  last_login_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX session_by_user ON session(user_id);
CREATE INDEX session_by_expiry ON session(expires_at);

CREATE TABLE library (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name TEXT NOT NULL,
  name_sort TEXT NOT NULL,
  root TEXT NOT NULL UNIQUE,
  description TEXT,
  reading_direction TEXT NOT NULL DEFAULT 'ltr' CHECK (reading_direction IN ('ltr', 'rtl', 'ttb', 'webtoon')),
  allowed_formats TEXT,
  excluded TEXT NOT NULL DEFAULT '',
  scan_enabled INTEGER NOT NULL DEFAULT 0 CHECK (scan_enabled IN (0, 1)),
  scan_mode TEXT NOT NULL DEFAULT 'normal' CHECK (scan_mode IN ('normal', 'deep')),
  scan_cron TEXT,
  scan_on_start INTEGER NOT NULL DEFAULT 0 CHECK (scan_on_start IN (0, 1)),
  series_count INTEGER NOT NULL DEFAULT 0,
  book_count INTEGER NOT NULL DEFAULT 0,
  last_scanned_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE folder (
  id INTEGER PRIMARY KEY,
  library_id INTEGER NOT NULL REFERENCES library(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  digest TEXT NOT NULL DEFAULT '',
  UNIQUE (library_id, path)
) STRICT;

CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  library_id INTEGER NOT NULL REFERENCES library(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  name_sort TEXT NOT NULL,
  reading_direction TEXT CHECK (reading_direction IN ('ltr', 'rtl', 'ttb', 'webtoon')),
  book_count INTEGER NOT NULL DEFAULT 0,
  file_size INTEGER NOT NULL DEFAULT 0,
  page_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (library_id, path)
) STRICT;
CREATE INDEX series_by_name ON series(name_sort, library_id) WHERE book_count > 0;
CREATE INDEX series_by_created ON series(created_at, library_id) WHERE book_count > 0;
CREATE INDEX series_by_updated ON series(updated_at, library_id) WHERE book_count > 0;
CREATE INDEX series_by_books ON series(book_count, library_id) WHERE book_count > 0;
CREATE INDEX series_by_size ON series(file_size, library_id) WHERE book_count > 0;
CREATE INDEX series_by_pages ON series(page_count, library_id) WHERE book_count > 0;
CREATE INDEX series_by_path ON series(path, library_id) WHERE book_count > 0;

CREATE TABLE book (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  library_id INTEGER NOT NULL REFERENCES library(id) ON DELETE CASCADE,
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  folder_id INTEGER NOT NULL REFERENCES folder(id) ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  file_size INTEGER NOT NULL,
  file_mtime INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 0,
  file_hash TEXT NOT NULL DEFAULT '',
  koreader_hash TEXT,
  format TEXT NOT NULL CHECK (format IN ('cbz', 'cbr', 'epub', 'pdf')),
  title TEXT NOT NULL,
  title_sort TEXT NOT NULL,
  number INTEGER,
  volume INTEGER,
  chapter REAL,
  page_count INTEGER NOT NULL DEFAULT 0,
  analyzed INTEGER NOT NULL DEFAULT 0 CHECK (analyzed IN (0, 1)),
  analysis_error TEXT,
  due INTEGER NOT NULL DEFAULT 0 CHECK (due IN (0, 1)),
  attempts INTEGER NOT NULL DEFAULT 0,
  deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (folder_id, file_name)
) STRICT;
CREATE INDEX book_by_series ON book(series_id, number);
CREATE INDEX book_by_file_size ON book(file_size, library_id) WHERE deleted = 0;
CREATE INDEX book_by_title ON book(title_sort, library_id) WHERE deleted = 0;
CREATE INDEX book_by_number ON book(number, library_id) WHERE deleted = 0;
CREATE INDEX book_by_pages ON book(page_count, library_id) WHERE deleted = 0;
CREATE INDEX book_by_created ON book(created_at, library_id) WHERE deleted = 0;
CREATE INDEX book_by_modified ON book(file_mtime, library_id) WHERE deleted = 0;
CREATE INDEX book_due ON book(library_id, attempts, id) WHERE due = 1;
CREATE INDEX book_gone ON book(library_id, file_size) WHERE deleted = 1;

CREATE TABLE book_metadata (
  book_id INTEGER PRIMARY KEY REFERENCES book(id) ON DELETE CASCADE,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  title TEXT,
  series TEXT,
  number TEXT,
  volume INTEGER,
  summary TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE book_pages (
  book_id INTEGER PRIMARY KEY REFERENCES book(id) ON DELETE CASCADE,
  page_table BLOB NOT NULL
) STRICT;

CREATE TABLE read_progress (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  current_page INTEGER NOT NULL,
  completed INTEGER NOT NULL CHECK (completed IN (0, 1)),
  completed_at INTEGER,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, book_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX read_progress_by_book ON read_progress(book_id);
CREATE INDEX read_progress_by_update ON read_progress(user_id, updated_at);

CREATE TABLE scan (
  library_id INTEGER PRIMARY KEY REFERENCES library(id) ON DELETE CASCADE,
  mode TEXT NOT NULL CHECK (mode IN ('normal', 'deep')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
  files_total INTEGER NOT NULL DEFAULT 0,
  files_processed INTEGER NOT NULL DEFAULT 0,
  series_found INTEGER NOT NULL DEFAULT 0,
  books_found INTEGER NOT NULL DEFAULT 0,
  errors TEXT NOT NULL DEFAULT '[]',
  started_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT;
`;
