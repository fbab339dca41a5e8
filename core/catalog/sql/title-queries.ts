// Tests of a book's title: by trigrams, by single characters of scripts without word spaces, or, for shorter pieces, by scanning all
// titles.
import { caseKey, searchRuns } from '../../model/search-key.js';
import type { Test } from '../conditions/tree.js';
import { phrase, trigramMatch } from '../search/trigrams.js';
import { type IdQuery, idsOf, textPredicate } from './predicates.js';

/** A piece that is one run of characters in a script without word spaces is in the word index. */
const closeRun = (value: string): string | undefined => {
  const [run, ...more] = searchRuns(value);
  const isWhole =
    run !== undefined && more.length === 0 && !run.isWord && run.tokens.split(' ').join('').length === value.length;
  return isWhole ? run.tokens : undefined;
};

export const titleQuery = (test: Test): IdQuery => {
  const value = 'value' in test ? caseKey(test.value) : '';
  const { sql, binds } = textPredicate('x.title', test, caseKey);
  // The indexes only reduce the titles to examine; for a few books, the titles are examined directly.
  const recheck = (keys: readonly number[]) => ({
    sql: `SELECT x.book_id AS id FROM book_text x WHERE x.book_id IN (SELECT value FROM json_each(?)) AND ${sql}`,
    binds: [JSON.stringify(keys), ...binds],
  });
  const characters = [...value];
  if (characters.length >= 3) {
    const match = trigramMatch(value);
    if (test.kind === 'contains' && characters.length === 3)
      return idsOf('SELECT rowid AS id FROM book_trigram WHERE book_trigram MATCH ?', [match], 'catalog', recheck);
    return idsOf(
      `SELECT x.book_id AS id FROM book_trigram g CROSS JOIN book_text x ON x.book_id = g.rowid WHERE g.book_trigram MATCH ? AND ${sql}`,
      [match, ...binds],
      'catalog',
      recheck,
    );
  }
  const run = closeRun(value);
  if (run !== undefined && value !== '') {
    return idsOf(
      `SELECT x.book_id AS id FROM book_words w CROSS JOIN book_text x ON x.book_id = w.rowid WHERE w.book_words MATCH ? AND ${sql}`,
      [`title : ${phrase(run)}`, ...binds],
      'catalog',
      recheck,
    );
  }
  return idsOf(`SELECT x.book_id AS id FROM book_text x WHERE ${sql}`, binds);
};
