// Schema 5: reading. Progress records position, time and device; finished read-throughs, want-to-read queues, positions inside books;
// counters of each user in each series. Triggers maintain the counters from progress and books, so no writer can forget them.

/**
 * `series_id` and `live` repeat facts of the book, so that lists and counters only use the user's own rows. updated_at is the time of
 * reading: the client's if it sent one, never later than the server's.
 */
const PROGRESS = `
CREATE TABLE read_progress_5 (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  series_id INTEGER NOT NULL,
  live INTEGER NOT NULL CHECK (live IN (0, 1)),
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  current_page INTEGER NOT NULL CHECK (current_page >= 1),
  percentage REAL CHECK (percentage BETWEEN 0 AND 1),
  completed INTEGER NOT NULL CHECK (completed IN (0, 1)),
  completed_at INTEGER CHECK ((completed_at IS NULL) = (completed = 0)),
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  device_id TEXT,
  device_name TEXT,
  PRIMARY KEY (user_id, book_id)
) STRICT, WITHOUT ROWID;
INSERT INTO read_progress_5 (user_id, book_id, series_id, live, uuid, current_page, completed, completed_at, started_at, updated_at)
  SELECT p.user_id, p.book_id, b.series_id, 1 - b.deleted, p.uuid, max(1, p.current_page), p.completed,
    CASE p.completed WHEN 1 THEN coalesce(p.completed_at, p.updated_at) END, p.started_at, p.updated_at
  FROM read_progress p JOIN book b ON b.id = p.book_id;
DROP TABLE read_progress;
ALTER TABLE read_progress_5 RENAME TO read_progress;
CREATE INDEX read_progress_by_book ON read_progress(book_id);
CREATE INDEX read_progress_by_update ON read_progress(user_id, updated_at) WHERE live = 1;
CREATE INDEX read_progress_open ON read_progress(user_id, updated_at) WHERE live = 1 AND completed = 0;
CREATE INDEX read_progress_in_series ON read_progress(user_id, series_id, live, updated_at);
CREATE INDEX read_progress_done_in_series ON read_progress(user_id, series_id, live, completed_at);
`;

/** A read-through has the id of the progress record it came from: finishing again without a fresh start is the same read-through. */
const TABLES = `
CREATE TABLE read_completion (
  uuid BLOB NOT NULL PRIMARY KEY CHECK (length(uuid) = 16),
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  started_at INTEGER NOT NULL,
  completed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX read_completion_by_user ON read_completion(user_id, book_id, completed_at);
CREATE INDEX read_completion_by_book ON read_completion(book_id);
INSERT INTO read_completion (uuid, user_id, book_id, started_at, completed_at)
  SELECT uuid, user_id, book_id, started_at, completed_at FROM read_progress WHERE completed = 1;

CREATE TABLE read_position (
  user_id INTEGER NOT NULL,
  book_id INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (user_id, book_id),
  FOREIGN KEY (user_id, book_id) REFERENCES read_progress(user_id, book_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE want_to_read (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  book_id INTEGER REFERENCES book(id) ON DELETE CASCADE,
  series_id INTEGER REFERENCES series(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  CHECK ((book_id IS NULL) <> (series_id IS NULL)),
  UNIQUE (user_id, book_id),
  UNIQUE (user_id, series_id)
) STRICT;
CREATE INDEX want_to_read_by_book ON want_to_read(book_id);
CREATE INDEX want_to_read_by_series ON want_to_read(series_id);
CREATE INDEX want_to_read_by_time ON want_to_read(user_id, added_at);
CREATE INDEX want_to_read_by_position ON want_to_read(user_id, position);

CREATE TABLE series_reading (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  book_count INTEGER NOT NULL,
  completed_count INTEGER NOT NULL CHECK (completed_count >= 0),
  in_progress_count INTEGER NOT NULL CHECK (in_progress_count >= 0),
  last_read_at INTEGER,
  last_completed_at INTEGER,
  PRIMARY KEY (user_id, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_reading_by_series ON series_reading(series_id);
CREATE INDEX series_reading_open ON series_reading(user_id, last_read_at) WHERE in_progress_count > 0;
CREATE INDEX series_reading_on_deck ON series_reading(user_id, last_read_at)
  WHERE completed_count > 0 AND in_progress_count = 0 AND completed_count < book_count;
INSERT INTO series_reading (user_id, series_id, book_count, completed_count, in_progress_count, last_read_at, last_completed_at)
  SELECT p.user_id, p.series_id, s.book_count, sum(p.completed), sum(1 - p.completed), max(p.updated_at), max(p.completed_at)
  FROM read_progress p JOIN series s ON s.id = p.series_id WHERE p.live = 1 GROUP BY p.user_id, p.series_id;
`;

