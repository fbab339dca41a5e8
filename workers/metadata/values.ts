// Values in metadata formats as values of the contract: numbers, dates, languages, ratings, lists, links.

import { lastDayOf } from '../../core/model/instant.js';
import type { Link } from '../../core/model/metadata.js';
import { numberOfText, plainDigits } from '../../core/model/numbers.js';
import { unescaped } from './entities.js';
import { oneLine } from './xml-node.js';

const LIST_MAX = 1000;

/** A word or number of a fixed vocabulary: full-width signs (`１２`) are the plain ones, capitals and the width of spaces mean nothing. */
export const plainWord = (value: string | null): string =>
  (value ?? '').slice(0, 200).normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/g, ' ');

/** A whole number within bounds, in any notation of names; writers use -1 for unknown values. */
export const integerIn = (value: string | null, low: number, high: number): number | null => {
  const number = numberOfText(value);
  return number !== null && Number.isInteger(number) && number >= low && number <= high ? number : null;
};

/** East Asian dates have a sign after each number: `2020年`, `5月`, `3日`. */
const withoutSign = (value: string | null, signs: RegExp): string | null => value?.trim().replace(signs, '') ?? null;

/** A year of two digits could be of any century. */
export const yearOf = (value: string | null): number | null => integerIn(withoutSign(value, /\s?[年년]$/), 1000, 9999);
export const volumeOf = (value: string | null): number | null => integerIn(value, 0, 99_999);
/** `全12巻` is 12. */
export const countOf = (value: string | null): number | null =>
  integerIn(withoutSign(value, /^[全전총共]\s?/), 1, 1_000_000);

/** `7.0` is `7`, `1.50` is `1.5`; anything else stays as it is. */
export const plainNumber = (text: string): string => {
  const [, whole, decimals] = /^(-?\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  if (whole === undefined || decimals === undefined) return text;
  let end = decimals.length;
  while (end > 0 && decimals[end - 1] === '0') end -= 1;
  return end === 0 ? whole : `${whole}.${decimals.slice(0, end)}`;
};

/** Without duplicates (ignoring case), each on one line, empty ones left out. */
export const distinct = (values: readonly string[]): readonly string[] => {
  const seen = new Map<string, string>();
  for (const value of values.map(oneLine))
    if (value !== '' && !seen.has(value.toLowerCase()) && seen.size < LIST_MAX) seen.set(value.toLowerCase(), value);
  return [...seen.values()];
};

/**
 * The comma of several scripts: `Fantasy, Mystery` and `校园，百合` are lists. The middle dot (ジョン・スミス) and the slash do not separate, since
 * they also stand inside a name.
 */
const COMMAS = /[,，、､﹐﹑،]/;
const SEMICOLONS = /[;；؛]/;
/** Where semicolons separate, a comma may stand inside a name (`Doe, John; Roe, Jane`). East Asian names have none. */
const SEMICOLONS_AND_EAST_ASIAN_COMMAS = /[;；؛，、､﹐﹑]/;

/** The semicolon of `Tom &amp; Jerry` separates nothing. */
export const nameList = (value: string | null): readonly string[] => {
  const list = unescaped(value ?? '');
  return distinct(list.split(SEMICOLONS.test(list) ? SEMICOLONS_AND_EAST_ASIAN_COMMAS : COMMAS));
};

/** Genres and tags: a vertical bar separates too, which no term contains. */
export const termList = (value: string | null): readonly string[] => {
  const list = unescaped(value ?? '');
  return nameList(list.replaceAll(/[|｜]/g, SEMICOLONS.test(list) ? ';' : ','));
};

/** One element that holds several names: only the sign that never stands inside one separates. */
export const enumerated = (value: string): readonly string[] => unescaped(value).split(/[、､]/);

export const joined = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(', '));

export interface PublicationDate {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

const NO_DATE: PublicationDate = { year: null, month: null, day: null };

/** A month means nothing without its year, and a day nothing without its month. */
export const publicationDate = (year: string | null, month: string | null, day: string | null): PublicationDate => {
  const known = yearOf(year);
  if (known === null) return NO_DATE;
  const ofYear = integerIn(withoutSign(month, /\s?[月월]$/), 1, 12);
  const last = ofYear === null ? 0 : lastDayOf(known, ofYear);
  return { year: known, month: ofYear, day: integerIn(withoutSign(day, /\s?[日일]$/), 1, last) };
};

/** ISO 8601 as far as it goes, or the year in anything else. calibre writes the year 101 for an unknown one. */
export const dateOf = (value: string | null): PublicationDate => {
  const text = plainDigits(value?.trim().slice(0, 100) ?? '').replace(/(?<=\d)\s?[年月년월]\s?(?=\d)/g, '-');
  const iso =
    /^(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2})(?!\d))?)?(?!\d)/.exec(text) ?? /^(\d{4})(\d\d)(\d\d)(?!\d)/.exec(text);
  const year = iso?.[1] ?? /(?<!\d)(?:1[4-9]|20)\d\d(?!\d)/.exec(text)?.[0] ?? null;
  return publicationDate(year, iso?.[2] ?? null, iso?.[3] ?? null);
};

/**
 * calibre keeps the day of publication as midnight of its owner and writes it in UTC, where it is the evening before for all who live east of
 * Greenwich. A time from noon on therefore means the next day; with an offset of its own, a date is the one that is written.
 */
export const calibreDateOf = (value: string | null): PublicationDate => {
  const date = /^\s*(\d{4}-\d\d-\d\d)[T ](?:1[2-9]|2[0-3]):\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|[+-]00:?00)\s*$/i.exec(
    value ?? '',
  )?.[1];
  const midnight = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  const isRealDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date ?? '');
  return dateOf(isRealDay ? new Date(midnight + 86_400_000).toISOString().slice(0, 10) : value);
};

export const flagOf = (value: string | null): boolean | null => {
  const text = plainWord(value);
  if (/^(?:yes|true|1)$/.test(text)) return true;
  return /^(?:no|false|0)$/.test(text) ? false : null;
};

export const directionOf = (value: string | null): 'ltr' | 'rtl' | 'ttb' | null => {
  const text = plainWord(value);
  return text === 'ltr' || text === 'rtl' || text === 'ttb' ? text : null;
};

const URLS_MAX = 100;

/** http and https URLs in a field that may contain several. Nothing else may become a link that a reader can follow. */
export const linksIn = (value: string | null, sourceOf: (url: URL) => string): readonly Link[] =>
  distinct((value ?? '').replaceAll(/&(?:amp;)+/g, '&').split(/\s+|[,;](?=\s*https?:)/i))
    .slice(0, URLS_MAX)
    .flatMap((candidate) => {
      if (candidate.length > 2000 || !/^https?:\/\//i.test(candidate)) return [];
      return URL.canParse(candidate) ? [{ source: sourceOf(new URL(candidate)), url: candidate }] : [];
    });

export const hostOf = (url: URL): string => url.hostname.replace(/^www\./, '');
