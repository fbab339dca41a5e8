// Sets of row keys, one bit per key, and parsing of the key digits SQLite returns. Row keys are dense: a million of them take 125 kB. Pure.

/** A set, or everything but it; the complement is never listed. */
export interface KeySet {
  readonly bits: Uint32Array;
  readonly inverted: boolean;
}

const ZERO = 48;
const COMMA = 44;

/** `1,20,3` to numbers. Plain loops: iterators take ten times as long, and a million keys are seven million digits. */
export const keysOf = (digits: Uint8Array): Uint32Array => {
  if (digits.length === 0) return new Uint32Array(0);
  const keys = new Uint32Array((digits.length >>> 1) + 1);
  let [at, key] = [0, 0];
  for (let place = 0; place < digits.length; place += 1) {
    const byte = digits[place] ?? COMMA;
    if (byte === COMMA) {
      keys[at] = key;
      at += 1;
      key = 0;
    } else key = key * 10 + byte - ZERO;
  }
  keys[at] = key;
  return keys.slice(0, at + 1);
};

export const bitsOf = (keys: Uint32Array): Uint32Array => {
  let highest = 0;
  for (let at = 0; at < keys.length; at += 1) highest = Math.max(highest, keys[at] ?? 0);
  const bits = new Uint32Array((highest >>> 5) + 1);
  for (let at = 0; at < keys.length; at += 1) addKey(bits, keys[at] ?? 0);
  return bits;
};

const addKey = (bits: Uint32Array, key: number): void => {
  bits[key >>> 5] = (bits[key >>> 5] ?? 0) | (1 << (key & 31));
};

export const hasKey = (bits: Uint32Array, key: number): boolean => (((bits[key >>> 5] ?? 0) >>> (key & 31)) & 1) === 1;

/** A copy in which each key of `changed` is in the set exactly when it is also in `present`. */
export const patched = (bits: Uint32Array, changed: Uint32Array, present: Uint32Array): Uint32Array => {
  let highest = 0;
  for (const key of present) highest = Math.max(highest, key);
  const copy = new Uint32Array(Math.max(bits.length, (highest >>> 5) + 1));
  copy.set(bits);
  for (const key of changed) if (key >>> 5 < copy.length) copy[key >>> 5] = (copy[key >>> 5] ?? 0) & ~(1 << (key & 31));
  for (const key of present) addKey(copy, key);
  return copy;
};

/** Keys of a set in ascending order. */
export const listOf = (bits: Uint32Array): number[] => {
  const keys: number[] = [];
  for (let index = 0; index < bits.length; index += 1) {
    for (let rest = bits[index] ?? 0; rest !== 0; rest &= rest - 1)
      keys.push(index * 32 + 31 - Math.clz32(rest & -rest));
  }
  return keys;
};

export const countOf = (bits: Uint32Array): number => {
  let count = 0;
  for (let index = 0; index < bits.length; index += 1) {
    const word = bits[index] ?? 0;
    let v = word - ((word >>> 1) & 0x55555555);
    v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
    count += (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
  }
  return count;
};

/** Plain loops here too: `map` calls a function for each word. */
const common = (a: Uint32Array, b: Uint32Array): Uint32Array => {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const bits = short.slice();
  for (let index = 0; index < short.length; index += 1) bits[index] = (bits[index] ?? 0) & (long[index] ?? 0);
  return bits;
};

export const eitherBits = (a: Uint32Array, b: Uint32Array): Uint32Array => {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const bits = long.slice();
  for (let index = 0; index < short.length; index += 1) bits[index] = (bits[index] ?? 0) | (short[index] ?? 0);
  return bits;
};

export const without = (a: Uint32Array, b: Uint32Array): Uint32Array => {
  const bits = a.slice();
  const both = Math.min(a.length, b.length);
  for (let index = 0; index < both; index += 1) bits[index] = (bits[index] ?? 0) & ~(b[index] ?? 0);
  return bits;
};

export const NO_KEYS: KeySet = { bits: new Uint32Array(0), inverted: false };
export const ALL_KEYS: KeySet = { bits: new Uint32Array(0), inverted: true };

export const notKeys = ({ bits, inverted }: KeySet): KeySet => ({ bits, inverted: !inverted });

export const bothKeys = (a: KeySet, b: KeySet): KeySet => {
  if (a.inverted && b.inverted) return { bits: eitherBits(a.bits, b.bits), inverted: true };
  if (a.inverted) return { bits: without(b.bits, a.bits), inverted: false };
  if (b.inverted) return { bits: without(a.bits, b.bits), inverted: false };
  return { bits: common(a.bits, b.bits), inverted: false };
};

export const eitherKeys = (a: KeySet, b: KeySet): KeySet => notKeys(bothKeys(notKeys(a), notKeys(b)));

/** The keys of a set that are not in `bits`. */
export const withoutKeys = (set: KeySet, bits: Uint32Array): KeySet =>
  bits.length === 0 ? set : bothKeys(set, { bits, inverted: true });

interface Skipping {
  readonly skip: number;
  readonly size: number;
}

const fromStart = (order: Uint32Array, { bits, inverted }: KeySet, { skip, size }: Skipping): number[] => {
  const keys: number[] = [];
  let left = skip;
  for (let at = 0; at < order.length && keys.length < size; at += 1) {
    const key = order[at] ?? 0;
    if (hasKey(bits, key) === inverted) continue;
    if (left > 0) left -= 1;
    else keys.push(key);
  }
  return keys;
};

const fromEnd = (order: Uint32Array, { bits, inverted }: KeySet, { skip, size }: Skipping): number[] => {
  const keys: number[] = [];
  let left = skip;
  for (let at = order.length - 1; at >= 0 && keys.length < size; at -= 1) {
    const key = order[at] ?? 0;
    if (hasKey(bits, key) === inverted) continue;
    if (left > 0) left -= 1;
    else keys.push(key);
  }
  return keys.reverse();
};

/**
 * Keys of an order that are in a set: skips `skip` of them, then takes `size`, from the end when reversed. It may skip up to a million
 * keys, so each case has its own loop: one loop for both directions, or for plain arrays too, would take half as long again.
 */
export const stretchOf = (
  order: Uint32Array,
  set: KeySet,
  stretch: Skipping & { readonly reversed: boolean },
): number[] => (stretch.reversed ? fromEnd : fromStart)(order, set, stretch);
