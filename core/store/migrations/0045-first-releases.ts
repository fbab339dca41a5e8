// Schema step: the day on which the first book of a series came out is found without reading its books.
export const FIRST_RELEASES = `
CREATE INDEX book_in_series_by_released ON book(series_id, released) WHERE deleted = 0;
`;
