// Titles of books recomputed by the strategies of their libraries. Libraries whose strategies were changed are left to the deep scan that
// applies the change; titles made of positions are left to the numbering.
import { factsToStore, RULES_SQL, storedRules } from '../catalog/apply-rules.js';
import { type BookLock, columnsOf, parseFacts, parseLocks } from '../catalog/book-facts.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import type { Range } from './remake-pages.js';

interface Row {
  readonly id: number;
  readonly fileName: string;
  readonly folderPath: string;
  readonly rules: string | null;
  readonly facts: string | null;
  readonly locks: string | null;
  readonly title: string;
  readonly titleSort: string;
}

const SELECT = `SELECT b.id, b.file_name AS fileName, f.path AS folderPath, ${RULES_SQL} AS rules, m.facts, m.locks, b.title, b.title_sort AS titleSort
  FROM book b JOIN library l ON l.id = b.library_id AND l.rules_changed = 0 JOIN folder f ON f.id = b.folder_id
    LEFT JOIN book_metadata m ON m.book_id = b.id WHERE b.id BETWEEN ? AND ?`;

export const remakeTitles = async (tx: Tx, { from, to }: Range): Promise<undefined> => {
  const rows = await tx.all<Row>(SELECT, [from, to]);
  const changed = rows.flatMap((row): (readonly [number, string, string])[] => {
    const facts = parseFacts(row.facts);
    const by = factsToStore(storedRules(row.rules).rules, row, facts);
    const { title, titleSort } = columnsOf(facts, parseLocks<BookLock>(row.locks), by);
    if (title === null || titleSort === null) return [];
    return title === row.title && titleSort === row.titleSort ? [] : [[row.id, title, titleSort]];
  });
  if (changed.length === 0) return undefined;
  await tx.run(
    'UPDATE book SET title = j.value ->> 1, title_sort = j.value ->> 2 FROM json_each(?) j WHERE book.id = j.value ->> 0',
    [JSON.stringify(changed)],
  );
  const keys = changed.map(([key]) => key);
  tx.report(updated('book', keys, ASPECTS.list | ASPECTS.text | ASPECTS.content));
  return undefined;
};
