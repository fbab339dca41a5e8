// Schema step: how EPUBs are laid out (core/model/outline.ts). Computed by its rule for the books of earlier versions.
export const EPUB_KINDS = `
ALTER TABLE book ADD COLUMN epub_kind TEXT CHECK (epub_kind IN ('reflowable', 'fixed', 'images'));
`;
