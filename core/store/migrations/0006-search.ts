// Schema 6: indexes for every sort and filter of lists, text in its compared and searched forms, and which rows are waiting to be indexed.
//
// The program folds the text, so a trigger cannot write it: triggers record which rows changed, and their text is written before the
// transaction that changed them ends. The word index of a row stores no text (its tokens are made by searchKey); titles are also indexed by
// trigrams. All existing rows are waiting, and are indexed before the program first answers.
const waitFor = (kind: 0 | 1, row: string): string =>
  `INSERT INTO search_due (kind, id) SELECT ${kind}, ${row} WHERE NOT EXISTS (SELECT 1 FROM search_due WHERE kind = ${kind} AND id = ${row});`;

const onAnyChange = (table: string, kind: 0 | 1, key: string): string => `
CREATE TRIGGER ${table}_came_search AFTER INSERT ON ${table} BEGIN ${waitFor(kind, `new.${key}`)} END;
CREATE TRIGGER ${table}_went_search AFTER DELETE ON ${table} BEGIN ${waitFor(kind, `old.${key}`)} END;`;

const onUpdate = (table: string, kind: 0 | 1, key: string, columns: readonly string[]): string => `
CREATE TRIGGER ${table}_changed_search AFTER UPDATE OF ${columns.join(', ')} ON ${table}
WHEN ${columns.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')} BEGIN ${waitFor(kind, `new.${key}`)} END;`;

export const SEARCH = `
ALTER TABLE book ADD COLUMN released INTEGER;
CREATE INDEX book_by_released ON book(released, library_id) WHERE deleted = 0;
CREATE INDEX book_by_file ON book(file_name, library_id) WHERE deleted = 0;
CREATE INDEX book_in_series ON book(series_id, number, id, volume, chapter) WHERE deleted = 0;
CREATE INDEX book_by_format ON book(format);
CREATE INDEX book_failed ON book(analysis_error) WHERE analysis_error IS NOT NULL;
CREATE INDEX series_by_year ON series(year, library_id) WHERE book_count > 0;
CREATE INDEX series_by_letter ON series(substr(coalesce(nullif(title_sort, ''), name), 1, 1)) WHERE book_count > 0;
CREATE INDEX series_hidden ON series(id) WHERE book_count = 0;
CREATE INDEX series_by_status ON series(status);
CREATE INDEX series_in_year ON series(year);

CREATE TABLE book_text (
  book_id INTEGER PRIMARY KEY REFERENCES book(id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  sort TEXT,
  type TEXT
) STRICT;
CREATE INDEX book_text_sort ON book_text(sort) WHERE sort IS NOT NULL;
CREATE INDEX book_text_type ON book_text(type) WHERE type IS NOT NULL;

CREATE TABLE book_summary (
  book_id INTEGER PRIMARY KEY REFERENCES book(id) ON DELETE CASCADE,
  summary TEXT NOT NULL
) STRICT;

CREATE TABLE series_text (
  series_id INTEGER PRIMARY KEY REFERENCES series(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  title_sort TEXT,
  summary TEXT,
  publisher TEXT,
  language TEXT,
  authors TEXT
) STRICT;
CREATE INDEX series_text_publisher ON series_text(publisher);
CREATE INDEX series_text_language ON series_text(language);

CREATE VIRTUAL TABLE book_words USING fts5(title, series, rest, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE series_words USING fts5(title, rest, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE book_trigram USING fts5(title, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');

CREATE TABLE search_due (
  kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
  id INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
INSERT INTO search_due (kind, id) SELECT 0, id FROM book;
INSERT INTO search_due (kind, id) SELECT 1, id FROM series;

${onAnyChange('book', 0, 'id')}
${onUpdate('book', 0, 'id', ['title', 'file_name', 'series_id'])}
${onAnyChange('book_metadata', 0, 'book_id')}
${onUpdate('book_metadata', 0, 'book_id', ['facts'])}
${onAnyChange('book_tag', 0, 'book_id')}
${onAnyChange('series', 1, 'id')}
${onUpdate('series', 1, 'id', ['name', 'title_sort', 'path', 'summary', 'publisher', 'language', 'authors'])}
${onAnyChange('series_tag', 1, 'series_id')}
CREATE TRIGGER series_renamed_search AFTER UPDATE OF name ON series WHEN old.name <> new.name BEGIN
  INSERT INTO search_due (kind, id) SELECT 0, b.id FROM book b
  WHERE b.series_id = new.id AND NOT EXISTS (SELECT 1 FROM search_due d WHERE d.kind = 0 AND d.id = b.id);
END;
`;
