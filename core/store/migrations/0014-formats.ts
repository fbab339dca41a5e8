// Schema 14: the list of formats is now only in core/model/formats.ts, no longer in a CHECK of the table. The CHECK is removed from the
// schema text only, without copying the table (https://sqlite.org/lang_altertable.html, 7).
export const FORMAT_CHECK = `
PRAGMA writable_schema=ON;
UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (format IN (''cbz'', ''cbr'', ''epub'', ''pdf''))', '')
  WHERE type = 'table' AND name = 'book';
PRAGMA writable_schema=RESET;
`;
