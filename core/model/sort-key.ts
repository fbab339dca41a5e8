// Sort keys as text: SQLite offers no suitable collation, so the order is computed here once and stored. It is the natural order of files.
// A change here must raise STORED_RULES.sortKeys.
import { DIGIT_WIDTH, foldName, numberedKey } from './natural-key.js';

const ARTICLE = /^(?:the|a|an)\s+(?=\S)/;
const KEY_MAX = 256;

const fold = (text: string): string => foldName(text.slice(0, KEY_MAX).trim()).trim();

const keyOf = (folded: string): string => numberedKey(folded).slice(0, KEY_MAX);

/** Accents, case and width folded; a leading English article dropped; numbers by value, so that 2 comes before 10. At most 256 characters. */
export const sortKey = (title: string): string => keyOf(fold(title).replace(ARTICLE, ''));

/** An explicit sort title is used as it is, article included; without one, or with a blank one, the title counts. */
export const sortKeyOf = (given: string | null, title: string): string =>
  given === null || given.trim() === '' ? sortKey(title) : keyOf(fold(given));

/** The first character of a sort key, as SQL over its column; padding is not part of a number. */
export const firstOfKey = (column: string): string =>
  `CASE WHEN ${column} GLOB '[0-9]*' THEN substr(coalesce(nullif(ltrim(substr(${column}, 1, ${DIGIT_WIDTH}), '0'), ''), '0'), 1, 1) ELSE substr(${column}, 1, 1) END`;
