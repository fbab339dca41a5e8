// Authors in conditions and addresses: a name, a role, or both.
import type { Condition } from '../../../core/catalog/conditions/tree.js';
import { rolesShownAs } from '../views/people.js';
import { isPlain, type Reading, refuse } from './grammar.js';

const NAME_MAX = 1000;

/** Nothing where neither is told. */
const creditOf = (name: string, role: string): Condition<'credit'> => {
  if (name === '' && role === '') return { allOf: [] };
  const test = {
    kind: 'credit',
    name: name === '' ? null : name,
    roles: role === '' ? null : rolesShownAs(role),
  } as const;
  return { field: 'credit', test, negated: false };
};

const textAt = (value: unknown, path: string): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' && value.length <= NAME_MAX ? value.trim() : refuse(path, 'must be text');
};

export const creditReading: Reading<'credit'> = ({ operator, value }, path) => {
  if (!isPlain(value)) return refuse(`${path}.value`, 'must be an object with name, role or both');
  const found = creditOf(textAt(value.name, `${path}.value.name`), textAt(value.role, `${path}.value.role`));
  if (operator === 'is' || !('field' in found)) return found;
  return operator === 'isNot' ? { ...found, negated: true } : refuse(`${path}.operator`, 'must be one of is, isNot');
};

/** `name,role` or a name alone; a name may contain commas, and a role has none. */
const creditIn = (text: string): Condition<'credit'> => {
  const cut = text.lastIndexOf(',');
  const role = cut < 0 ? '' : text.slice(cut + 1).trim();
  return rolesShownAs(role).length > 0 ? creditOf(text.slice(0, cut).trim(), role) : creditOf(text.trim(), '');
};

/** Any of these; no filter without any. */
export const anyCredit = (texts: readonly string[] = []): Condition<'credit'>[] =>
  texts.length === 0 ? [] : [{ anyOf: texts.map(creditIn) }];
