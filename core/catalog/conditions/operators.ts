// The operators of each family of fields: which test each means and which other parts it needs. Pure.
import { isUuid } from '../../model/ids.js';
import { instantOf } from '../../model/instant.js';
import type { Comparison, Family, Test, TextTest } from './tree.js';

export interface Read {
  readonly test: Test;
  readonly negated: boolean;
}

/** Takes one named part of a clause; undefined after it has reported a fault. */
export interface Taker {
  take<T>(name: string, expected: string, read: (value: unknown) => T | undefined): T | undefined;
  /** Like take, but null means an absent part. */
  maybe<T>(name: string, expected: string, read: (value: unknown) => T | undefined): T | null | undefined;
}

type Operator = (from: Taker) => Read | undefined;

const TEXT_MAX = 1000;
const IDS_MAX = 1000;

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= TEXT_MAX ? value.toWellFormed() : undefined;
const asUuid = (value: unknown): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined;
const asUuids = (value: unknown): readonly string[] | undefined => {
  if (!Array.isArray(value) || value.length > IDS_MAX) return undefined;
  const ids = value.map(asUuid);
  return ids.every((id) => id !== undefined) ? ids : undefined;
};
const asBoolean = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);
const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

const asInstant = (value: unknown): number | undefined => (typeof value === 'string' ? instantOf(value) : undefined);

const TEXT = `text of at most ${TEXT_MAX} characters`;
const plain = (test: Test | undefined): Read | undefined => (test === undefined ? undefined : { test, negated: false });
const not = (operator: Operator): Operator => {
  return (from) => {
    const read = operator(from);
    return read === undefined ? undefined : { test: read.test, negated: !read.negated };
  };
};

const present: Operator = () => plain({ kind: 'present' });

const text =
  (kind: 'is' | 'contains' | 'beginsWith' | 'endsWith'): Operator =>
  (from) => {
    const value = from.take('value', TEXT, asText);
    return value === undefined ? undefined : plain({ kind, value });
  };

const oneId: Operator = (from) => {
  const value = from.take('value', 'a uuid', asUuid);
  return value === undefined ? undefined : plain({ kind: 'ids', values: [value] });
};

const anyId: Operator = (from) => {
  const values = from.take('values', `a list of at most ${IDS_MAX} uuids`, asUuids);
  return values === undefined ? undefined : plain({ kind: 'ids', values });
};

/** A flag that is false is a separate test: a row may be neither. */
const flag =
  (value: boolean): Operator =>
  () =>
    plain({ kind: 'flag', on: value });
const flagIs =
  (same: boolean): Operator =>
  (from) => {
    const value = from.take('value', 'true or false', asBoolean);
    return value === undefined ? undefined : plain({ kind: 'flag', on: value === same });
  };

/** Applies a text test to a given text. */
export const passes = (text: string, { kind, value }: TextTest): boolean => {
  if (kind === 'is') return text === value;
  if (kind === 'contains') return text.includes(value);
  return kind === 'beginsWith' ? text.startsWith(value) : text.endsWith(value);
};

const FLAGS = [true, false];

/** A flag as its word. */
const flagText =
  (kind: 'contains' | 'beginsWith'): Operator =>
  (from) => {
    const value = from.take('value', TEXT, asText);
    if (value === undefined) return undefined;
    const passing = FLAGS.filter((one) => passes(String(one), { kind, value: value.toLowerCase() }));
    const [only] = passing;
    if (only === undefined) return plain({ kind: 'none' });
    return plain(passing.length === FLAGS.length ? { kind: 'present' } : { kind: 'flag', on: only });
  };

type ReadNumber = (value: unknown) => number | undefined;

const compare =
  (sign: Comparison['sign'], expected: string, read: ReadNumber): Operator =>
  (from) => {
    const value = from.take('value', expected, read);
    return value === undefined ? undefined : plain({ kind: 'range', comparisons: [{ sign, value }] });
  };

const between =
  (low: string, high: string, expected: string, read: ReadNumber): Operator =>
  (from) => {
    const [min, max] = [from.maybe(low, expected, read), from.maybe(high, expected, read)];
    if (min === undefined || max === undefined) return undefined;
    const comparisons: Comparison[] = [];
    if (min !== null) comparisons.push({ sign: '>=', value: min });
    if (max !== null) comparisons.push({ sign: '<=', value: max });
    return plain({ kind: 'range', comparisons });
  };

const NUMBER = 'a number';
const INSTANT = 'a date-time such as 2026-01-31T00:00:00Z';

const PRESENCE = { isNull: not(present), isNotNull: present } as const;

/** Ids, numbers, dates and statuses, tested as text. */
const PIECES = { contains: text('contains'), beginsWith: text('beginsWith') } as const;

/** `is`, `isNot`, `isNull`, `isNotNull`, `contains` and `beginsWith` work for every family. */
export const OPERATORS: Readonly<Record<Family, Readonly<Record<string, Operator>>>> = {
  text: {
    is: text('is'),
    isNot: not(text('is')),
    contains: text('contains'),
    doesNotContain: not(text('contains')),
    beginsWith: text('beginsWith'),
    endsWith: text('endsWith'),
    ...PRESENCE,
  },
  uuid: { is: oneId, isNot: not(oneId), in: anyId, notIn: not(anyId), ...PIECES, ...PRESENCE },
  bool: {
    isTrue: flag(true),
    isFalse: flag(false),
    is: flagIs(true),
    isNot: flagIs(false),
    contains: flagText('contains'),
    beginsWith: flagText('beginsWith'),
    ...PRESENCE,
  },
  number: {
    is: compare('=', NUMBER, asNumber),
    isNot: not(compare('=', NUMBER, asNumber)),
    eq: compare('=', NUMBER, asNumber),
    ne: not(compare('=', NUMBER, asNumber)),
    gt: compare('>', NUMBER, asNumber),
    gte: compare('>=', NUMBER, asNumber),
    lt: compare('<', NUMBER, asNumber),
    lte: compare('<=', NUMBER, asNumber),
    between: between('min', 'max', NUMBER, asNumber),
    ...PIECES,
    ...PRESENCE,
  },
  date: {
    is: compare('=', INSTANT, asInstant),
    isNot: not(compare('=', INSTANT, asInstant)),
    after: compare('>', INSTANT, asInstant),
    before: compare('<', INSTANT, asInstant),
    onOrAfter: compare('>=', INSTANT, asInstant),
    onOrBefore: compare('<=', INSTANT, asInstant),
    between: between('start', 'end', INSTANT, asInstant),
    ...PIECES,
    ...PRESENCE,
  },
  status: { is: text('is'), isNot: not(text('is')), ...PIECES, ...PRESENCE },
};
