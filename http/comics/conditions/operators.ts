// The operators of each kind of field, as readings of clauses.
import type { Clause, Comparison, Condition, Test } from '../../../core/catalog/conditions/tree.js';
import { isUuid, uuidOfHex } from '../../../core/model/ids.js';
import { instantOf } from '../../../core/model/instant.js';
import { WANTED_ID } from '../../../core/reading/app-lists.js';
import { type Plain, type Reading, refuse } from './grammar.js';

/** A test and whether it is negated. A value that every row has, or none, needs no test: it becomes an empty group. */
type Read = Pick<Clause<string>, 'test' | 'negated'> | 'all' | 'none';
type Operator = (clause: Plain, path: string, nowMs: number) => Read;
type Operators = Readonly<Record<string, Operator>>;

const TEXT_MAX = 1000;
/** The first moment that a date can hold; the last is as far from 1970. */
const FIRST_MS = -8.64e15;

const conditionOf = <F extends string>(field: F, read: Read): Condition<F> => {
  if (read === 'all') return { allOf: [] };
  return read === 'none' ? { anyOf: [] } : { field, ...read };
};

const reading =
  <F extends string>(field: F, operators: Operators): Reading<F> =>
  (clause, path, nowMs) => {
    const { operator } = clause;
    const found = typeof operator === 'string' && Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    if (found === undefined) return refuse(`${path}.operator`, `must be one of ${Object.keys(operators).join(', ')}`);
    return conditionOf(field, found(clause, path, nowMs));
  };

const passes = (test: Test): Read => ({ test, negated: false });

const not =
  (operator: Operator): Operator =>
  (...given) => {
    const read = operator(...given);
    if (read === 'all') return 'none';
    return read === 'none' ? 'all' : { ...read, negated: !read.negated };
  };

const present: Operator = () => passes({ kind: 'present' });
const PRESENCE: Operators = { isNull: not(present), isNotNull: present };

const textOf = ({ value }: Plain, path: string): string => {
  if (typeof value !== 'string' || value.length > TEXT_MAX)
    return refuse(`${path}.value`, `must be text of at most ${TEXT_MAX} characters`);
  return value.toWellFormed();
};

const textTest =
  (kind: 'is' | 'contains' | 'beginsWith' | 'endsWith'): Operator =>
  (clause, path) =>
    passes({ kind, value: textOf(clause, path) });

const EQUALITY: Operators = { is: textTest('is'), isNot: not(textTest('is')) };

const TEXT: Operators = {
  ...EQUALITY,
  contains: textTest('contains'),
  doesNotContain: not(textTest('contains')),
  beginsWith: textTest('beginsWith'),
  doesNotBeginWith: not(textTest('beginsWith')),
  endsWith: textTest('endsWith'),
  doesNotEndWith: not(textTest('endsWith')),
};

/** To apps, an id is any text. An empty one names nothing ("is not" with an empty id stands for any), nor does one of another server. */
const oneId: Operator = (clause, path) => {
  const value = textOf(clause, path).trim();
  const id = /^[0-9a-f]{32}$/i.test(value) ? uuidOfHex(value) : value.toLowerCase();
  return isUuid(id) ? passes({ kind: 'ids', values: [id] }) : 'none';
};

const oneList: Operator = (clause, path, nowMs) =>
  clause.value === WANTED_ID ? passes({ kind: 'ids', values: [WANTED_ID] }) : oneId(clause, path, nowMs);

const numberOf = ({ value }: Plain, path: string): number => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : refuse(`${path}.value`, 'must be a number');
};

const compared =
  (sign: Comparison['sign'], valueIn: (clause: Plain, path: string, nowMs: number) => number): Operator =>
  (...given) =>
    passes({ kind: 'range', comparisons: [{ sign, value: valueIn(...given) }] });

const NUMBER: Operators = {
  is: compared('=', numberOf),
  isNot: not(compared('=', numberOf)),
  greaterThan: compared('>', numberOf),
  lessThan: compared('<', numberOf),
  ...PRESENCE,
};

/** ISO 8601 writes years before 0 and after 9999 with a sign. No book is that old or new, so all of them are the first or the last moment. */
const FAR = /^([+-])\d{4,9}-\d\d-\d\d(?:T[\d:.]{5,24}(?:Z|[+-]\d\d:?\d\d)?)?$/;

