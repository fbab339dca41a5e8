// What a checked condition looks like: groups of clauses, each clause a field with a positive test that may be negated. Pure.

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

export const EVERYTHING = { allOf: [] } as const;
