// A query as somebody typed it, as an expression for the index of words. Whatever was typed, the expression is sound: it only holds
// quoted runs of letters and digits.
import { AppError } from '../../model/errors.js';
import { searchRuns } from '../../model/search-key.js';

const QUERY_MAX = 1000;
/** More words than anybody types; the rest of a long text adds nothing. */
const RUNS_MAX = 32;

/** One phrase: its tokens next to each other, nothing in it has a meaning. */
export const phrase = (tokens: string): string => `"${tokens.replaceAll('"', '""')}"`;

/** A word by its beginning. Rows that were not indexed again yet hold a word whose pieces touch as one token. */
const wordOf = (tokens: string): string =>
  tokens.includes(' ') ? `(${phrase(tokens)}* OR ${phrase(tokens.replaceAll(' ', ''))}*)` : `${phrase(tokens)}*`;

/** `at` is what the client calls the query. Null: nothing was asked (blank). An empty text: something was asked that no index holds, so nothing matches. */
export const matchOf = (query: string | null | undefined, at = 'fullTextSearch'): string | null => {
  if (query === null || query === undefined || query.trim() === '') return null;
  if (query.length > QUERY_MAX) {
    const message = `must be text of at most ${QUERY_MAX} characters`;
    throw new AppError('BadRequest', `Invalid search: it ${message}.`, [{ path: at, message }]);
  }
  return searchRuns(query)
    .slice(0, RUNS_MAX)
    .map(({ tokens, isWord }) => (isWord ? wordOf(tokens) : phrase(tokens)))
    .join(' AND ');
};
