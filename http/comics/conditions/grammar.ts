// Conditions as clients of the comic-server API write them: groups, and objects of fields that must all pass. Turned into conditions of
// core. Keys that are not known are ignored: typed clients mark each node with its type, and newer ones know more fields.
import type { Condition } from '../../../core/catalog/conditions/tree.js';
import { AppError } from '../../../core/model/errors.js';

export type Plain = Readonly<Record<string, unknown>>;

export const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws BadRequest that names the place of a fault. */
export const refuse = (path: string, message: string): never => {
  throw new AppError('BadRequest', `Invalid condition: ${path} ${message}.`, [{ path, message }]);
};

/** What a field with an operator means. Throws BadRequest. */
export type Reading<F extends string> = (clause: Plain, path: string, nowMs: number) => Condition<F>;
export type Readings<F extends string> = Readonly<Record<string, Reading<F>>>;

const LEVELS_MAX = 16;

const groupIn = <F extends string>(
  value: unknown,
  path: string,
  read: (part: unknown, path: string) => Condition<F>,
): readonly Condition<F>[] => {
  if (!Array.isArray(value)) return refuse(path, 'must be a list of conditions');
  return value.map((part, index) => read(part, `${path}[${index}]`));
};

/** A group without parts is no filter. */
const anyOf = <F extends string>(parts: readonly Condition<F>[]): Condition<F> =>
  parts.length === 0 ? { allOf: [] } : { anyOf: parts };

export const conditionIn = <F extends string>(value: unknown, readings: Readings<F>, nowMs: number): Condition<F> => {
  const node = (part: unknown, path: string, level: number): Condition<F> => {
    if (level > LEVELS_MAX) return refuse(path, `is nested deeper than ${LEVELS_MAX} levels`);
    if (!isPlain(part)) return refuse(path, 'must be an object');
    const below = (one: unknown, at: string): Condition<F> => node(one, at, level + 1);
    const parts = Object.entries(part).flatMap(([key, inner]): Condition<F>[] => {
      const at = `${path}.${key}`;
      if (key === 'allOf') return [{ allOf: groupIn(inner, at, below) }];
      if (key === 'anyOf') return [anyOf(groupIn(inner, at, below))];
      const reading = Object.hasOwn(readings, key) ? readings[key] : undefined;
      return reading === undefined || !isPlain(inner) ? [] : [reading(inner, at, nowMs)];
    });
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { allOf: parts };
  };
  return value === undefined || value === null ? { allOf: [] } : node(value, 'condition', 1);
};
