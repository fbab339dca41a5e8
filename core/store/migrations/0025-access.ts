// Schema 25: API keys, refresh tokens, links sent by mail, identities at sign-on providers, groups filled by providers, and the audit log.
// Of everything that signs somebody in, only the SHA-256 of its secret is stored.
export const ACCESS = `
CREATE TABLE api_key (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL UNIQUE CHECK (length(prefix) = 8),
  secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
  permissions TEXT NOT NULL,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  expires_at INTEGER,
  last_used_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_key_by_user ON api_key(user_id, id);

ALTER TABLE session ADD COLUMN agent TEXT;
ALTER TABLE session ADD COLUMN address TEXT;
ALTER TABLE session ADD COLUMN seen_at INTEGER;

CREATE TABLE refresh_token (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_token_by_session ON refresh_token(session_id);

-- One of each purpose for a user: a new link ends the one before it. It is void once the address is another one.
CREATE TABLE mail_link (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('verify_email', 'reset_password')),
  email_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (user_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_link_by_expiry ON mail_link(expires_at);

CREATE TABLE identity (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  UNIQUE (provider, subject)
) STRICT;
CREATE INDEX identity_by_user ON identity(user_id);

-- The provider that put a member into a group; null: an administrator did.
ALTER TABLE access_group_member ADD COLUMN provider TEXT;
-- Of whom each provider says that they belong to a group: whom two of them name stays until neither does.
CREATE TABLE access_group_told (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  access_group_id INTEGER NOT NULL REFERENCES access_group(id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, provider, access_group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_group_told_by_group ON access_group_told(access_group_id);

CREATE TABLE access_group_mapping (
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  access_group_id INTEGER NOT NULL REFERENCES access_group(id) ON DELETE CASCADE,
  group_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (access_group_id, group_name)
) STRICT;
CREATE INDEX access_group_mapping_by_name ON access_group_mapping(group_name);

-- Names are copied: an entry outlives whom and what it tells of.
CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  at INTEGER NOT NULL,
  actor_uuid BLOB,
  actor_name TEXT,
  key_name TEXT,
  address TEXT,
  action TEXT NOT NULL,
  target_kind TEXT,
  target_uuid BLOB,
  target_name TEXT,
  details TEXT NOT NULL DEFAULT '{}',
  -- Entries of each share are counted and bounded apart: empty, those of administration; 'registrations', those of people who register;
  -- otherwise the account, what is done to it by its owner, who may do so as often as they like.
  share BLOB NOT NULL DEFAULT x'',
  nth INTEGER NOT NULL,
  UNIQUE (share, nth)
) STRICT;
CREATE INDEX audit_entry_by_time ON audit_entry(at, id);
CREATE INDEX audit_entry_by_action ON audit_entry(action, at, id);
CREATE INDEX audit_entry_by_actor ON audit_entry(actor_uuid, at, id);
CREATE INDEX audit_entry_by_target ON audit_entry(target_uuid, at, id);

-- Registered, and waiting for the owner of the address, or for an administrator, to open it.
ALTER TABLE user ADD COLUMN unconfirmed INTEGER NOT NULL DEFAULT 0 CHECK (unconfirmed IN (0, 1));
CREATE INDEX user_unconfirmed ON user(created_at) WHERE unconfirmed = 1;

-- Where its books were last found, once it has moved: until a scan has found them, or accepted that they are gone.
ALTER TABLE library ADD COLUMN former_root TEXT;

CREATE INDEX user_by_role ON user(role, username_key);
`;
