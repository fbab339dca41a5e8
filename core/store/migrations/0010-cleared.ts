// Schema 10: when a user cleared progress in a book, so that a device that was offline does not restore it.
export const CLEARED = `
CREATE TABLE read_cleared (
  user_id INTEGER NOT NULL REFERENCES user(id) ON DELETE CASCADE,
  book_id INTEGER NOT NULL REFERENCES book(id) ON DELETE CASCADE,
  cleared_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, book_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX read_cleared_by_book ON read_cleared(book_id);
`;
