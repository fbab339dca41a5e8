// Schema 4: faults and oddities of each book, by kind of remark; outlines of books that have one; sidecar files. A remark with a fault is
// the reason why the book cannot be read; one without is about a readable book.
export const ERRORS = `
ALTER TABLE book ADD COLUMN analysis_kind TEXT;

CREATE TABLE book_error (
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  message TEXT NOT NULL,
  fault TEXT,
  occurred_at INTEGER NOT NULL,
  PRIMARY KEY (book_id, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX book_error_by_type ON book_error(type, book_id);

INSERT INTO book_error (book_id, type, message, fault, occurred_at)
  SELECT id, 'parser', analysis_error, 'CorruptArchive', updated_at FROM book WHERE analysis_error IS NOT NULL;

ALTER TABLE folder ADD COLUMN cover TEXT;
ALTER TABLE folder ADD COLUMN sidecars TEXT NOT NULL DEFAULT '';

CREATE TABLE book_outline (
  book_id INTEGER PRIMARY KEY REFERENCES book(id) ON DELETE CASCADE,
  outline BLOB NOT NULL
) STRICT;
`;
