// How pages look, and when two books look the same. A look is the signs of the lowest frequencies of a few pages, shrunk to small grey
// pictures: what is left of them in other sizes, formats and qualities. Pure.

/** The pages that are compared, as parts of a book. Covers are left out: those of one series often look alike. */
export const LOOK_PLACES = [1 / 4, 1 / 2, 3 / 4] as const;
/** A book with fewer pages has too little to compare. */
export const LOOK_PAGES_MIN = 4;

/** Side of the grey picture, and of the block of its frequencies that is kept. */
export const LOOK_SIDE = 32;
const KEPT = 16;
/** Bits of one page; the first are the lowest frequencies. */
const PAGE_BITS = KEPT * KEPT;
export const PAGE_BYTES = PAGE_BITS / 8;
const COARSE = 8;

/** Bits in which two pictures of one page may differ. Unrelated pages differ in half of them. */
export const PAGE_BITS_MAX = 48;
/** Below this standard deviation a page is blank, and says nothing. */
const BLANK = 2;

const COSINES = Float64Array.from({ length: KEPT * LOOK_SIDE }, (_, i) =>
  Math.cos((Math.PI / LOOK_SIDE) * ((i % LOOK_SIDE) + 0.5) * Math.floor(i / LOOK_SIDE)),
);

/** The order of the bits: the coarse block first. */
const ORDER: readonly number[] = [...Array(PAGE_BITS).keys()].sort((a, b) => {
  const rank = (i: number): number => (Math.max(i % KEPT, Math.floor(i / KEPT)) < COARSE ? 0 : 1);
  return rank(a) - rank(b) || a - b;
});

const deviation = (grey: Uint8Array): number => {
  let sum = 0;
  let squares = 0;
  for (const value of grey) {
    sum += value;
    squares += value * value;
  }
  return Math.sqrt(Math.max(0, squares / grey.length - (sum / grey.length) ** 2));
};

/** Frequencies along the rows, then along the columns. */
const frequencies = (grey: Uint8Array): Float64Array => {
  const rows = new Float64Array(LOOK_SIDE * KEPT);
  for (let y = 0; y < LOOK_SIDE; y += 1)
    for (let u = 0; u < KEPT; u += 1) {
      let sum = 0;
      for (let x = 0; x < LOOK_SIDE; x += 1) sum += (grey[y * LOOK_SIDE + x] ?? 0) * (COSINES[u * LOOK_SIDE + x] ?? 0);
      rows[y * KEPT + u] = sum;
    }
  const found = new Float64Array(PAGE_BITS);
  for (let v = 0; v < KEPT; v += 1)
    for (let u = 0; u < KEPT; u += 1) {
      let sum = 0;
      for (let y = 0; y < LOOK_SIDE; y += 1) sum += (rows[y * KEPT + u] ?? 0) * (COSINES[v * LOOK_SIDE + y] ?? 0);
      found[v * KEPT + u] = sum;
    }
  return found;
};

/** Of a grey picture of LOOK_SIDE by LOOK_SIDE. The first bit, of the mean, says that the page is not blank; a blank one is all zeros. */
export const lookOf = (grey: Uint8Array): Uint8Array => {
  const bits = new Uint8Array(PAGE_BYTES);
  if (deviation(grey) < BLANK) return bits;
  const found = frequencies(grey);
  ORDER.forEach((place, bit) => {
    if (place === 0 || (found[place] ?? 0) > 0) bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  });
  return bits;
};

const ONES = Uint8Array.from({ length: 256 }, (_, value) => value.toString(2).replaceAll('0', '').length);

const differing = (a: Uint8Array, b: Uint8Array, from: number): number => {
  let bits = 0;
  for (let at = from; at < from + PAGE_BYTES; at += 1) bits += ONES[(a[at] ?? 0) ^ (b[at] ?? 0)] ?? 0;
  return bits;
};

const isBlank = (look: Uint8Array, from: number): boolean => ((look[from] ?? 0) & 1) === 0;

/** Every page that is not blank in both looks alike, and at least two of them are not blank. */
export const looksLike = (a: Uint8Array, b: Uint8Array): boolean => {
  let alike = 0;
  for (let from = 0; from < LOOK_PLACES.length * PAGE_BYTES; from += PAGE_BYTES) {
    if (isBlank(a, from) !== isBlank(b, from)) return false;
    if (isBlank(a, from)) continue;
    if (differing(a, b, from) > PAGE_BITS_MAX) return false;
    alike += 1;
  }
  return alike >= 2;
};

const BAND_BYTES = 2;

/** Keys of which two looks that are alike nearly always share one: pieces of the lowest frequencies of each page. */
export const bandsOf = (look: Uint8Array): number[] => {
  const bands: number[] = [];
  for (let page = 0; page < LOOK_PLACES.length; page += 1) {
    const from = page * PAGE_BYTES;
    if (isBlank(look, from)) continue;
    for (let at = 0; at < (COARSE * COARSE) / 8; at += BAND_BYTES)
      bands.push((page * 32 + at) * 65_536 + (look[from + at] ?? 0) * 256 + (look[from + at + 1] ?? 0));
  }
  return bands;
};
