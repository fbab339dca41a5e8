// Values from users that have a format of their own: language tags and ISBNs. Refuses them with the reason, or brings them to their
// canonical spelling.
import { AppError } from '../model/errors.js';
import { bytesOfFacts, FACTS_BYTES_MAX } from '../model/fact-limits.js';
import { isbnFault, isbnOf } from '../model/isbn.js';
import { languageTag } from '../model/language.js';
import type { FactChange } from './book-facts.js';

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

export const checkedFacts = (change: FactChange): FactChange => ({
  ...change,
  languageIso: checkedLanguage('languageIso', change.languageIso),
  isbns: checkedIsbns(change.isbns),
});

/** Refuses a change that makes metadata larger than a book or series may carry. A change that makes it smaller is always accepted. */
export const refuseTooMuch = (before: object, after: object, change: object): void => {
  const size = bytesOfFacts(after);
  if (size <= FACTS_BYTES_MAX || size <= bytesOfFacts(before)) return;
  const sizes = Object.entries(change).map(([field, value]) => [field, bytesOfFacts({ [field]: value })] as const);
  const [field] = sizes.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]);
  throw refusal(field, `is too large: all values set by hand together may take at most ${FACTS_BYTES_MAX} bytes`);
};
