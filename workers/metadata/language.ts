// The language of a book as metadata formats write it: a tag, or a name in English or in the language itself.
import { languageTag } from '../../core/model/language.js';

/** Names of languages in lower case to tags, built when a file first needs them. */
let languageNames: ReadonlyMap<string, string> | null = null;

const namesIn = (locale: string): Intl.DisplayNames =>
  new Intl.DisplayNames([locale], { type: 'language', fallback: 'none' });

/** Metadata often names the script of Chinese instead of the language. */
const WITH_SCRIPT = ['zh-Hans', 'zh-Hant'];

const namesOfLanguages = (): ReadonlyMap<string, string> => {
  const english = namesIn('en');
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const known = codes.filter((code) => Intl.getCanonicalLocales(code)[0] === code && english.of(code) !== undefined);
  // The English name last: where two languages share a name, it decides.
  return new Map(
    [...known, ...WITH_SCRIPT]
      .map((code) => [namesIn(code).of(code), code] as const)
      .concat([...known, ...WITH_SCRIPT].map((code) => [english.of(code), code] as const))
      .flatMap(([name, code]) => (name === undefined ? [] : [[name.toLowerCase(), code] as const])),
  );
};

/** Says that there is no language, or that it is not known. */
const NONE = /^(?:und|zxx|mis|mul|unknown|undefined|none|null|n\/a|-+|\?+)?$/i;

const oneLanguage = (text: string): string | null => {
  if (NONE.test(text)) return null;
  const tag = languageTag(text);
  if (tag !== null) return tag;
  languageNames ??= namesOfLanguages();
  return languageNames.get(text.toLowerCase()) ?? null;
};

/** `en`, `en_gb`, `eng`, `English` and `日本語` as a BCP 47 tag, of several the first; null for anything else, or for "unknown". */
export const languageOf = (value: string | null): string | null => {
  const parts = (value ?? '').slice(0, 200).split(/[,;/|，、；]/);
  return parts.flatMap((part) => oneLanguage(part.trim()) ?? [])[0] ?? null;
};

/**
 * Languages and scripts whose books are bound on the right, or may be: those written from right to left, and those also set in columns. Not
 * taken from the ICU data of Node: what is stored must not depend on its release.
 */
const BOUND_ON_THE_RIGHT = new Set(
  (
    'ar arc ckb dv fa he iw ji lrc mzn nqo pnb prs ps sd syr ug ur yi ja zh cmn gan hak lzh nan wuu yue ' +
    'arab aran hebr syrc thaa nkoo adlm rohg mand samr jpan hira kana hani hans hant bopo mong'
  ).split(' '),
);

/** Whether books in this language, a BCP 47 tag, are always read from left to right. */
export const isLeftToRight = (tag: string): boolean => {
  const [language = '', ...rest] = tag.toLowerCase().split('-');
  const script = rest.find((part) => /^[a-z]{4}$/.test(part));
  return !BOUND_ON_THE_RIGHT.has(script ?? language);
};

const SHOWN_MAX = 40;

/** Of values among which no language was found: those that were meant to be one. */
export const unknownLanguages = (values: readonly (string | null)[]): readonly string[] =>
  values.map((value) => (value ?? '').trim().slice(0, SHOWN_MAX)).filter((value) => !NONE.test(value));
