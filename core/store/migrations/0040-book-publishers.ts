// Schema step: publisher and language of each book, folded for comparison and indexed, so that conditions find books by them. The program
// folds the text; for books that earlier versions stored, by its rule for words (core/scan/remake-rows.ts).
export const BOOK_PUBLISHERS = `
ALTER TABLE book_text ADD COLUMN publisher TEXT;
ALTER TABLE book_text ADD COLUMN language TEXT;
CREATE INDEX book_text_publisher ON book_text(publisher) WHERE publisher IS NOT NULL;
CREATE INDEX book_text_language ON book_text(language) WHERE language IS NOT NULL;
`;
