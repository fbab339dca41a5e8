// The header of a JPEG XL image (ISO/IEC 18181-1, annexes B and D; the container of 18181-2): its size as shown. It is at the beginning, so
// a few bytes are enough, wherever the pixels are.

/** Reads bits from the lowest on. Zeros follow the last byte; `isPast` tells. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isPast(): boolean {
    return this.#at > this.#bytes.length * 8;
  }

  read(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1, this.#at += 1)
      value += (((this.#bytes[this.#at >> 3] ?? 0) >> (this.#at & 7)) & 1) * 2 ** bit;
    return value;
  }
}

const SIDE_BITS = [9, 13, 18, 30] as const;
/** Width by height, for the ratios 1 to 7. */
const RATIOS = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
] as const;

const side = (bits: Bits, isSmall: boolean): number =>
  isSmall ? (bits.read(5) + 1) * 8 : bits.read(SIDE_BITS[bits.read(2)] ?? 9) + 1;

const BOX_BYTES = 8;
const CODESTREAM = [0xff, 0x0a] as const;

/** Of a container, the beginning of the codestream: whole, or its first part. Undefined when it is further on. */
const codestreamOf = (bytes: Buffer): Buffer | undefined => {
  if (bytes[0] === CODESTREAM[0]) return bytes;
  for (let at = 0; at + BOX_BYTES <= bytes.length; ) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= bytes.length;
    const content = at + (isLong ? 16 : BOX_BYTES);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'jxlc') return bytes.subarray(content);
    if (type === 'jxlp') return bytes.subarray(content + 4);
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    if (size < BOX_BYTES) return undefined;
    at += size;
  }
  return undefined;
};

/** Undefined when it is not in these bytes. */
export const sizeOfJxl = (bytes: Buffer): { readonly width: number; readonly height: number } | undefined => {
  const codestream = codestreamOf(bytes);
  if (codestream?.[0] !== CODESTREAM[0] || codestream[1] !== CODESTREAM[1]) return undefined;
  const bits = new Bits(codestream.subarray(CODESTREAM.length, 64));
  const isSmall = bits.read(1) === 1;
  const height = side(bits, isSmall);
  const ratio = RATIOS[bits.read(3) - 1];
  const width = ratio === undefined ? side(bits, isSmall) : Math.floor((height * ratio[0]) / ratio[1]);
  const isDefault = bits.read(1) === 1;
  const hasExtra = !isDefault && bits.read(1) === 1;
  const orientation = hasExtra ? bits.read(3) + 1 : 1;
  if (bits.isPast) return undefined;
  return orientation >= 5 ? { width: height, height: width } : { width, height };
};
