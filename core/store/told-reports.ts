// Reports that specify the event for a change, or that there is none.
import { ASPECTS, type Kind, type Report, updated } from './feed.js';

/** Rows whose content is unchanged, but that are found or seen differently now. */
export const indirect = (kind: Kind, keys: readonly number[] | 'all', aspects: number): Report => ({
  ...updated(kind, keys, aspects),
  isIndirect: true,
});

/** A change whose event names these fields. The aspects are reported where the rows are written. */
export const told = (
  kind: 'book' | 'series' | 'library',
  keys: readonly number[],
  fields: readonly string[],
): Report => ({
  ...updated(kind, keys, ASPECTS.details),
  fields,
});
