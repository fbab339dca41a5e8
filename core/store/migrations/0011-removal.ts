// Schema 11: the books of a library by an index. Where a library goes, SQLite looks for books that are left, and without one it looks at all
// books of all libraries while every writer waits.
export const REMOVAL = `
CREATE INDEX book_by_library ON book(library_id);
`;
