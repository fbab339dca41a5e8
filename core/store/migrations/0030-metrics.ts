// Schema 30: measurements of tasks by type and hour (core/tasks/measured-tasks.ts), and an index from which the sizes of libraries are summed.
export const METRICS = `
CREATE TABLE task_metric (
  id INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  hour INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  retried INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  wait_ms INTEGER NOT NULL,
  min_ms INTEGER NOT NULL,
  max_ms INTEGER NOT NULL,
  items INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  durations TEXT NOT NULL CHECK (json_valid(durations)),
  last_error TEXT,
  last_error_at INTEGER,
  UNIQUE (type, hour)
) STRICT;
CREATE INDEX task_metric_by_hour ON task_metric(hour);
ALTER TABLE task ADD COLUMN waiting_since INTEGER;
CREATE INDEX series_sizes ON series(library_id, book_count, file_size, page_count) WHERE book_count > 0;
`;
