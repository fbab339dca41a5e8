// Schema 14: which formats there are is known in one place, core/model/formats.ts, and not by a CHECK of the table. Taken out of the schema
// text alone, without copying the table (https://sqlite.org/lang_altertable.html, 7).
export const FORMAT_CHECK = `
PRAGMA writable_schema=ON;
UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (format IN (''cbz'', ''cbr'', ''epub'', ''pdf''))', '')
  WHERE type = 'table' AND name = 'book';
PRAGMA writable_schema=RESET;
`;
