// Schema 52: how many known books the last scan of a library found changed or gone.
export const SCAN_CHANGES = `
ALTER TABLE scan ADD COLUMN books_changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE scan ADD COLUMN books_removed INTEGER NOT NULL DEFAULT 0;
`;
