// Sets of row keys, one bit a key, and reading keys out of the digits SQLite gives. Row keys are dense: a million of them is 125 kB. Pure.

/** A set, or everything but it: what is not in the set is never counted out. */
export interface KeySet {
  readonly bits: Uint32Array;
  readonly inverted: boolean;
}

const ZERO = 48;
const COMMA = 44;

/** `1,20,3` to numbers. */
export const keysOf = (digits: Uint8Array): Uint32Array => {
  if (digits.length === 0) return new Uint32Array(0);
  let count = 1;
  for (const byte of digits) if (byte === COMMA) count += 1;
  const keys = new Uint32Array(count);
  let [at, key] = [0, 0];
  for (const byte of digits) {
    if (byte === COMMA) {
      keys[at] = key;
      at += 1;
      key = 0;
    } else key = key * 10 + byte - ZERO;
  }
  keys[at] = key;
  return keys;
};

export const bitsOf = (keys: Uint32Array): Uint32Array => {
  let highest = 0;
  for (const key of keys) if (key > highest) highest = key;
  const bits = new Uint32Array((highest >>> 5) + 1);
  for (const key of keys) bits[key >>> 5] = (bits[key >>> 5] ?? 0) | (1 << (key & 31));
  return bits;
};

export const hasKey = (bits: Uint32Array, key: number): boolean => (((bits[key >>> 5] ?? 0) >>> (key & 31)) & 1) === 1;

/** Keys of a set in ascending order. */
export const listOf = (bits: Uint32Array): number[] => {
  const keys: number[] = [];
  for (const [index, word] of bits.entries()) {
    for (let rest = word; rest !== 0; rest &= rest - 1) keys.push(index * 32 + 31 - Math.clz32(rest & -rest));
  }
  return keys;
};

export const countOf = (bits: Uint32Array): number => {
  let count = 0;
  for (const word of bits) {
    let v = word - ((word >>> 1) & 0x55555555);
    v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
    count += (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
  }
  return count;
};

const common = (a: Uint32Array, b: Uint32Array): Uint32Array => {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short.map((word, index) => word & (long[index] ?? 0));
};

const either = (a: Uint32Array, b: Uint32Array): Uint32Array => {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const bits = long.slice();
  for (const [index, word] of short.entries()) bits[index] = (bits[index] ?? 0) | word;
  return bits;
};

export const without = (a: Uint32Array, b: Uint32Array): Uint32Array => a.map((word, index) => word & ~(b[index] ?? 0));

export const NO_KEYS: KeySet = { bits: new Uint32Array(0), inverted: false };
export const ALL_KEYS: KeySet = { bits: new Uint32Array(0), inverted: true };

export const notKeys = ({ bits, inverted }: KeySet): KeySet => ({ bits, inverted: !inverted });

export const bothKeys = (a: KeySet, b: KeySet): KeySet => {
  if (a.inverted && b.inverted) return { bits: either(a.bits, b.bits), inverted: true };
  if (a.inverted) return { bits: without(b.bits, a.bits), inverted: false };
  if (b.inverted) return { bits: without(a.bits, b.bits), inverted: false };
  return { bits: common(a.bits, b.bits), inverted: false };
};

export const eitherKeys = (a: KeySet, b: KeySet): KeySet => notKeys(bothKeys(notKeys(a), notKeys(b)));
