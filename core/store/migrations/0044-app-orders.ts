// Schema step: orders that reader apps ask for: books by their last change and by file name without regard to case, and the newest book of
// each series.
export const APP_ORDERS = `
ALTER TABLE book ADD COLUMN name_key TEXT AS (lower(file_name)) VIRTUAL;
CREATE INDEX book_by_name_key ON book(name_key, library_id) WHERE deleted = 0;
CREATE INDEX book_by_updated ON book(updated_at, library_id) WHERE deleted = 0;
CREATE INDEX book_in_series_by_created ON book(series_id, created_at) WHERE deleted = 0;
`;
