// Schema 11: an index of the books of a library. When a library is deleted, SQLite looks for its remaining books, and without an index it
// scans all books of all libraries while every writer waits.
export const REMOVAL = `
CREATE INDEX book_by_library ON book(library_id);
`;
