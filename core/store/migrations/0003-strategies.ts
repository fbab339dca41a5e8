// Schema 3: how each library turns paths and embedded facts into series, titles and numbers. Configurations and title rules are JSON, or
// null if all are defaults. rules_changed is set until a deep scan has applied a change to existing books.
export const STRATEGIES = `
ALTER TABLE library ADD COLUMN series_strategy TEXT NOT NULL DEFAULT 'series_volume'
  CHECK (series_strategy IN ('series_volume', 'series_volume_chapter', 'flat', 'publisher_hierarchy', 'calibre', 'custom'));
ALTER TABLE library ADD COLUMN series_config TEXT;
ALTER TABLE library ADD COLUMN book_strategy TEXT NOT NULL DEFAULT 'filename'
  CHECK (book_strategy IN ('filename', 'metadata_first', 'smart', 'series_name', 'custom'));
ALTER TABLE library ADD COLUMN book_config TEXT;
ALTER TABLE library ADD COLUMN number_strategy TEXT NOT NULL DEFAULT 'file_order'
  CHECK (number_strategy IN ('file_order', 'metadata', 'filename', 'smart'));
ALTER TABLE library ADD COLUMN number_config TEXT;
ALTER TABLE library ADD COLUMN title_rules TEXT;
ALTER TABLE library ADD COLUMN rules_changed INTEGER NOT NULL DEFAULT 0 CHECK (rules_changed IN (0, 1));
`;
