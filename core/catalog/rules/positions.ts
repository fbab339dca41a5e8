// The number of a book in its series by the strategy of its library. Pure. If you change it, raise STORED_RULES.numbers.
import type { NumberStrategy } from '../../model/strategies.js';
import { numberIn } from './numbers.js';

export interface NumberSource {
  /** From 1, in the natural order of file names. */
  readonly position: number;
  /** What the file itself says. */
  readonly embeddedNumber: number | null;
  readonly stem: string;
  /** As its path names it; the number is looked for after it. */
  readonly seriesName?: string;
}

/** May be a fraction, negative, or null when the strategy finds no number. */
export const numberOf = (
  strategy: NumberStrategy,
  { position, embeddedNumber, stem, seriesName }: NumberSource,
): number | null => {
  if (strategy === 'file_order') return position;
  if (strategy === 'metadata') return embeddedNumber;
  if (strategy === 'filename') return numberIn(stem, seriesName);
  return embeddedNumber ?? numberIn(stem, seriesName) ?? position;
};
