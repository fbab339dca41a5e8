// The pages of a book as the reader lays them out: their sizes, also where the server does not know them, and which of them are wide.

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** As the page table of a book lists it. */
export interface ListedPage {
  readonly width: number | null;
  readonly height: number | null;
}

/** Of a printed comic; for a book without a single known size. */
const USUAL: Size = { width: 1000, height: 1500 };

export const ratioOf = ({ width, height }: Size): number => height / width;

export const knownSize = ({ width, height }: ListedPage): Size | undefined =>
  width !== null && height !== null && width > 0 && height > 0 ? { width, height } : undefined;

const medianBy = (sizes: readonly Size[], of: (size: Size) => number): Size | undefined =>
  [...sizes].sort((a, b) => of(a) - of(b))[sizes.length >> 1];

/** A page of unknown size is taken to be like most others, so that nothing moves when it turns out to be so. */
export const sizesOf = (pages: readonly ListedPage[]): readonly Size[] => {
  const known = pages.flatMap((page) => knownSize(page) ?? []);
  const usual = medianBy(known, ratioOf) ?? USUAL;
  return pages.map((page) => knownSize(page) ?? usual);
};

/** Two printed pages scanned as one. */
export const isWide = ({ width, height }: Size): boolean => width > height;
