// What lies around the content of a page: the even borders of a scan, as shares of the page from each of its sides.

export interface Insets {
  /** From 0 to less than 1, like the others. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export const NO_INSETS: Insets = { left: 0, top: 0, right: 0, bottom: 0 };

export const isBordered = ({ left, top, right, bottom }: Insets): boolean => left + top + right + bottom > 0;

/** Whole pixels of a page of this size, and at least one each way. */
export const contentRect = (width: number, height: number, { left, top, right, bottom }: Insets): Rect => {
  const [x, y] = [Math.floor(left * width), Math.floor(top * height)];
  return {
    left: x,
    top: y,
    width: Math.max(1, Math.ceil((1 - right) * width) - x),
    height: Math.max(1, Math.ceil((1 - bottom) * height) - y),
  };
};

/** Four numbers of two bytes, each a share of 65,536. */
export const INSETS_BYTES = 8;
const WHOLE = 65_536;
/** Stored in place of a first share, which is always smaller. */
const UNKNOWN = 65_535;

const numbersOf = (packed: Uint8Array): DataView => new DataView(packed.buffer, packed.byteOffset, packed.byteLength);

const sharesOf = ({ left, top, right, bottom }: Insets): readonly number[] => [left, top, right, bottom];

export const writeInsets = (packed: Uint8Array, index: number, insets: Insets): void => {
  for (const [at, share] of sharesOf(insets).entries())
    numbersOf(packed).setUint16(index * INSETS_BYTES + at * 2, Math.floor(share * WHOLE));
};

/** Short, and different for different insets. */
export const packedInsets = (insets: Insets): string => {
  const packed = new Uint8Array(INSETS_BYTES);
  writeInsets(packed, 0, insets);
  return Buffer.from(packed).toString('hex');
};

/** Undefined for a page that was not looked at yet. */
export const readInsets = (packed: Uint8Array, index: number): Insets | undefined => {
  if ((index + 1) * INSETS_BYTES > packed.length) return undefined;
  const at = (side: number): number => numbersOf(packed).getUint16(index * INSETS_BYTES + side * 2);
  if (at(0) === UNKNOWN) return undefined;
  return { left: at(0) / WHOLE, top: at(1) / WHOLE, right: at(2) / WHOLE, bottom: at(3) / WHOLE };
};

/** Of pages of which nothing is known yet. */
export const unknownInsets = (pages: number): Uint8Array => new Uint8Array(pages * INSETS_BYTES).fill(0xff);
