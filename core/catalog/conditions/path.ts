// Tests of a book's path without putting a million paths together: folders are tested as wholes, files by their names.
import { booksBy, type Formula, idsOf, textPredicate } from './formula.js';
import type { Test, TextTest } from './tree.js';

const FOLDER = `l.root || '/' || CASE f.path WHEN '' THEN '' ELSE f.path || '/' END`;

const same = (text: string): string => text;

/** Books in the folders that pass one test, whose file names pass another. */
const within = (folder: TextTest, file: TextTest | null): Formula => {
  const outer = textPredicate(`(${FOLDER})`, folder, same);
  const inner = file === null ? { sql: 'TRUE', binds: [] } : textPredicate('b.file_name', file, same);
  return booksBy(
    'library l CROSS JOIN folder f ON f.library_id = l.id CROSS JOIN book b ON b.folder_id = f.id',
    'CROSS JOIN folder f ON f.id = b.folder_id CROSS JOIN library l ON l.id = f.library_id',
    `${outer.sql} AND ${inner.sql}`,
    [...outer.binds, ...inner.binds],
  );
};

const byName = (file: TextTest): Formula => {
  const { sql, binds } = textPredicate('b.file_name', file, same);
  return idsOf(`SELECT b.id FROM book b WHERE ${sql}`, binds);
};

/** A folder ends with a slash and a file name has none, so the last slash of a value says what belongs to which. */
export const pathFormula = (test: Test): Formula => {
  if (!('value' in test) || typeof test.value !== 'string') return { all: [] };
  const { kind, value } = test;
  const cut = value.lastIndexOf('/') + 1;
  const [head, tail] = [value.slice(0, cut), value.slice(cut)];
  if (kind === 'is') return within({ kind, value: head }, { kind, value: tail });
  if (kind === 'endsWith') {
    if (cut === 0) return byName(test);
    return within({ kind: 'endsWith', value: head }, { kind: 'is', value: tail });
  }
  const folder = kind === 'beginsWith' ? 'is' : 'endsWith';
  const across = within({ kind: folder, value: head }, { kind: 'beginsWith', value: tail });
  const inside = within({ kind, value }, null);
  return { any: cut === 0 && kind === 'contains' ? [inside, byName(test)] : [inside, across] };
};
