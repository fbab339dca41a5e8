// The day on which a book came out, from what is known of it.
import { lastDayOf } from '../model/instant.js';
import type { StoredFacts } from './book-facts.js';

type Dated = Pick<StoredFacts, 'year' | 'month' | 'day'>;

const digits = (value: number, width: number): string => String(value).padStart(width, '0');

/** `YYYY-MM-DD`. What is missing counts as the first, and so does a day that its month does not have or whose month is missing. */
export const releaseDayOf = ({ year, month, day }: Dated): string | null => {
  if (year === null || year < 1 || year > 9999 || (month !== null && (month < 1 || month > 12))) return null;
  const isKnown = month !== null && day !== null && day >= 1 && day <= lastDayOf(year, month);
  return `${digits(year, 4)}-${digits(month ?? 1, 2)}-${digits(isKnown ? day : 1, 2)}`;
};
