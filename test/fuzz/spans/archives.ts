// Headers of zip and RAR archives: flags, methods, sizes, places, names and the extra fields that repeat a name in Unicode.
import { numberAt } from '../rar-sums.js';
import { bytesAt, numbersAt, SPANS_MAX, type Span, spanOf } from './span.js';

/** Two numbers and content for each extra field: the Unicode path, ZIP64, AES, times. */
const extrasAt = (bytes: Buffer, from: number, length: number): Span[] => {
  const spans: Span[] = [];
  for (let at = from; at + 4 <= from + length; at += 4 + bytes.readUInt16LE(at + 2))
    spans.push(...numbersAt(at, [2, 2]), spanOf('data', at + 4, bytes.readUInt16LE(at + 2)));
  return spans;
};

const LOCAL = [0, 2, 2, 2, 4, 4, 4, 4, 2, 2];
const RECORD = [2, 2, 2, 2, 4, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4];
const END = [2, 2, 2, 2, 4, 4, 2];

const localAt = (bytes: Buffer, at: number): Span[] => {
  const [packed, name, extra] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26), bytes.readUInt16LE(at + 28)];
  const names = at + 30;
  return [
    ...numbersAt(at + 4, LOCAL),
    spanOf('text', names, name),
    ...extrasAt(bytes, names + name, extra),
    spanOf('data', names + name + extra, packed),
  ];
};

const recordAt = (bytes: Buffer, at: number): Span[] => {
  const [name, extra] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)];
  return [
    ...numbersAt(at + 4, RECORD),
    spanOf('text', at + 46, name),
    ...extrasAt(bytes, at + 46 + name, extra),
    spanOf('part', at, 46 + name + extra + bytes.readUInt16LE(at + 32), false),
  ];
};

const ZIP_PARTS: Readonly<Record<number, { readonly size: number; readonly find: typeof localAt }>> = {
  67324752: { size: 30, find: localAt },
  33639248: { size: 46, find: recordAt },
  101010256: { size: 22, find: (_, at) => numbersAt(at + 4, END) },
  101075792: { size: 56, find: (_, at) => numbersAt(at + 4, [8, 2, 2, 4, 4, 8, 8, 8, 8]) },
  117853008: { size: 20, find: (_, at) => numbersAt(at + 4, [4, 8, 4]) },
};

const clipped = (spans: readonly Span[], bytes: Buffer): Span[] =>
  spans.filter(({ from, to }) => from < to && to <= bytes.length);

export const zipSpans = (bytes: Buffer): Span[] => {
  const spans: Span[] = [];
  for (let at = bytes.indexOf('PK'); at >= 0 && spans.length < SPANS_MAX; at = bytes.indexOf('PK', at + 2)) {
    const part = at + 4 <= bytes.length ? ZIP_PARTS[bytes.readUInt32LE(at)] : undefined;
    if (part === undefined || at + part.size > bytes.length) continue;
    try {
      spans.push(...part.find(bytes, at));
    } catch {
      // cut off by an earlier change
    }
  }
  return clipped(spans, bytes);
};

const RAR4_FILE = 0x74;

const rar4Spans = (bytes: Buffer): Span[] => {
  const spans: Span[] = [];
  for (let at = 7; at + 11 <= bytes.length && spans.length < SPANS_MAX; ) {
    const size = bytes.readUInt16LE(at + 5);
    const packed = (bytes.readUInt16LE(at + 3) & 0x8000) !== 0 ? bytes.readUInt32LE(at + 7) : 0;
    if (size < 7) break;
    spans.push(...numbersAt(at + 2, [1, 2, 2]), spanOf('part', at, size + packed, false));
    if (bytes[at + 2] === RAR4_FILE && at + 32 <= bytes.length) {
      spans.push(...numbersAt(at + 7, [4, 4, 1, 4, 4, 1, 1, 2, 4]), spanOf('data', at + size, packed));
      spans.push(spanOf('text', at + 32, bytes.readUInt16LE(at + 26)));
    }
    at += size + packed;
  }
  return spans;
};

const rar5Spans = (bytes: Buffer): Span[] => {
  const spans: Span[] = [];
  for (let at = 8; at + 7 <= bytes.length && spans.length < SPANS_MAX; ) {
    const { value: size, next } = numberAt(bytes, at + 4);
    if (size === 0) break;
    const type = numberAt(bytes, next);
    const flags = numberAt(bytes, type.next);
    const extra = (flags.value & 0x01) !== 0 ? numberAt(bytes, flags.next) : { value: 0, next: flags.next };
    const data = (flags.value & 0x02) !== 0 ? numberAt(bytes, extra.next).value : 0;
    spans.push(...bytesAt(next, Math.min(size, 64)), spanOf('data', next + size, data));
    // The name ends where the extra area begins, or with the header.
    spans.push(spanOf('text', next + Math.max(0, size - extra.value - 8), 8));
    spans.push(spanOf('part', at, next + size + data - at, false));
    at = next + size + data;
  }
  return spans;
};

export const rarSpans = (bytes: Buffer): Span[] => clipped(bytes[6] === 0 ? rar4Spans(bytes) : rar5Spans(bytes), bytes);
