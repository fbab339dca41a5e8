// Schema step: what users with an age limit may see is judged by all that an answer can show. The rating of a series does not fall because a
// rated book leaves it (`departed_rating`), and a series with books that nobody has read yet is not judged (core/scan/judged.ts).
const RATING = `(SELECT max(o.series ->> '$.ageRating') FROM book_source o
  WHERE o.book_id = OLD.id AND json_type(o.series, '$.ageRating') = 'integer')`;

/** A series has summary and people of a book that leaves it, so it keeps its rating too. */
const remember = `UPDATE series SET departed_rating = ${RATING}
  WHERE id = OLD.series_id AND ${RATING} > coalesce(departed_rating, -1);`;

export const JUDGED = `
ALTER TABLE series ADD COLUMN unjudged INTEGER NOT NULL DEFAULT 0 CHECK (unjudged IN (0, 1));
ALTER TABLE series ADD COLUMN departed_rating INTEGER;
CREATE TRIGGER book_moved_rating AFTER UPDATE OF series_id ON book WHEN OLD.series_id <> NEW.series_id BEGIN ${remember} END;
CREATE TRIGGER book_purged_rating BEFORE DELETE ON book WHEN OLD.deleted = 1 BEGIN ${remember} END;
DROP INDEX series_published;
DROP INDEX series_written;
DROP INDEX series_rated;
CREATE INDEX series_published ON series(publisher, library_id, age_rating, unswept, unjudged) WHERE book_count > 0 AND publisher IS NOT NULL;
CREATE INDEX series_written ON series(language, library_id, age_rating, unswept, unjudged) WHERE book_count > 0 AND language IS NOT NULL;
CREATE INDEX series_rated ON series(age_rating, library_id, unswept, unjudged) WHERE book_count > 0;
UPDATE series SET unjudged = 1 WHERE id IN (SELECT series_id FROM book
  WHERE deleted = 0 AND (analyzed = 0 OR analysis_error IS NOT NULL) AND koreader_hash IS NULL AND due = 1);
UPDATE series SET departed_rating = age_rating WHERE book_count = 0;
UPDATE series SET due = due | 2 WHERE id IN (SELECT series_id FROM book WHERE deleted = 1);
`;
