// A condition as a client wrote it, checked against the fields it may name. Every fault is reported with its path in the tree. Pure.
import { AppError } from '../../model/errors.js';
import type { Fields } from './fields.js';
import { OPERATORS, type Read, type Taker } from './operators.js';
import { needsScan } from './scans.js';
import { type Condition, EVERYTHING, opposite } from './tree.js';

const LEVELS_MAX = 16;
export const CLAUSES_MAX = 500;
/** Each of them reads all texts. */
export const SCANS_MAX = 20;
const FAULTS_MAX = 20;

const GROUPS = ['allOf', 'anyOf', 'noneOf'] as const;

interface Fault {
  readonly path: string;
  readonly message: string;
}

type Plain = Readonly<Record<string, unknown>>;

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Stops at the first node that is too large; other faults are collected. */
class TooLarge extends Error {}

class Parsing<F extends string> {
  readonly faults: Fault[] = [];
  readonly #fields: Fields<F>;
  readonly #scansMax: number;
  #clauses = 0;
  #scans = 0;

  constructor(fields: Fields<F>, scansMax: number) {
    this.#fields = fields;
    this.#scansMax = scansMax;
  }

  node(value: unknown, path: string, level: number): Condition<F> | undefined {
    if (level > LEVELS_MAX) this.#tooLarge(path, `is nested deeper than ${LEVELS_MAX} levels`);
    if (!isPlain(value)) return this.#fault(path, 'must be an object with allOf, anyOf, noneOf or one field');
    const keys = Object.keys(value);
    const [key] = keys;
    if (key === undefined) return this.#fault(path, 'must have allOf, anyOf, noneOf or one field');
    if (keys.length > 1)
      return this.#fault(path, `must have exactly one key but has ${keys.length}: ${keys.slice(0, 5).join(', ')}`);
    const group = GROUPS.find((one) => one === key);
    if (group === undefined) return this.#clause(key, value[key], `${path}.${key}`);
    const parts = this.#group(value[key], `${path}.${key}`, level);
    if (parts === undefined) return undefined;
    if (group === 'noneOf') return opposite({ anyOf: parts });
    return group === 'allOf' ? { allOf: parts } : { anyOf: parts };
  }

  #group(value: unknown, path: string, level: number): Condition<F>[] | undefined {
    if (!Array.isArray(value)) return this.#fault(path, 'must be a list of conditions');
    this.#count(value.length, path);
    return value
      .map((part, index) => this.node(part, `${path}[${index}]`, level + 1))
      .filter((part) => part !== undefined);
  }

  #clause(name: string, value: unknown, path: string): Condition<F> | undefined {
    const known = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (known === undefined)
      return this.#fault(path, `is not a field that can be filtered; fields: ${Object.keys(this.#fields).join(', ')}`);
    if (!isPlain(value)) return this.#fault(path, 'must be an object with an operator');
    const operators = OPERATORS[known.family];
    const { operator } = value;
    const names = Object.keys(operators).join(', ');
    if (typeof operator !== 'string' || !Object.hasOwn(operators, operator))
      return this.#fault(`${path}.operator`, `must be one of ${names}`);
    const read: Read | undefined = operators[operator]?.(this.#taker(value, path));
    if (read === undefined) return undefined;
    if (needsScan(known.place, read.test)) this.#countScan(path);
    return { field: known.field, ...read };
  }

  #taker(clause: Plain, path: string): Taker {
    const take: Taker['take'] = (name, expected, read) => {
      if (clause[name] === undefined) return this.#fault(`${path}.${name}`, 'is required');
      const value = read(clause[name]);
      return value === undefined ? this.#fault(`${path}.${name}`, `must be ${expected}`) : value;
    };
    return {
      take,
      maybe: (name, expected, read) =>
        clause[name] === undefined || clause[name] === null ? null : take(name, expected, read),
    };
  }

  #count(more: number, path: string): void {
    this.#clauses += more;
    if (this.#clauses > CLAUSES_MAX) this.#tooLarge(path, `has more than ${CLAUSES_MAX} clauses`);
  }

  #countScan(path: string): void {
    this.#scans += 1;
    if (this.#scans > this.#scansMax)
      this.#tooLarge(
        path,
        `is one too many: a condition may have at most ${this.#scansMax} clauses that search text (contains, doesNotContain, beginsWith, endsWith, and any test of a summary or path)`,
      );
  }

  #fault(path: string, message: string): undefined {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ path, message });
  }

  #tooLarge(path: string, message: string): never {
    this.#fault(path, message);
    throw new TooLarge();
  }
}

/** A stored condition may have any number of scans: it was checked before, or comes from an earlier version. */
export const STORED = { scansMax: CLAUSES_MAX } as const;

/** No condition means one that everything matches. */
export const parseCondition = <F extends string>(
  value: unknown,
  fields: Fields<F>,
  { scansMax } = { scansMax: SCANS_MAX },
): Condition<F> => {
  if (value === undefined || value === null) return EVERYTHING;
  const parsing = new Parsing(fields, scansMax);
  let found: Condition<F> | undefined;
  try {
    found = parsing.node(value, 'condition', 1);
  } catch (thrown) {
    if (!(thrown instanceof TooLarge)) throw thrown;
  }
  if (found !== undefined && parsing.faults.length === 0) return found;
  const sentence = parsing.faults.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new AppError('BadRequest', `Invalid condition: ${sentence}.`, parsing.faults);
};
