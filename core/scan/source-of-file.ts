// What a file says, as a source of metadata. A damaged file may say less than it did; its age rating stays.
import type { Said } from '../catalog/sources.js';
import type { Analysis, RemarkType } from '../model/jobs.js';

/** Remarks of these types are about parts of a file that were lost; its metadata may have been among them. */
const LOSSES: ReadonlySet<RemarkType> = new Set<RemarkType>(['parser', 'metadata', 'page_extraction']);

/** Who may see the book must not depend on damage: the rating falls only if the whole file was read, or states another. */
export const sourceOf = ({ metadata, fault, notes }: Analysis, before: Said | undefined): Said | null => {
  const found = metadata === null ? null : { facts: metadata.book, series: metadata.series, isComplete: true };
  const rating = before?.series.ageRating ?? null;
  const isStated = typeof metadata?.series.ageRating === 'number';
  const isWhole = fault === null && (isStated || !notes.some(({ type }) => LOSSES.has(type)));
  if (isWhole || rating === null) return found;
  const { facts, series } = found ?? { facts: {}, series: {} };
  const ageRating = Math.max(rating, series.ageRating ?? rating);
  return { facts, series: { ...series, ageRating }, isComplete: true };
};
