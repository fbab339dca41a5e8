// How large a condition may be that was not written in the grammar of parse.ts, which counts while it reads. Pure.
import { AppError } from '../../model/errors.js';
import type { Fields } from './fields.js';
import { CLAUSES_MAX, SCANS_MAX } from './parse.js';
import { needsScan } from './scans.js';
import type { Clause, Condition } from './tree.js';

const clausesIn = <F extends string>(condition: Condition<F>): Clause<F>[] => {
  if ('allOf' in condition) return condition.allOf.flatMap(clausesIn);
  return 'anyOf' in condition ? condition.anyOf.flatMap(clausesIn) : [condition];
};

/** Throws BadRequest. */
export const refuseLarge = <F extends string>(condition: Condition<F>, fields: Fields<F>): void => {
  const clauses = clausesIn(condition);
  const scans = clauses.filter(({ field, test }) => needsScan(fields[field].place, test)).length;
  const fault =
    clauses.length > CLAUSES_MAX
      ? `has more than ${CLAUSES_MAX} clauses`
      : scans > SCANS_MAX
        ? `has more than ${SCANS_MAX} clauses that search text`
        : undefined;
  if (fault !== undefined)
    throw new AppError('BadRequest', `Invalid condition: it ${fault}.`, [{ path: 'condition', message: fault }]);
};
