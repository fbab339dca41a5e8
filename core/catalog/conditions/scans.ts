// Which tests scan the texts of all rows, because no index can answer them. Pure.
import type { Place } from './fields.js';
import type { RowSet } from './sets.js';
import type { Test } from './tree.js';

/** Summaries are not indexed at all; other texts are indexed by their whole value. */
const isTextScan = (test: Test, column?: string): boolean =>
  'value' in test && (test.kind !== 'is' || column === 'summary');

export const isScan = (set: RowSet): boolean => {
  if (set.in === 'path') return true;
  if (set.in === 'sharingTags') return false; // few enough to test each
  return 'test' in set && isTextScan(set.test, set.in === 'column' ? set.column : undefined);
};

/** Whether a clause with this test needs a scan. */
export const needsScan = (place: Place, test: Test): boolean => {
  switch (place.in) {
    case 'column':
      return isTextScan(test, place.column);
    case 'authors':
      return isTextScan(test) || (place.of === 'book' && test.kind === 'present');
    case 'either':
    case 'inherited':
    case 'parent':
    case 'terms':
      return isTextScan(test);
    case 'path':
      return 'value' in test;
    default:
      return false;
  }
};
