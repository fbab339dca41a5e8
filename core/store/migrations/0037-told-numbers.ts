// Schema step: the number that reader apps are shown and sort, filter and track by: what metadata or file name say, with its fraction, else
// the place in the series. Computed by its rule (core/catalog/apply-rules.ts) for the books of earlier versions.
export const TOLD_NUMBERS = `
ALTER TABLE book ADD COLUMN told_number REAL;
ALTER TABLE book ADD COLUMN sort_number REAL AS (coalesce(told_number, number, 0)) VIRTUAL;
CREATE INDEX book_by_sort_number ON book(sort_number, library_id) WHERE deleted = 0;
CREATE INDEX book_in_series_by_number ON book(series_id, sort_number) WHERE deleted = 0;
`;
