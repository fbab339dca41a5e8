// Schema 23: covers that are due (core/scan/due-covers.ts). 1: due; 2: a process has begun to make it. Books of earlier versions have theirs
// in the cache, or get it when somebody looks at them.
export const DUE_COVERS = `
ALTER TABLE book ADD COLUMN cover_due INTEGER NOT NULL DEFAULT 0 CHECK (cover_due BETWEEN 0 AND 2);
CREATE INDEX book_cover_due ON book(library_id, cover_due) WHERE cover_due <> 0 AND deleted = 0;
`;
