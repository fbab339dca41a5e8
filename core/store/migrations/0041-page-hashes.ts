// Schema step: checksums by which books are recognised in other files (core/model/page-hashes.ts). Books of earlier versions get theirs when
// they are read again.
export const PAGE_HASHES = `
ALTER TABLE book ADD COLUMN page_hashes TEXT;
CREATE INDEX book_by_page_hashes ON book(page_hashes) WHERE page_hashes IS NOT NULL;
`;
