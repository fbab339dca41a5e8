// Schema 29: books whose files are still to be hashed (core/scan/due-hashes.ts). Books of earlier versions have their hashes.
export const DUE_HASHES = `
ALTER TABLE book ADD COLUMN hash_due INTEGER NOT NULL DEFAULT 0 CHECK (hash_due IN (0, 1));
CREATE INDEX book_hash_due ON book(library_id) WHERE hash_due = 1 AND deleted = 0;
`;
