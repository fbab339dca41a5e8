// Schema 9: indexes for maxima: the highest volume and chapter of a series, which may have ten thousand books, and a user's latest reading
// across all series.
export const ENDS = `
CREATE INDEX book_volume ON book(series_id, volume) WHERE deleted = 0 AND volume IS NOT NULL;
CREATE INDEX book_chapter ON book(series_id, chapter) WHERE deleted = 0 AND chapter IS NOT NULL;
DROP INDEX book_in_series;
CREATE INDEX book_in_series ON book(series_id, number) WHERE deleted = 0;
CREATE INDEX series_reading_by_time ON series_reading(user_id, last_read_at);
`;
