// Values in metadata formats as values of the contract: numbers, dates, languages, ratings, lists, links.
import { languageTag } from '../../core/model/language.js';
import type { Link } from '../../core/model/metadata.js';

const LIST_MAX = 1000;

/** A whole number within bounds; writers use -1 for unknown values. */
export const integerIn = (value: string | null, low: number, high: number): number | null => {
  if (value === null || !/^\s*\d{1,9}(?:\.0{1,6})?\s*$/.test(value)) return null;
  const number = Number(value);
  return number >= low && number <= high ? number : null;
};

export const yearOf = (value: string | null): number | null => integerIn(value, 1, 9999);
export const volumeOf = (value: string | null): number | null => integerIn(value, 0, 99_999);
export const countOf = (value: string | null): number | null => integerIn(value, 1, 1_000_000);

/** `7.0` is `7`, `1.50` is `1.5`; anything else stays as it is. */
export const plainNumber = (text: string): string => {
  const [, whole, decimals] = /^(-?\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  if (whole === undefined || decimals === undefined) return text;
  let end = decimals.length;
  while (end > 0 && decimals[end - 1] === '0') end -= 1;
  return end === 0 ? whole : `${whole}.${decimals.slice(0, end)}`;
};

/** Without duplicates (ignoring case), trimmed, empty ones left out. */
export const distinct = (values: readonly string[]): readonly string[] => {
  const seen = new Map<string, string>();
  for (const value of values.map((one) => one.trim()))
    if (value !== '' && !seen.has(value.toLowerCase()) && seen.size < LIST_MAX) seen.set(value.toLowerCase(), value);
  return [...seen.values()];
};

/** `Fantasy, Mystery` as a list. */
export const commaList = (value: string | null): readonly string[] => distinct((value ?? '').split(','));

export const joined = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(', '));

export interface PublicationDate {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

const NO_DATE: PublicationDate = { year: null, month: null, day: null };

/** ISO 8601 as far as it goes, or the year in anything else. calibre writes the year 101 for an unknown one. */
export const dateOf = (value: string | null): PublicationDate => {
  const text = value?.trim().slice(0, 100) ?? '';
  const iso =
    /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?!\d))?)?(?!\d)/.exec(text) ?? /^(\d{4})(\d\d)(\d\d)(?!\d)/.exec(text);
  const year = integerIn(iso?.[1] ?? /(?<!\d)(?:1[4-9]|20)\d\d(?!\d)/.exec(text)?.[0] ?? null, 1000, 9999);
  if (year === null) return NO_DATE;
  const month = integerIn(iso?.[2] ?? null, 1, 12);
  return { year, month, day: month === null ? null : integerIn(iso?.[3] ?? null, 1, 31) };
};

/** English language names to two-letter codes, built when a file first needs them. */
let languageNames: ReadonlyMap<string, string> | null = null;

const namesOfLanguages = (): ReadonlyMap<string, string> => {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return new Map(
    codes
      .filter((code) => Intl.getCanonicalLocales(code)[0] === code)
      .flatMap((code) => {
        const name = names.of(code);
        return name === undefined ? [] : [[name.toLowerCase(), code] as const];
      }),
  );
};

/** `en`, `en_gb`, `eng` and `English` as a BCP 47 tag; null for anything else, or for "unknown". */
export const languageOf = (value: string | null): string | null => {
  const text = value?.trim() ?? '';
  if (/^(?:und|zxx|mis|mul)?$/i.test(text)) return null;
  const tag = languageTag(text);
  if (tag !== null) return tag;
  languageNames ??= namesOfLanguages();
  return languageNames.get(text.toLowerCase()) ?? null;
};

/** The ages meant by the ratings of ComicInfo, MetronInfo and CoMet. */
const AGES: ReadonlyMap<string, number> = new Map([
  ['everyone', 0],
  ['all ages', 0],
  ['early childhood', 0],
  ['kids to adults', 0],
  ['g', 0],
  ['pg', 8],
  ['everyone 10+', 10],
  ['teen', 13],
  ['teen plus', 15],
  ['m', 15],
  ['ma15+', 15],
  ['mature', 17],
  ['mature 17+', 17],
  ['adult', 18],
  ['adults only 18+', 18],
  ['explicit', 18],
  ['r18+', 18],
  ['x18+', 18],
]);

/** `Teen` is 13, `16+` is 16; `Unknown` and `Rating Pending` mean nothing. */
export const ageOf = (value: string | null): number | null => {
  const text = value?.trim().toLowerCase().replaceAll(/\s+/g, ' ') ?? '';
  return AGES.get(text) ?? integerIn(/^(\d{1,2})\+?$/.exec(text)?.[1] ?? null, 0, 21);
};

export const flagOf = (value: string | null): boolean | null => {
  const text = value?.trim().toLowerCase() ?? '';
  if (/^(?:yes|true|1)$/.test(text)) return true;
  return /^(?:no|false|0)$/.test(text) ? false : null;
};

export const directionOf = (value: string | null): 'ltr' | 'rtl' | 'ttb' | null => {
  const text = value?.trim().toLowerCase() ?? '';
  return text === 'ltr' || text === 'rtl' || text === 'ttb' ? text : null;
};

const URLS_MAX = 100;

/** http and https URLs in a field that may contain several. Nothing else may become a link that a reader can follow. */
export const linksIn = (value: string | null, sourceOf: (url: URL) => string): readonly Link[] =>
  distinct((value ?? '').split(/\s+|[,;](?=\s*https?:)/i))
    .slice(0, URLS_MAX)
    .flatMap((candidate) => {
      if (candidate.length > 2000 || !/^https?:\/\//i.test(candidate)) return [];
      return URL.canParse(candidate) ? [{ source: sourceOf(new URL(candidate)), url: candidate }] : [];
    });

export const hostOf = (url: URL): string => url.hostname.replace(/^www\./, '');
