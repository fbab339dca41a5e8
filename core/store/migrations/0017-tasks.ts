// Schema 17: background tasks (core/tasks), and the mark of a library being removed. `starts` counts starts since the last stored progress.
// A target is identified by uuid, since SQLite reuses keys of deleted rows.
export const TASKS = `
CREATE TABLE task (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  type TEXT NOT NULL,
  target_kind TEXT,
  target_uuid BLOB CHECK (length(target_uuid) = 16),
  parameters TEXT NOT NULL DEFAULT '{}',
  priority INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
  current INTEGER NOT NULL DEFAULT 0,
  total INTEGER,
  checkpoint TEXT,
  lease_owner TEXT,
  lease_until INTEGER,
  starts INTEGER NOT NULL DEFAULT 0,
  result TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER
) STRICT;
CREATE INDEX task_to_claim ON task(priority DESC, id) WHERE state = 'pending';
CREATE INDEX task_open ON task(type, target_uuid) WHERE state IN ('pending', 'running');
CREATE INDEX task_by_state ON task(state, id);
CREATE INDEX task_finished ON task(completed_at) WHERE completed_at IS NOT NULL;

ALTER TABLE library ADD COLUMN removing INTEGER NOT NULL DEFAULT 0 CHECK (removing IN (0, 1));
CREATE INDEX library_removing ON library(removing) WHERE removing = 1;
`;