const farInstantOf = (text: string): number | undefined => {
  const sign = FAR.exec(text)?.[1];
  if (sign === undefined) return undefined;
  return sign === '-' ? FIRST_MS : -FIRST_MS;
};

const instantIn = ({ dateTime, value }: Plain, path: string): number => {
  const given = dateTime ?? value;
  const text = typeof given === 'string' && /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given;
  const ms = typeof text === 'string' ? (instantOf(text) ?? farInstantOf(text)) : undefined;
  return ms ?? refuse(`${path}.dateTime`, 'must be a time such as 2026-01-31T00:00:00Z');
};

const DURATION = /^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})(?:\.\d{1,9})?S)?)?$/;
const SECONDS = [86_400, 3600, 60, 1] as const;

/** When a duration before now was (ISO 8601, as far as Java writes it). */
const before = ({ duration }: Plain, path: string, nowMs: number): number => {
  const parts = typeof duration === 'string' ? DURATION.exec(duration)?.slice(1) : undefined;
  if (parts === undefined || parts.every((part) => part === undefined))
    return refuse(`${path}.duration`, 'must be a duration such as P7D or PT36H');
  const seconds = SECONDS.reduce((sum, each, at) => sum + each * Number(parts[at] ?? 0), 0);
  return Math.max(FIRST_MS, nowMs - 1000 * seconds);
};

/** A time as the number that a day is stored as. */
const dayNumber = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
};

/** Dates that are stored as a number: what a day is there, for the two signs, so that what is unknown counts as the first. */
interface Stored {
  readonly after: (day: number) => number;
  readonly before: (day: number) => number;
}

const FIRST_OF_MONTH = 1;
const FIRST_OF_YEAR = 101;

/** A month or a day that is not known is 0, and shown as the first. */
const DAYS: Stored = {
  after: (day) => day,
  before: (day) => {
    if (day % 10_000 === FIRST_OF_YEAR) return day - FIRST_OF_YEAR;
    return day % 100 === FIRST_OF_MONTH ? day - FIRST_OF_MONTH : day;
  },
};

type Instant = (clause: Plain, path: string, nowMs: number) => number;

const datesIn = ({ after, before: until }: Stored): Operators => {
  const compare = (sign: '>' | '<', instant: Instant, numberIn: (day: number) => number): Operator =>
    compared(sign, (...given) => numberIn(dayNumber(instant(...given))));
  const recent = compare('>', before, after);
  return {
    after: compare('>', instantIn, after),
    before: compare('<', instantIn, until),
    isInTheLast: recent,
    isNotInTheLast: not(recent),
    ...PRESENCE,
  };
};

const flag =
  (on: boolean): Operator =>
  () =>
    passes({ kind: 'flag', on });

const FLAG: Operators = { isTrue: flag(true), isFalse: flag(false) };

/** One of some words, in any case, each with what core calls it. */
const wordsOf = (known: Readonly<Record<string, Read>>): Operators => {
  const is: Operator = (clause, path) => {
    const word = textOf(clause, path).toUpperCase();
    return Object.hasOwn(known, word)
      ? (known[word] ?? 'none')
      : refuse(`${path}.value`, `must be one of ${Object.keys(known).join(', ')}`);
  };
  return { is, isNot: not(is) };
};

/** What a word of this API means to core. */
export const is = (value: string): Read => passes({ kind: 'is', value });

export const text = <F extends string>(field: F): Reading<F> => reading(field, TEXT);
/** Fields with a list of values, or one that may be missing. */
export const equal = <F extends string>(field: F): Reading<F> => reading(field, { ...EQUALITY, ...PRESENCE });
export const idOf = <F extends string>(field: F): Reading<F> => reading(field, { is: oneId, isNot: not(oneId) });
export const listOf = <F extends string>(field: F): Reading<F> => reading(field, { is: oneList, isNot: not(oneList) });
export const number = <F extends string>(field: F): Reading<F> => reading(field, NUMBER);
export const day = <F extends string>(field: F): Reading<F> => reading(field, datesIn(DAYS));
export const yesNo = <F extends string>(field: F): Reading<F> => reading(field, FLAG);
export const word = <F extends string>(field: F, known: Readonly<Record<string, Read>>): Reading<F> =>
  reading(field, wordsOf(known));
