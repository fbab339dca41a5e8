// Schema step: where inside the current page a reader is, for pages that are many windows tall.
export const PAGE_OFFSETS = `
ALTER TABLE read_progress ADD COLUMN page_offset REAL CHECK (page_offset BETWEEN 0 AND 1);
`;
