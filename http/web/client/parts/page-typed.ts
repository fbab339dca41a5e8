// What a typed page number stands for.

/** The page (from 0) for a typed page number (from 1); null if the book has no such page. */
export const pageTyped = (text: string, count: number): number | null => {
  const number = /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= count ? number - 1 : null;
};
