// Reports that say what clients who follow events are told of a change, or that they are told nothing.
import { ASPECTS, type Kind, type Report, updated } from './feed.js';

/** Rows that read as before, and are found or seen otherwise now. */
export const indirect = (kind: Kind, keys: readonly number[] | 'all', aspects: number): Report => ({
  ...updated(kind, keys, aspects),
  isIndirect: true,
});

/** A change that clients are told of with these words. The aspects are reported where the rows are written. */
export const told = (
  kind: 'book' | 'series' | 'library',
  keys: readonly number[],
  fields: readonly string[],
): Report => ({
  ...updated(kind, keys, ASPECTS.details),
  fields,
});
