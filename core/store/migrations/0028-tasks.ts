// Schema 28: tasks that wait for a time, lists and counts of tasks, and more of what a library says about its scans.
export const TASK_LISTS = `
ALTER TABLE task ADD COLUMN scheduled_at INTEGER NOT NULL DEFAULT 0;
DROP INDEX task_to_claim;
CREATE INDEX task_to_claim ON task(type, priority DESC, id) WHERE state = 'pending' AND scheduled_at = 0;
CREATE INDEX task_to_claim_late ON task(type, scheduled_at) WHERE state = 'pending' AND scheduled_at > 0;
CREATE INDEX task_scheduled ON task(scheduled_at) WHERE state = 'pending' AND scheduled_at > 0;
CREATE INDEX task_by_type ON task(type, id);
CREATE INDEX task_counts ON task(type, state, lease_until);

ALTER TABLE library ADD COLUMN scan_zone TEXT;
ALTER TABLE library ADD COLUMN scan_purge INTEGER NOT NULL DEFAULT 0 CHECK (scan_purge IN (0, 1));
ALTER TABLE library ADD COLUMN scan_watch INTEGER NOT NULL DEFAULT 0 CHECK (scan_watch IN (0, 1));
`;
