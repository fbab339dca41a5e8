// What a checked condition looks like: groups of clauses, each clause a field with a positive test that may be negated. Pure.

import type { AuthorRole } from '../../model/metadata.js';

export type Family = 'text' | 'uuid' | 'bool' | 'number' | 'date' | 'status';

export type TextTest = {
  readonly kind: 'is' | 'contains' | 'beginsWith' | 'endsWith';
  readonly value: string;
};

export interface Comparison {
  readonly sign: '>' | '>=' | '<' | '<=' | '=';
  readonly value: number;
}

/** `present`: the field has a value. `range`: it has one, and it passes every comparison. `none`: no value passes. */
export type Test =
  | TextTest
  | { readonly kind: 'none' }
  | { readonly kind: 'present' }
  | { readonly kind: 'ids'; readonly values: readonly string[] }
  | { readonly kind: 'flag'; readonly on: boolean }
  /** Somebody of this name, or of any, has one of these roles, or any. */
  | { readonly kind: 'credit'; readonly name: string | null; readonly roles: readonly AuthorRole[] | null }
  | { readonly kind: 'range'; readonly comparisons: readonly Comparison[] };

export interface Clause<F extends string> {
  readonly field: F;
  readonly test: Test;
  /** A negated test also passes rows without a value. */
  readonly negated: boolean;
}

export type Condition<F extends string> =
  | { readonly allOf: readonly Condition<F>[] }
  | { readonly anyOf: readonly Condition<F>[] }
  | Clause<F>;

/** Whether a condition tests this field anywhere. */
export const tests = <F extends string>(condition: Condition<F>, field: F): boolean => {
  if ('field' in condition) return condition.field === field;
  return ('allOf' in condition ? condition.allOf : condition.anyOf).some((part) => tests(part, field));
};

/** Whether a condition asks for rows that have a flag. */
export const wants = <F extends string>(condition: Condition<F>, field: F): boolean => {
  if ('allOf' in condition) return condition.allOf.some((part) => wants(part, field));
  if ('anyOf' in condition) return condition.anyOf.some((part) => wants(part, field));
  return condition.field === field && condition.test.kind === 'flag' && condition.test.on !== condition.negated;
};

/** Passes what a condition does not pass. */
export const opposite = <F extends string>(condition: Condition<F>): Condition<F> => {
  if ('allOf' in condition) return { anyOf: condition.allOf.map(opposite) };
  if ('anyOf' in condition) return { allOf: condition.anyOf.map(opposite) };
  return { ...condition, negated: !condition.negated };
};

export const EVERYTHING = { allOf: [] } as const;
