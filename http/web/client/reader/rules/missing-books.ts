// What is missing between two books of a series, told from their numbers.

export interface Numbered {
  readonly title: string;
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

/** A title that ends with a number, as those of files do. */
const TITLE = /^(.*?)(\d{1,6}(?:\.\d{1,3})?)$/;

/** Where books are numbered by their order, their titles still say which of them they are. */
const titleNumbers = (before: Numbered, after: Numbered): readonly [number | null, number | null] => {
  const [a, b] = [TITLE.exec(before.title.trim()), TITLE.exec(after.title.trim())];
  return a === null || b === null || a[1] !== b[1] ? [null, null] : [Number(a[2]), Number(b[2])];
};

const SAID: readonly (readonly [
  kind: Missing['kind'],
  numbers: (before: Numbered, after: Numbered) => readonly [number | null, number | null],
])[] = [
  ['chapter', (before, after) => [before.chapter, after.chapter]],
  ['number', titleNumbers],
  ['number', (before, after) => [before.number, after.number]],
  ['volume', (before, after) => [before.volume, after.volume]],
];

/** Between chapters 4.5 and 6 nothing is missing but 5; a first book says nothing about what comes before it. */
export const missingBetween = (before: Numbered, after: Numbered): Missing | undefined => {
  for (const [kind, numbers] of SAID) {
    const [a, b] = numbers(before, after);
    if (a === null || b === null || a === b) continue;
    const [from, to] = [Math.floor(a) + 1, Math.ceil(b) - 1];
    return from <= to ? { kind, from, to } : undefined;
  }
  return undefined;
};
