// Schema 22: series that a scan found and no sweep has compared yet (core/scan/unswept.ts). What an interrupted scan of an earlier version
// found is marked; the scan continues at the next start.
export const UNSWEPT = `
ALTER TABLE series ADD COLUMN unswept INTEGER NOT NULL DEFAULT 0 CHECK (unswept IN (0, 1));
CREATE INDEX series_unswept ON series(library_id) WHERE unswept = 1;
UPDATE series SET unswept = 1 WHERE library_id IN (SELECT library_id FROM scan WHERE status IN ('pending', 'running'))
  AND created_at > (SELECT l.last_scanned_at FROM library l WHERE l.id = series.library_id);
`;
