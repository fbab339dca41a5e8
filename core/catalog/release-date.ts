// The day on which a book came out, from what is known of it.
import type { StoredFacts } from './book-facts.js';

/** `YYYY-MM-DD`. A missing month or day counts as the first, a day beyond the end of its month as the last one. */
export const releaseDayOf = ({ year, month, day }: Pick<StoredFacts, 'year' | 'month' | 'day'>): string | null => {
  if (year === null || year < 1 || year > 9999) return null;
  const last = new Date(0);
  last.setUTCFullYear(year, month ?? 1, 0);
  const date = new Date(0);
  date.setUTCFullYear(year, (month ?? 1) - 1, Math.min(day ?? 1, last.getUTCDate()));
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10);
};
