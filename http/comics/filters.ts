// Filters in addresses, as conditions: a list of values passes when one of them does, and all filters have to pass.
import type { Condition, Test } from '../../core/catalog/conditions/tree.js';
import { isUuid } from '../../core/model/ids.js';
import { WANTED_ID } from '../../core/reading/app-lists.js';

const is = (value: string): Test => ({ kind: 'is', value });

/** Any of these values; no filter without any. */
export const anyIs = <F extends string>(field: F, values: readonly string[] | undefined): Condition<F>[] =>
  values === undefined || values.length === 0
    ? []
    : [{ anyOf: values.map((value) => ({ field, test: is(value), negated: false })) }];

const oneOf =
  (isKnown: (id: string) => boolean) =>
  <F extends string>(field: F, ids: readonly string[] | undefined): Condition<F>[] => {
    if (ids === undefined || ids.length === 0) return [];
    const values = ids.filter(isKnown);
    return values.length === 0 ? [{ anyOf: [] }] : [{ field, test: { kind: 'ids', values }, negated: false }];
  };

/** Ids of another server match nothing. */
export const anyId = oneOf(isUuid);
/** Ids of lists, among them the want-to-read list. */
export const anyList = oneOf((id) => id === WANTED_ID || isUuid(id));

/** Numbers as text; a text that is no number stands for rows without one. */
export const anyNumber = <F extends string>(field: F, values: readonly string[] | undefined): Condition<F>[] =>
  values === undefined || values.length === 0
    ? []
    : [
        {
          anyOf: values.map((text): Condition<F> => {
            const value = Number(text);
            return Number.isFinite(value)
              ? { field, test: { kind: 'range', comparisons: [{ sign: '=', value }] }, negated: false }
              : { field, test: { kind: 'present' }, negated: true };
          }),
        },
      ];

export const isFlag = <F extends string>(field: F, on: boolean | undefined): Condition<F>[] =>
  on === undefined ? [] : [{ field, test: { kind: 'flag', on }, negated: false }];

/** Texts that name a row of the field each: words of this API to those of core. */
export const lowerCased = (words: readonly string[] | undefined): readonly string[] | undefined =>
  words?.map((word) => word.toLowerCase());
