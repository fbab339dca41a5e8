// Text in the forms in which it is compared and searched. A case key ignores only case and width. A search key also ignores accents and the
// two kinds of kana, and separates every character of a script without word spaces, so that any part of such text can be found. It also
// splits words where letters and digits meet. A change here must raise STORED_RULES.words.

import { plainLetters } from './letters.js';

/** SQLite ends text at a NUL in some of its functions, and in search queries too. */
const FOR_NUL = '\uFFFD';

/** For comparing text: text that differs only in case or width is equal. `ß` is `SS` in capitals. */
export const caseKey = (text: string): string => termKey(text).replaceAll('ß', 'ss');

/** For comparing names that are stored once: genres and tags. A change raises STORED_RULES.names. */
export const termKey = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('\0', FOR_NUL);

/** All marks but those that turn one kana into another: to a reader they are different letters. */
const ACCENTS = /[^\P{M}\u3099\u309A]+/gu;
const KATAKANA = /[\u30A1-\u30F6]/g;
const KANA_STEP = 0x60;

export const fold = (text: string): string =>
  plainLetters(text.normalize('NFKD').toLowerCase().replace(ACCENTS, '').normalize('NFC')).replace(KATAKANA, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KANA_STEP),
  );

/** Scripts that are written without spaces between words. */
export const CLOSE =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー';
/** Only letters and digits: scripts have symbols too (radicals, brackets), which the index of words skips. */
export const RUNS = new RegExp(`(?:(?=[${CLOSE}])[\\p{L}\\p{N}])+|(?:(?![${CLOSE}])[\\p{L}\\p{N}])+`, 'gu');
export const IS_CLOSE = new RegExp(`^[${CLOSE}]`, 'u');

/** Letters or digits of a word: `c10` is found by its number too. */
export const PIECES = /\p{L}+|\p{N}+/gu;

/** Words of a text in order, split into their pieces; a run of characters without word spaces is one entry, split into characters. */
const runsOf = (text: string): readonly string[] =>
  (fold(text).match(RUNS) ?? []).map((run) => (IS_CLOSE.test(run) ? [...run] : (run.match(PIECES) ?? [run])).join(' '));

/** Long texts are found by their beginning. */
export const KEY_MAX = 2000;

/** The tokens of a text, separated by spaces: the input of the word index. */
export const searchKey = (text: string): string => runsOf(text.slice(0, KEY_MAX)).join(' ');

/** The terms of a search: each has to be found, a word by a prefix (of its last piece), text without word spaces anywhere. */
export const searchRuns = (text: string): readonly { readonly tokens: string; readonly isWord: boolean }[] =>
  [...new Set(runsOf(text))].map((run) => ({ tokens: run, isWord: !IS_CLOSE.test(run) }));
