// Schema 13: how many symbolic links a scan found. None is followed, so an owner who uses them must be able to see why books are missing.
export const LINKS = `
ALTER TABLE scan ADD COLUMN links_found INTEGER NOT NULL DEFAULT 0;
`;