/** The order of a series: books without a number come last; ties are resolved by title, file name and id. */
const ORDER = `
ALTER TABLE book ADD COLUMN place INTEGER AS (coalesce(number, 9007199254740991)) VIRTUAL;
DROP INDEX book_by_series;
CREATE INDEX book_by_series ON book(series_id, deleted, place);
`;

const ADD = `
  INSERT INTO series_reading (user_id, series_id, book_count, completed_count, in_progress_count, last_read_at, last_completed_at)
    SELECT NEW.user_id, NEW.series_id, s.book_count, NEW.completed, 1 - NEW.completed, NEW.updated_at, NEW.completed_at
    FROM series s WHERE s.id = NEW.series_id AND NEW.live = 1
    ON CONFLICT (user_id, series_id) DO UPDATE SET
      completed_count = completed_count + excluded.completed_count, in_progress_count = in_progress_count + excluded.in_progress_count,
      last_read_at = max(last_read_at, excluded.last_read_at),
      last_completed_at = coalesce(max(last_completed_at, excluded.last_completed_at), last_completed_at, excluded.last_completed_at);`;

/** Counts change by one; the latest times are looked up in their index, since the removed row may have been the latest. */
const TAKE = `
  UPDATE series_reading SET completed_count = completed_count - OLD.completed, in_progress_count = in_progress_count - (1 - OLD.completed)
    WHERE user_id = OLD.user_id AND series_id = OLD.series_id AND OLD.live = 1;`;

const SETTLE = `
  DELETE FROM series_reading
    WHERE user_id = OLD.user_id AND series_id = OLD.series_id AND completed_count = 0 AND in_progress_count = 0;
  UPDATE series_reading SET
      last_read_at = (SELECT max(p.updated_at) FROM read_progress p
        WHERE p.user_id = OLD.user_id AND p.series_id = OLD.series_id AND p.live = 1),
      last_completed_at = (SELECT max(p.completed_at) FROM read_progress p
        WHERE p.user_id = OLD.user_id AND p.series_id = OLD.series_id AND p.live = 1)
    WHERE user_id = OLD.user_id AND series_id = OLD.series_id;`;

const REMEMBER = `
  INSERT INTO read_completion (uuid, user_id, book_id, started_at, completed_at)
    VALUES (NEW.uuid, NEW.user_id, NEW.book_id, NEW.started_at, NEW.completed_at)
    ON CONFLICT (uuid) DO UPDATE SET completed_at = excluded.completed_at;`;

const TRIGGERS = `
CREATE TRIGGER read_progress_added AFTER INSERT ON read_progress WHEN NEW.live = 1 BEGIN ${ADD}
END;
CREATE TRIGGER read_progress_changed AFTER UPDATE OF series_id, live, completed, completed_at, updated_at ON read_progress
WHEN OLD.live = 1 OR NEW.live = 1 BEGIN ${TAKE} ${ADD} ${SETTLE}
END;
CREATE TRIGGER read_progress_removed AFTER DELETE ON read_progress WHEN OLD.live = 1 BEGIN ${TAKE} ${SETTLE}
END;
CREATE TRIGGER read_progress_begun_completed AFTER INSERT ON read_progress WHEN NEW.completed = 1 BEGIN ${REMEMBER}
END;
CREATE TRIGGER read_progress_completed AFTER UPDATE OF completed ON read_progress
WHEN NEW.completed = 1 AND OLD.completed = 0 BEGIN ${REMEMBER}
END;
CREATE TRIGGER book_reading AFTER UPDATE OF series_id, deleted ON book
WHEN OLD.series_id <> NEW.series_id OR OLD.deleted <> NEW.deleted BEGIN
  UPDATE read_progress SET series_id = NEW.series_id, live = 1 - NEW.deleted WHERE book_id = NEW.id;
END;
CREATE TRIGGER series_reading_recounted AFTER UPDATE OF book_count ON series WHEN OLD.book_count <> NEW.book_count BEGIN
  UPDATE series_reading SET book_count = NEW.book_count WHERE series_id = NEW.id;
END;
`;

export const READING = PROGRESS + TABLES + ORDER + TRIGGERS;
