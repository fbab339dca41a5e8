// Changes of bytes as plain values: fast-check makes them, shrinks them and prints them, `mutated` carries them out. Same recipe, same bytes.
import fc from 'fast-check';
import { restructured, type StructureChange } from './structure.js';

/** A place as a whole number and the end it is counted from: headers lie at both ends, and most of a book is between. */
interface Place {
  readonly from: 'start' | 'end' | 'any';
  readonly by: number;
}

export type Change =
  | { readonly is: 'flip'; readonly at: Place; readonly bit: number }
  | { readonly is: 'run'; readonly at: Place; readonly bytes: Uint8Array }
  | { readonly is: 'cut'; readonly at: Place }
  | { readonly is: 'repeat'; readonly at: Place; readonly length: number }
  | { readonly is: 'drop'; readonly at: Place; readonly length: number }
  | { readonly is: 'field'; readonly at: Place; readonly bytes: 2 | 4; readonly value: number }
  | { readonly is: 'digits'; readonly at: Place; readonly text: string }
  | StructureChange
  | { readonly is: 'splice'; readonly at: Place; readonly other: Place };

/** How far from an end a place counted from it lies at the most. */
const NEAR_BYTES = 512;
const LONG_MAX_BYTES = 8192;

const place = fc.record<Place>({
  from: fc.constantFrom('start', 'end', 'any'),
  by: fc.nat(0x7fffffff),
});
const length = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: LONG_MAX_BYTES }));
const NUMBERS = ['0', '1', '-1', '65535', '65536', '2147483647', '4294967295', '99999999999999', '1e99', '0.0000001'];

const structure: fc.Arbitrary<StructureChange> = fc.record({
  is: fc.constant('structure' as const),
  span: fc.nat(0x7fffffff),
  other: fc.nat(0x7fffffff),
  how: fc.nat(11),
  value: fc.nat(0x7fffffff),
});

export const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    fc.record({ is: fc.constant('flip' as const), at: place, bit: fc.nat(7) }),
    fc.record({ is: fc.constant('run' as const), at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 32 }) }),
    fc.record({ is: fc.constant('cut' as const), at: place }),
    fc.record({ is: fc.constant('repeat' as const), at: place, length }),
    fc.record({ is: fc.constant('drop' as const), at: place, length }),
    fc.record({
      is: fc.constant('field' as const),
      at: place,
      bytes: fc.constantFrom(2 as const, 4 as const),
      value: fc.constantFrom(0, 0xffff, 0xffffffff, 0x7fffffff),
    }),
    fc.record({ is: fc.constant('digits' as const), at: place, text: fc.constantFrom(...NUMBERS) }),
    fc.record({ is: fc.constant('splice' as const), at: place, other: place }),
    { weight: 8, arbitrary: structure },
  ),
  { minLength: 1, maxLength: 6 },
);

const positionOf = ({ from, by }: Place, size: number): number => {
  if (size === 0) return 0;
  if (from === 'any') return by % size;
  const near = by % Math.min(size, NEAR_BYTES);
  return from === 'start' ? near : size - 1 - near;
};

const written = (bytes: Buffer, at: number, part: Uint8Array): Buffer => {
  const out = Buffer.from(bytes);
  out.set(part.subarray(0, out.length - at), at);
  return out;
};

const fieldBytes = (size: 2 | 4, value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value);
  return out.subarray(0, size);
};

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Another number in the place of the next one written in digits: what texts (PDF, XML) have for fields. */
const otherDigits = (bytes: Buffer, at: number, text: string): Buffer => {
  let from = at;
  while (from < bytes.length && !isDigit(bytes[from])) from += 1;
  let to = from;
  while (isDigit(bytes[to])) to += 1;
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(text), bytes.subarray(to)]);
};

const changed = (bytes: Buffer, change: Change, other: Uint8Array): Buffer => {
  if (change.is === 'structure') return restructured(bytes, change);
  const at = positionOf(change.at, bytes.length);
  if (change.is === 'cut') return bytes.subarray(0, at);
  if (change.is === 'run') return written(bytes, at, change.bytes);
  if (change.is === 'field') return written(bytes, at, fieldBytes(change.bytes, change.value));
  if (change.is === 'digits') return otherDigits(bytes, at, change.text);
  if (change.is === 'flip') return written(bytes, at, Uint8Array.of((bytes[at] ?? 0) ^ (1 << change.bit)));
  if (change.is === 'drop') return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + change.length)]);
  if (change.is === 'repeat') return Buffer.concat([bytes.subarray(0, at + change.length), bytes.subarray(at)]);
  return Buffer.concat([bytes.subarray(0, at), other.subarray(positionOf(change.other, other.length))]);
};

/** `other` is what is spliced in. */
export const mutated = (bytes: Uint8Array, list: readonly Change[], other: Uint8Array): Buffer =>
  list.reduce<Buffer>((out, change) => changed(out, change, other), Buffer.from(bytes));
