// Text as it is compared and as it is searched. A case key ignores case and width and nothing else; a search key also ignores accents and
// the two kinds of kana, and puts every character of a script without word spaces apart, so that any part of such text can be found; it also
// splits words where letters and digits meet. Whoever changes any of it raises STORED_RULES.words.

import { plainLetters } from './letters.js';

/** SQLite ends text at a NUL in some of its functions, and what an index is asked for too. */
const FOR_NUL = '\uFFFD';

/** For comparing text: what differs only in case or width is the same. `ß` is `SS` in capitals. */
export const caseKey = (text: string): string => termKey(text).replaceAll('ß', 'ss');

/** For comparing names that are kept once: genres and tags. STORED_RULES.names too. */
export const termKey = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('\0', FOR_NUL);

/** All marks but those that make another kana of one: they are letters of their own to a reader. */
const ACCENTS = /[^\P{M}\u3099\u309A]+/gu;
const KATAKANA = /[\u30A1-\u30F6]/g;
const KANA_STEP = 0x60;

const fold = (text: string): string =>
  plainLetters(text.normalize('NFKD').toLowerCase().replace(ACCENTS, '').normalize('NFC')).replace(KATAKANA, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KANA_STEP),
  );

/** Scripts that are written without spaces between words. */
const CLOSE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー';
/** Only letters and digits: scripts have symbols too (radicals, brackets), which the index of words skips. */
const RUNS = new RegExp(`(?:(?=[${CLOSE}])[\\p{L}\\p{N}])+|(?:(?![${CLOSE}])[\\p{L}\\p{N}])+`, 'gu');
const IS_CLOSE = new RegExp(`^[${CLOSE}]`, 'u');

/** Letters or digits of a word: `c10` is found by its number too. */
const PIECES = /\p{L}+|\p{N}+/gu;

/** Words of a text in order, with their pieces apart; a run of close-set characters is one entry with its characters apart. */
const runsOf = (text: string): readonly string[] =>
  (fold(text).match(RUNS) ?? []).map((run) => (IS_CLOSE.test(run) ? [...run] : (run.match(PIECES) ?? [run])).join(' '));

/** Long texts are found by their beginning. */
const KEY_MAX = 2000;

/** The tokens of a text, separated by spaces: what the index of words is given. */
export const searchKey = (text: string): string => runsOf(text.slice(0, KEY_MAX)).join(' ');

/** The runs somebody searches for: each has to be found, a word by its beginning (of its last piece), close-set text anywhere. */
export const searchRuns = (text: string): readonly { readonly tokens: string; readonly isWord: boolean }[] =>
  [...new Set(runsOf(text))].map((run) => ({ tokens: run, isWord: !IS_CLOSE.test(run) }));
