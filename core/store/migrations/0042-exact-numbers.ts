// Schema step: lists and series are in the order of numbers with their fractions. The number of a book is an integer; its fraction is that
// of the number that its metadata or its file name say, where the two are the same otherwise.
export const EXACT_NUMBERS = `
ALTER TABLE book ADD COLUMN exact_number REAL AS (CASE WHEN CAST(told_number AS INTEGER) = number THEN told_number ELSE number END) VIRTUAL;
DROP INDEX book_by_number;
CREATE INDEX book_by_number ON book(exact_number, library_id) WHERE deleted = 0;
DROP INDEX book_in_series;
CREATE INDEX book_in_series ON book(series_id, exact_number) WHERE deleted = 0;
DROP INDEX book_by_series;
ALTER TABLE book DROP COLUMN place;
ALTER TABLE book ADD COLUMN place REAL AS (coalesce(exact_number, 9007199254740991)) VIRTUAL;
CREATE INDEX book_by_series ON book(series_id, deleted, place);
`;
