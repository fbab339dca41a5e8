// Schema 47: a book or series whose genres change waits for the search index, as one whose tags change does. What is already stored is
// indexed again in the background: STORED_RULES.words is raised with it.
const waitFor = (kind: 0 | 1, row: string): string =>
  `INSERT INTO search_due (kind, id) SELECT ${kind}, ${row} WHERE NOT EXISTS (SELECT 1 FROM search_due WHERE kind = ${kind} AND id = ${row});`;

const onAnyChange = (table: string, kind: 0 | 1, key: string): string => `
CREATE TRIGGER ${table}_came_search AFTER INSERT ON ${table} BEGIN ${waitFor(kind, `new.${key}`)} END;
CREATE TRIGGER ${table}_went_search AFTER DELETE ON ${table} BEGIN ${waitFor(kind, `old.${key}`)} END;`;

export const SEARCH_GENRES = `
${onAnyChange('book_genre', 0, 'book_id')}
${onAnyChange('series_genre', 1, 'series_id')}
`;
