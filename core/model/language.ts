// Language tags (BCP 47): whether a text is one, and its canonical spelling.

const SHAPE = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,7}$/i;
/** A language after another (`zh-yue`) is a language of its own. */
const EXTENDED = /^[a-z]{2,3}-(?=[a-z]{3}(?:-|$))/i;

/**
 * Codes of countries that are written where a language is meant. `kr` is Kanuri too, of which there are hardly any books; codes that are
 * common languages as well (`se`, `tw`, `br`, `ar`) mean the language.
 */
const COUNTRIES: ReadonlyMap<string, string> = new Map([
  ['jp', 'ja'],
  ['kr', 'ko'],
  ['cn', 'zh'],
  ['gr', 'el'],
  ['cz', 'cs'],
  ['dk', 'da'],
  ['ua', 'uk'],
  ['vn', 'vi'],
  ['us', 'en'],
  ['gb', 'en'],
  ['il', 'he'],
]);

/** Names that .NET uses for scripts; they are not extended languages: `zh-CHS`. */
const DOTNET = /^zh-ch(?=[st](?:-|$))/i;

let names: Intl.DisplayNames | null = null;
/** Caches answers about two-letter codes, of which there are few: Intl is slow. */
const known = new Map<string, boolean>();

/** All two-letter codes are known to Intl; most of the thousands with three letters are not, so these are accepted as written. */
const isLanguage = (code: string): boolean => {
  if (code.length > 2) return true;
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const isKnown = known.get(code) ?? names.of(code) !== undefined;
  known.set(code, isKnown);
  return isKnown;
};

const canonicalByIntl = (tag: string): string | null => {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null; // looks like a tag but is none
  }
};

/** The few tags that books have; a tag has at most 66 characters. */
const tags = new Map<string, string | null>();
const TAGS_MAX = 1000;

const canonical = (tag: string): string | null => {
  const found = tags.get(tag) ?? canonicalByIntl(tag);
  if (tags.size < TAGS_MAX) tags.set(tag, found);
  return found;
};

/**
 * `EN_us` is `en-US`, `eng` is `en`, `zh-yue` is `yue`, `zh-CHS` is `zh-Hans`, `jp` is `ja`; null for anything that is not a tag of an existing
 * language.
 */
export const languageTag = (text: string): string | null => {
  const tag = text
    .trim()
    .replaceAll('_', '-')
    .replace(DOTNET, 'zh-Han')
    .replace(EXTENDED, '')
    .replace(/^[a-z]{2}(?![a-z0-9])/i, (code) => COUNTRIES.get(code.toLowerCase()) ?? code);
  const found = SHAPE.test(tag) ? canonical(tag) : null;
  return found !== null && isLanguage(found.split('-')[0] ?? '') ? found : null;
};
