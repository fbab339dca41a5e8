// Schema 16: visibility. Sharing tags of series, allowed or denied to users and to groups of users; the libraries and the age rating a user
// is limited to. A user without a row in any of these tables sees everything.
export const VISIBILITY = `
CREATE TABLE sharing_tag (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  description TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE series_sharing_tag (
  series_id INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
  sharing_tag_id INTEGER NOT NULL REFERENCES sharing_tag(id) ON DELETE CASCADE,
  PRIMARY KEY (series_id, sharing_tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_sharing_tag_by_tag ON series_sharing_tag(sharing_tag_id);

CREATE TABLE user_grant (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  sharing_tag_id INTEGER NOT NULL REFERENCES sharing_tag(id) ON DELETE CASCADE,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  access TEXT NOT NULL CHECK (access IN ('allow', 'deny')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, sharing_tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_grant_by_tag ON user_grant(sharing_tag_id);

CREATE TABLE access_group (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  description TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE access_group_member (
  access_group_id INTEGER NOT NULL REFERENCES access_group(id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (access_group_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_group_member_by_user ON access_group_member(user_id);

CREATE TABLE access_group_grant (
  access_group_id INTEGER NOT NULL REFERENCES access_group(id) ON DELETE CASCADE,
  sharing_tag_id INTEGER NOT NULL REFERENCES sharing_tag(id) ON DELETE CASCADE,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  access TEXT NOT NULL CHECK (access IN ('allow', 'deny')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (access_group_id, sharing_tag_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_group_grant_by_tag ON access_group_grant(sharing_tag_id);

-- Whether a user has a list of libraries is said here: a list may be empty, and a deleted library leaves it.
CREATE TABLE user_restriction (
  user_id INTEGER PRIMARY KEY REFERENCES user(id) ON DELETE CASCADE,
  all_libraries INTEGER NOT NULL DEFAULT 1 CHECK (all_libraries IN (0, 1)),
  age_limit INTEGER CHECK (age_limit >= 0),
  show_unrated INTEGER NOT NULL DEFAULT 0 CHECK (show_unrated IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE user_library (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  library_id INTEGER NOT NULL REFERENCES library(id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_library_by_library ON user_library(library_id);
`;
