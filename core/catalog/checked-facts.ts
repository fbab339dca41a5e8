// Values from users that have a format of their own: language tags, ISBNs and links. Refuses them with the reason, or brings them to their
// canonical spelling.
import { AppError } from '../model/errors.js';
import { bytesOfFacts, FACT_LIMITS, FACTS_BYTES_MAX } from '../model/fact-limits.js';
import { lastDayOf } from '../model/instant.js';
import { isbnFault, isbnOf } from '../model/isbn.js';
import { languageTag } from '../model/language.js';
import type { Link } from '../model/metadata.js';
import type { FactChange, StoredFacts } from './book-facts.js';

const LEAP_YEAR = 2000;

const refusal = (path: string, message: string): AppError =>
  new AppError('BadRequest', `Invalid body: ${path} ${message}.`, [{ path, message }]);

/** Null and undefined pass through: they mean clear and keep. */
export const checkedLanguage = <T extends string | null | undefined>(field: string, text: T): T | string => {
  if (text === null || text === undefined) return text;
  const tag = languageTag(text);
  if (tag === null) throw refusal(field, `must be a language tag such as en, pt-BR or zh-Hant, not "${text}"`);
  return tag;
};

const checkedIsbns = (text: string | null | undefined): string | null | undefined => {
  if (text === null || text === undefined) return text;
  const given = text
    .split(/[,;\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  for (const one of given) {
    const fault = isbnFault(one);
    if (fault !== undefined) throw refusal('isbns', `must hold ISBNs; "${one}" is not one: ${fault}`);
  }
  return [...new Set(given.flatMap((one) => isbnOf(one) ?? []))].join(', ') || null;
};

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);

/** Whoever opens a link trusts the address that the server shows. */
const checkedUrl = (text: string, at: number): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && SCHEMES.has(url.protocol) && url.href.length <= FACT_LIMITS.url) return url.href;
  throw refusal(`links[${at}].url`, `must be an http or https address of at most ${FACT_LIMITS.url} characters`);
};

export const checkedLinks = (links: readonly Link[]): readonly Link[] =>
  links.map(({ source, url }, at) => ({ source, url: checkedUrl(url.trim(), at) }));

export const checkedFacts = (change: FactChange): FactChange => ({
  ...change,
  languageIso: checkedLanguage('languageIso', change.languageIso),
  isbns: checkedIsbns(change.isbns),
  links: change.links && checkedLinks(change.links),
});

type Dated = Pick<StoredFacts, 'year' | 'month' | 'day'>;

/** Refuses a change after which the day would not exist in its month: any correction would be a guess. Without a year, February has 29. */
export const refuseImpossibleDay = (before: Dated, change: FactChange): void => {
  const fields = (['day', 'month', 'year'] as const).filter((field) => typeof change[field] === 'number');
  const of = <K extends keyof Dated>(field: K): number | null =>
    change[field] === undefined ? before[field] : (change[field] ?? null);
  const [year, month, day] = [of('year'), of('month'), of('day')];
  if (fields[0] === undefined || month === null || day === null) return;
  const last = lastDayOf(year ?? LEAP_YEAR, month);
  if (day <= last) return;
  const when = year === null ? `month ${month}` : `month ${month} of ${year}`;
  throw refusal(
    fields[0],
    `would make the day ${day}, but ${when} has ${last} days; send year, month and day together`,
  );
};

/** Refuses a change that makes metadata larger than a book or series may carry. A change that makes it smaller is always accepted. */
export const refuseTooMuch = (before: object, after: object, change: object): void => {
  const size = bytesOfFacts(after);
  if (size <= FACTS_BYTES_MAX || size <= bytesOfFacts(before)) return;
  const sizes = Object.entries(change).map(([field, value]) => [field, bytesOfFacts({ [field]: value })] as const);
  const [field] = sizes.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
  throw refusal(field, `is too large: all values set by hand together may take at most ${FACTS_BYTES_MAX} bytes`);
};
