// Schema 26: settings that administrators change while the server runs and the history of their changes, and what users store for their
// clients: preferences, and reader profiles.
export const SETTINGS = `
-- Settings that were changed at least once. Without a value, the configuration applies.
CREATE TABLE setting (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  value TEXT,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by BLOB CHECK (length(updated_by) = 16)
) STRICT;

-- Who changed a setting, by an id that outlives the account.
CREATE TABLE setting_change (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  key TEXT NOT NULL,
  old_value TEXT NOT NULL,
  new_value TEXT NOT NULL,
  changed_by BLOB NOT NULL CHECK (length(changed_by) = 16),
  changed_at INTEGER NOT NULL,
  reason TEXT,
  address TEXT
) STRICT;
CREATE INDEX setting_change_by_key ON setting_change(key, id);

CREATE TABLE user_preference (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;

-- For one series, else for one library, else for everything; for one kind of device, or, if it is empty, for any.
CREATE TABLE reader_profile (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  library_id INTEGER REFERENCES library(id) ON DELETE CASCADE,
  series_id INTEGER REFERENCES series(id) ON DELETE CASCADE,
  device TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (library_id IS NULL OR series_id IS NULL)
) STRICT;
CREATE UNIQUE INDEX reader_profile_by_place
  ON reader_profile(user_id, coalesce(series_id, 0), coalesce(library_id, 0), device);
CREATE INDEX reader_profile_by_series ON reader_profile(series_id) WHERE series_id IS NOT NULL;
CREATE INDEX reader_profile_by_library ON reader_profile(library_id) WHERE library_id IS NOT NULL;
`;
