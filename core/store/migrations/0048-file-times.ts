// Schema step: the newest file of a series is found without reading its books.
export const FILE_TIMES = `
CREATE INDEX book_in_series_by_file_time ON book(series_id, file_mtime) WHERE deleted = 0;
`;
