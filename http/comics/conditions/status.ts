// Statuses of series: clients know four, and are shown a series of another or none as ongoing.
import type { AppSeriesField } from '../../../core/catalog/conditions/fields.js';
import { type Condition, opposite } from '../../../core/catalog/conditions/tree.js';
import { type Reading, refuse } from './grammar.js';

const OTHERS = ['ENDED', 'HIATUS', 'ABANDONED'] as const;

const isOther = (word: string): Condition<AppSeriesField> => ({
  field: 'status',
  test: { kind: 'is', value: word.toLowerCase() },
  negated: false,
});

const ONGOING: Condition<AppSeriesField> = opposite({ anyOf: OTHERS.map(isOther) });

const statusIs = (word: string): Condition<AppSeriesField> => (word === 'ONGOING' ? ONGOING : isOther(word));

/** Any of these statuses; no filter without any. */
export const anyStatus = (words: readonly string[] = []): Condition<AppSeriesField>[] =>
  words.length === 0 ? [] : [{ anyOf: words.map(statusIs) }];

/** Of a word in any case; undefined if there is no such status. */
export const seriesWithStatus = (text: string): Condition<AppSeriesField> | undefined => {
  const word = text.toUpperCase();
  return ['ONGOING', ...OTHERS].includes(word) ? statusIs(word) : undefined;
};

export const statusReading: Reading<AppSeriesField> = ({ operator, value }, path) => {
  const word = typeof value === 'string' ? value.toUpperCase() : '';
  const known = ['ONGOING', ...OTHERS];
  if (!known.includes(word)) return refuse(`${path}.value`, `must be one of ${known.join(', ')}`);
  if (operator === 'is') return statusIs(word);
  return operator === 'isNot' ? opposite(statusIs(word)) : refuse(`${path}.operator`, 'must be one of is, isNot');
};
