// The time of a file as it is stored and compared: whole milliseconds in the range of a Date. File systems allow any 64-bit number of
// seconds.
import type { Stats } from 'node:fs';

/** The first and the last instant of a Date (ECMA-262, 21.4.1.1). */
const FURTHEST_MS = 8.64e15;

export const fileTimeOf = ({ mtimeMs }: Pick<Stats, 'mtimeMs'>): number =>
  Math.max(-FURTHEST_MS, Math.min(FURTHEST_MS, Math.floor(mtimeMs)));
