// What is missing between two books of a series, told from their numbers.

export interface Numbered {
  readonly number: number | null;
  readonly volume: number | null;
  readonly chapter: number | null;
}

/** Whole numbers that no book has. */
export interface Missing {
  readonly kind: 'chapter' | 'number' | 'volume';
  readonly from: number;
  readonly to: number;
}

const KINDS = ['chapter', 'number', 'volume'] as const;

/** Between chapters 4.5 and 6 nothing is missing but 5; a first book says nothing about what comes before it. */
export const missingBetween = (before: Numbered, after: Numbered): Missing | undefined => {
  for (const kind of KINDS) {
    const [a, b] = [before[kind], after[kind]];
    if (a === null || b === null || a === b) continue;
    const [from, to] = [Math.floor(a) + 1, Math.ceil(b) - 1];
    return from <= to ? { kind, from, to } : undefined;
  }
  return undefined;
};
