// Schema step: indexes that count somebody's in-progress and on-deck books without reading each row: one for the few books that cannot
// be read, and two that cover everything those lists test.
export const READY_LISTS = `
CREATE INDEX book_unready ON book(series_id) WHERE deleted = 0 AND (analyzed = 0 OR analysis_error IS NOT NULL);
DROP INDEX read_progress_open;
CREATE INDEX read_progress_open ON read_progress(user_id, updated_at, book_id, series_id) WHERE live = 1 AND completed = 0;
DROP INDEX series_reading_on_deck;
CREATE INDEX series_reading_on_deck ON series_reading(user_id, last_read_at, series_id, book_count, completed_count, in_progress_count)
  WHERE completed_count > 0 AND in_progress_count = 0 AND completed_count < book_count;
`;
