// Turns a query, as a user typed it, into an expression for the word index. The expression is valid for any input: it contains only quoted
// runs of letters and digits.
import { AppError } from '../../model/errors.js';
import { searchRuns } from '../../model/search-key.js';

const QUERY_MAX = 1000;
/** More words than anybody types; the rest of a long text adds nothing. */
const RUNS_MAX = 32;

/** One phrase: its tokens are adjacent, and nothing in it is an operator. */
export const phrase = (tokens: string): string => `"${tokens.replaceAll('"', '""')}"`;

/** A word by its prefix. Rows not yet reindexed hold a word with touching parts as one token. */
const wordOf = (tokens: string): string =>
  tokens.includes(' ') ? `(${phrase(tokens)}* OR ${phrase(tokens.replaceAll(' ', ''))}*)` : `${phrase(tokens)}*`;

/**
 * `at` is the client's name for the query. Null: no query (blank). An empty text: a query that no index can contain, so nothing matches.
 */
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
