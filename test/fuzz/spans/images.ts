// Parts of images: chunks of PNG and WebP, segments of JPEG and JPEG 2000, boxes of AVIF, JPEG XL and JP2, blocks of GIF, entries of TIFF.
import { crc32 } from 'node:zlib';
import { bytesAt, numbersAt, SPANS_MAX, type Span, spanOf } from './span.js';

/** How much of a part counts as its fields. */
const FIELDS_MAX_BYTES = 48;

const partOf = (from: number, header: readonly number[], length: number): Span[] => {
  const start = from + header.reduce((sum, one) => sum + one, 0);
  const fields = Math.min(FIELDS_MAX_BYTES, Math.max(0, from + length - start));
  return [
    ...numbersAt(from, header),
    ...bytesAt(start, fields),
    ...numbersAt(
      start,
      Array.from({ length: fields >> 2 }, () => 4),
    ),
    spanOf('data', start, Math.max(0, from + length - start)),
    spanOf('part', from, length, false),
  ];
};

const whole = (spans: readonly Span[], bytes: Buffer): Span[] =>
  spans.filter(({ from, to }) => from < to && to <= bytes.length).slice(0, SPANS_MAX);

export const pngSpans = (bytes: Buffer): Span[] => {
  const spans: Span[] = [];
  for (let at = 8; at + 12 <= bytes.length && spans.length < SPANS_MAX; at += 12 + bytes.readUInt32BE(at))
    spans.push(...partOf(at, [4, 4], 12 + bytes.readUInt32BE(at)));
  return whole(spans, bytes);
};

/** A reader believes a chunk only when its checksum fits. */
export const withPngSums = (bytes: Buffer): Buffer => {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) break;
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return bytes;
};

/** Markers and lengths, up to where coded data begins: in JPEG with a scan, in JPEG 2000 with a tile. */
const segmentsFrom = (bytes: Buffer, start: number, last: number): Span[] => {
  const spans: Span[] = [];
  for (let at = start; at + 4 <= bytes.length && bytes[at] === 0xff && spans.length < SPANS_MAX; ) {
    const length = 2 + bytes.readUInt16BE(at + 2);
    spans.push(...partOf(at, [2, 2], length));
    at += length;
    if (bytes[at - length + 1] === last) return [...spans, spanOf('data', at, bytes.length - at)];
  }
  return spans;
};

export const jpegSpans = (bytes: Buffer): Span[] => whole(segmentsFrom(bytes, 2, 0xda), bytes);

export const j2kSpans = (bytes: Buffer): Span[] => whole(segmentsFrom(bytes, 2, 0x90), bytes);

export const riffSpans = (bytes: Buffer): Span[] => {
  const spans = [...numbersAt(0, [4, 4, 4])];
  for (let at = 12; at + 8 <= bytes.length && spans.length < SPANS_MAX; ) {
    const length = 8 + bytes.readUInt32LE(at + 4);
    spans.push(...partOf(at, [4, 4], length));
    at += length + (length & 1);
  }
  return whole(spans, bytes);
};

/** Boxes of boxes, and how many bytes each has before the first. */
const NESTED: Readonly<Record<string, number>> = {
  ...{ jp2h: 0, iprp: 0, ipco: 0, moov: 0, trak: 0, mdia: 0, minf: 0, stbl: 0, dinf: 0, meta: 4, iref: 4, iinf: 6 },
};

const boxesIn = (bytes: Buffer, from: number, to: number, spans: Span[]): void => {
  for (let at = from; at + 8 <= to && spans.length < SPANS_MAX; ) {
    const size = bytes.readUInt32BE(at);
    const length = size < 8 ? to - at : size;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const before = NESTED[type];
    spans.push(...partOf(at, [4, 4], length));
    if (before !== undefined) boxesIn(bytes, at + 8 + before, Math.min(to, at + length), spans);
    if (type === 'jp2c') spans.push(...segmentsFrom(bytes, at + 10, 0x90));
    at += length;
  }
};

export const boxSpans = (bytes: Buffer): Span[] => {
  const spans: Span[] = [];
  boxesIn(bytes, 0, bytes.length, spans);
  return whole(spans, bytes);
};

/** Screen, colours, then extensions and images, each a chain of blocks. */
export const gifSpans = (bytes: Buffer): Span[] => {
  const spans = [...numbersAt(6, [2, 2, 1, 1, 1])];
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  for (let at = 13 + colours(bytes[10] ?? 0); at + 11 < bytes.length && spans.length < SPANS_MAX; ) {
    const start = at;
    if (bytes[at] === 0x2c) at += 11 + colours(bytes[at + 9] ?? 0);
    else if (bytes[at] === 0x21) at += 2;
    else break;
    while ((bytes[at] ?? 0) !== 0) at += 1 + (bytes[at] ?? 0);
    at += 1;
    spans.push(...partOf(start, start + 10 < at && bytes[start] === 0x2c ? [1, 2, 2, 2, 2, 1] : [1, 1], at - start));
  }
  return whole(spans, bytes);
};

export const tiffSpans = (bytes: Buffer): Span[] => {
  if (bytes.length < 8) return headSpans(bytes);
  const isLittle = bytes[0] === 0x49;
  const at = isLittle ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4);
  if (at + 2 > bytes.length) return numbersAt(0, [2, 2, 4]);
  const count = Math.min(64, isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const entries = Array.from({ length: count }, (_, index) => at + 2 + 12 * index);
  const spans = entries.flatMap((from) => [...numbersAt(from, [2, 2, 4, 4]), spanOf('part', from, 12)]);
  return whole([...numbersAt(2, [2, 4]), ...numbersAt(at, [2]), ...spans, spanOf('data', 8, bytes.length - 8)], bytes);
};

export const bmpSpans = (bytes: Buffer): Span[] =>
  whole([...numbersAt(2, [4, 2, 2, 4, 4, 4, 4, 2, 2, 4, 4, 4, 4, 4, 4]), spanOf('data', 54, bytes.length - 54)], bytes);

/** What has no table of parts, such as a bare JPEG XL. */
export const headSpans = (bytes: Buffer): Span[] => whole(bytesAt(0, Math.min(64, bytes.length)), bytes);
