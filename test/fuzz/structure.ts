// Changes of what a file means: another number in a field, a hostile name, a part that is missing, repeated or in another place.
import { rarSpans, zipSpans } from './spans/archives.js';
import { ENTRIES, NAMES, VALUES } from './spans/hostile.js';
import {
  bmpSpans,
  boxSpans,
  gifSpans,
  headSpans,
  j2kSpans,
  jpegSpans,
  pngSpans,
  riffSpans,
  tiffSpans,
  withPngSums,
} from './spans/images.js';
import type { FindSpans, Span } from './spans/span.js';
import { markupSpans, pdfSpans } from './spans/texts.js';

export interface StructureChange {
  readonly is: 'structure';
  readonly span: number;
  readonly other: number;
  readonly how: number;
  readonly value: number;
}

interface Structure {
  readonly isIt: (head: string) => boolean;
  readonly spans: FindSpans;
  readonly texts: readonly string[];
  readonly mend?: (bytes: Buffer) => Buffer;
}

const starting =
  (...starts: readonly string[]) =>
  (head: string): boolean =>
    starts.some((start) => head.startsWith(start));

/** By the first bytes, as Latin-1. */
const STRUCTURES: readonly Structure[] = [
  { isIt: starting('PK'), spans: zipSpans, texts: NAMES },
  { isIt: starting('Rar!'), spans: rarSpans, texts: NAMES },
  { isIt: starting('%PDF'), spans: pdfSpans, texts: ENTRIES },
  { isIt: starting('\x89PNG'), spans: pngSpans, texts: NAMES, mend: withPngSums },
  { isIt: starting('\xff\xd8'), spans: jpegSpans, texts: NAMES },
  { isIt: starting('\xff\x4f'), spans: j2kSpans, texts: NAMES },
  { isIt: starting('RIFF'), spans: riffSpans, texts: NAMES },
  { isIt: starting('GIF8'), spans: gifSpans, texts: NAMES },
  { isIt: starting('II', 'MM'), spans: tiffSpans, texts: NAMES },
  { isIt: starting('BM'), spans: bmpSpans, texts: NAMES },
  { isIt: (head) => /^(ftyp|jP {2}|JXL )/.test(head.slice(4)), spans: boxSpans, texts: NAMES },
  { isIt: (head) => /^(\xef\xbb\xbf)?\s*(<|@|\{|[\w.#])/.test(head), spans: markupSpans, texts: [...VALUES, ...NAMES] },
];

const spliced = (bytes: Buffer, from: number, to: number, part: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), part, bytes.subarray(to)]);

/** As long as what it replaces where it must be: what is too short is filled up with blanks. */
const fitted = (text: Buffer, { from, to, isFixed }: Span): Buffer =>
  isFixed ? Buffer.concat([text, Buffer.alloc(to - from, ' ')]).subarray(0, to - from) : text;

/** Patterns rather than values, so that the order of bytes does not matter. */
const otherNumber = (old: Buffer, { how, value }: StructureChange): Buffer => {
  const out = Buffer.from(old);
  const at = value % 2 === 0 ? 0 : out.length - 1;
  const before = out[at] ?? 0;
  if (how % 6 === 0) return out.fill(0);
  if (how % 6 === 1) return out.fill(0xff);
  if (how % 6 === 2) out[at] = (before + 1) & 0xff;
  else if (how % 6 === 3) out[at] = (before - 1) & 0xff;
  else if (how % 6 === 4) out[at] = before ^ 0x80;
  else for (let index = 0; index < out.length; index += 1) out[index] = (value >> ((8 * index) % 31)) & 0xff;
  return out;
};

const flipped = (old: Buffer, { how, value }: StructureChange): Buffer => {
  const out = Buffer.from(old);
  for (let count = 0; count <= how % 4; count += 1) {
    const at = (value * (count + 1)) % out.length;
    out[at] = (out[at] ?? 0) ^ (1 << ((value + count) % 8));
  }
  return out;
};

/** Left out, repeated, emptied or replaced by another part. */
const otherPart = (old: Buffer, other: Buffer, { how }: StructureChange): Buffer => {
  if (how % 4 === 0) return Buffer.alloc(0);
  if (how % 4 === 1) return Buffer.concat([old, old]);
  if (how % 4 === 2) return Buffer.concat([other, old]);
  return other;
};

const replacement = (
  bytes: Buffer,
  span: Span,
  other: Span,
  texts: readonly string[],
  change: StructureChange,
): Buffer => {
  const old = bytes.subarray(span.from, span.to);
  if (span.is === 'number') return otherNumber(old, change);
  if (span.is === 'data') return flipped(old, change);
  if (span.is === 'text') return fitted(Buffer.from(texts[change.value % texts.length] ?? '', 'latin1'), span);
  return fitted(otherPart(old, bytes.subarray(other.from, other.to), change), span);
};

const HEAD_BYTES = 64;
const UNKNOWN: Structure = { isIt: () => true, spans: headSpans, texts: NAMES };

export const structureOf = (bytes: Buffer): Structure => {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  return STRUCTURES.find(({ isIt }) => isIt(head)) ?? UNKNOWN;
};

/** The same bytes when they are empty. */
export const restructured = (bytes: Buffer, change: StructureChange): Buffer => {
  const structure = structureOf(bytes);
  const spans = structure.spans(bytes);
  // First what kind of thing, since there are many more numbers than names.
  const kinds = [...new Set(spans.map(({ is }) => is))];
  const alike = spans.filter(({ is }) => is === kinds[change.other % kinds.length]);
  const span = alike[change.span % alike.length];
  if (span === undefined) return bytes;
  const parts = spans.filter(({ is }) => is === 'part');
  const other = parts[change.other % parts.length] ?? span;
  const out = spliced(bytes, span.from, span.to, replacement(bytes, span, other, structure.texts, change));
  return structure.mend?.(out) ?? out;
};
