// Posters of books in conditions: those from the files, of which each book has one, and those that were uploaded. One is selected.
import { type Condition, opposite } from '../../../core/catalog/conditions/tree.js';
import { isPlain, type Reading, refuse } from './grammar.js';

type Field = 'coverChosen' | 'coverUploaded' | 'coverSpare';

const has = (field: Field): Condition<Field> => ({ field, test: { kind: 'flag', on: true }, negated: false });
const EVERY: Condition<Field> = { allOf: [] };
const NONE: Condition<Field> = { anyOf: [] };

/** Books with such a poster, by whether it must be selected. */
interface Posters {
  readonly any: Condition<Field>;
  readonly selected: Condition<Field>;
  readonly other: Condition<Field>;
}

const TYPES: Readonly<Record<string, Posters>> = {
  GENERATED: { any: EVERY, selected: opposite(has('coverChosen')), other: has('coverChosen') },
  SIDECAR: { any: NONE, selected: NONE, other: NONE },
  USER_UPLOADED: { any: has('coverUploaded'), selected: has('coverChosen'), other: has('coverSpare') },
};

/** The poster from the file is another one as soon as an uploaded one is selected. */
const EACH: Posters = { any: EVERY, selected: EVERY, other: has('coverUploaded') };

const postersOf = (type: unknown, path: string): Posters => {
  if (type === undefined || type === null) return EACH;
  const found = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  return found ?? refuse(`${path}.value.type`, `must be one of ${Object.keys(TYPES).join(', ')}`);
};

const conditionOf = (posters: Posters, selected: unknown, path: string): Condition<Field> => {
  if (selected === undefined || selected === null) return posters.any;
  if (typeof selected !== 'boolean') return refuse(`${path}.value.selected`, 'must be true or false');
  return selected ? posters.selected : posters.other;
};

export const posterReading: Reading<Field> = ({ operator, value }, path) => {
  if (!isPlain(value)) return refuse(`${path}.value`, 'must be an object with type, selected or both');
  const found = conditionOf(postersOf(value.type, path), value.selected, path);
  if (operator === 'is') return found;
  return operator === 'isNot' ? opposite(found) : refuse(`${path}.operator`, 'must be one of is, isNot');
};
