// Filters in words: what fields, operators and values are called.

import { b } from '../messages/browse-messages.js';
import { dateText, numberText, t } from '../messages/messages.js';
import type { Library } from '../state/api.js';
import {
  type Clause,
  type FieldName,
  isGroup,
  isRoleField,
  kindOf,
  type Part,
  ROLE_OF,
  takesValue,
  WORDS,
} from '../state/filters.js';

export const fieldText = (field: FieldName): string =>
  isRoleField(field) ? t.roles[ROLE_OF[field]] : b.filter.fields[field];

export const operatorText = (operator: string): string =>
  (b.filter.operators as Readonly<Record<string, string>>)[operator] ?? operator;

/** The words that a field can have, each with what it is called. */
export const choicesOf = (field: FieldName): readonly (readonly [value: string, text: string])[] => {
  if (field === 'readStatus') return WORDS.readStatus.map((one) => [one, b.filter.readStatuses[one]]);
  if (field === 'status') return WORDS.status.map((one) => [one, t.series.states[one]]);
  if (field === 'bookType') return WORDS.bookType.map((one) => [one, b.filter.types[one]]);
  return field === 'format' ? WORDS.format.map((one) => [one, one.toUpperCase()]) : [];
};

const valueText = ({ field, value }: Clause, libraries: readonly Library[]): string => {
  const kind = kindOf(field);
  if (kind === 'library') return libraries.find(({ id }) => id === value)?.name ?? '…';
  if (kind === 'word') return choicesOf(field).find(([one]) => one === value)?.[1] ?? value;
  if (kind === 'date') return dateText(`${value}T00:00:00`);
  return kind === 'number' && field !== 'year' ? numberText(Number(value)) : value;
};

const JOINING = { all: 'and', any: 'or' } as const;

/** A part in a few words, as it stands on a chip. */
export const partText = (part: Part, libraries: readonly Library[]): string => {
  if (isGroup(part)) {
    const texts = part.parts.map((one) => (isGroup(one) ? `(${partText(one, libraries)})` : partText(one, libraries)));
    return part.match === 'none' ? b.filter.none(texts) : texts.join(` ${b.filter[JOINING[part.match]]} `);
  }
  const field = fieldText(part.field);
  const operator = operatorText(part.operator);
  if (!takesValue(part.operator)) return `${field}: ${operator}`;
  const value = valueText(part, libraries);
  return part.operator === 'is' ? `${field}: ${value}` : `${field} ${operator} ${value}`;
};
