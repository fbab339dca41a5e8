// Schema 20: which series must be numbered or settled, as bits of core/scan/due-series.ts. Earlier versions kept them in memory, or in the
// checkpoints of analyses: all series that such a run may have left unfinished are marked.
export const DUE_SERIES = `
ALTER TABLE series ADD COLUMN due INTEGER NOT NULL DEFAULT 0 CHECK (due BETWEEN 0 AND 3);
CREATE INDEX series_due ON series(library_id) WHERE due <> 0;
UPDATE series SET due = 3 WHERE library_id IN (SELECT library_id FROM scan WHERE status IN ('pending', 'running'));
UPDATE series SET due = 3 WHERE id IN (SELECT c.value FROM task t CROSS JOIN json_each(t.checkpoint) c
  WHERE t.type IN ('analyze_book', 'analyze_series', 'analyze_books') AND t.state IN ('pending', 'running'));
`;
