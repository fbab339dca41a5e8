// Schema 51: books that no analysis could read so far. They have no rating, and are hidden from those with an age limit; a series of nothing
// else is not judged (core/scan/judged.ts). Of earlier versions, these are the unreadable books of which no pages are known, or of which the
// reason says that none ever was readable.
export const NEVER_READABLE = `
ALTER TABLE book ADD COLUMN never_readable INTEGER NOT NULL DEFAULT 0 CHECK (never_readable IN (0, 1));
UPDATE book SET never_readable = 1 WHERE (analyzed = 0 OR analysis_error IS NOT NULL) AND (page_count = 0 OR analysis_kind = 'EncryptedArchive'
  OR analysis_error LIKE 'None of the % pages can be read.%' OR analysis_error LIKE 'The only page cannot be read.%');
CREATE INDEX book_never_readable ON book(series_id, deleted, due) WHERE never_readable = 1;
UPDATE series SET unjudged = 1 WHERE id IN (SELECT series_id FROM book WHERE never_readable = 1) AND (EXISTS
  (SELECT 1 FROM book b WHERE b.series_id = series.id AND b.never_readable = 1 AND b.deleted = 0 AND b.due = 1 AND b.analysis_error IS NULL)
  OR CASE book_count WHEN 0 THEN NOT EXISTS (SELECT 1 FROM book b WHERE b.series_id = series.id AND b.never_readable = 0)
  ELSE book_count = (SELECT count(*) FROM book b WHERE b.series_id = series.id AND b.never_readable = 1 AND b.deleted = 0) END);
`;
