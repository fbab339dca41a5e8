// Schema 50: the chapters of books in the index of their volumes, since a chapter of a volume does not count as the volume.
export const VOLUME_COUNTS = `
DROP INDEX book_volume;
CREATE INDEX book_volume ON book(series_id, volume, chapter) WHERE deleted = 0 AND volume IS NOT NULL;
`;
