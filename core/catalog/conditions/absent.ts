// Fields whose data is kept nowhere yet: they parse, no row has a value, every flag is false. To switch one on, take it out of this list;
// the compiler then asks for its query.
import { type Formula, flagged, NOTHING } from './formula.js';
import type { Family, Test } from './tree.js';

export const ABSENT = [
  'sharingTag',
  'isTracked',
  'hasExternalSourceId',
  'userRating',
  'communityRating',
  'hasUserRating',
] as const;

export type AbsentField = (typeof ABSENT)[number];

export const isAbsent = (field: string): field is AbsentField => (ABSENT as readonly string[]).includes(field);

export const absentFormula = (test: Test, family: Family): Formula => {
  if (family === 'bool') return flagged(test, NOTHING);
  return NOTHING;
};
