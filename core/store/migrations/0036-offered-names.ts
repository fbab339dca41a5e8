// Catalogues offer a file under a name with the extension of its format: books with another one are due again, to store that name too.
export const OFFERED_NAMES = `
INSERT INTO book_name_due (book_id) SELECT id FROM book WHERE koreader_hash IS NOT NULL AND file_name NOT LIKE '%.' || format;
`;
