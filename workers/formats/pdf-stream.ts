// The content of a stream of a PDF document, up to a limit. The PDF reader unpacks a stream as a whole, into memory that never shrinks, so
// compressed ones are unpacked here, where unpacking can be stopped. ISO 32000-2, 7.3.8 (streams) and 7.4 (filters).
import { constants, inflateRawSync, inflateSync } from 'node:zlib';
import { bytesOfStream, type PdfObject } from './mupdf.js';

const FLATE: ReadonlySet<string> = new Set(['FlateDecode', 'Fl']);
const COMPRESSED: ReadonlySet<string> = new Set([...FLATE, 'LZWDecode', 'LZW', 'RunLengthDecode', 'RL']);
/** Their output is not much larger than their input. */
const HARMLESS: ReadonlySet<string> = new Set(['ASCIIHexDecode', 'AHx', 'ASCII85Decode', 'A85', 'Crypt']);

const FILTERS_MAX = 4;
/** Whatever is compressed once into so little takes some megabytes at most. */
const SMALL_BYTES = 4096;
/** The header of zlib data, before what is compressed. */
const ZLIB_BYTES = 2;

/** An entry of a stream dictionary, or the one its short name has: the PDF reader knows both. */
const entryOf = (stream: PdfObject, name: string, short: string): PdfObject => {
  const found = stream.get(name);
  return found.isNull() ? stream.get(short) : found;
};

const filtersOf = (stream: PdfObject): string[] => {
  const filter = entryOf(stream, 'Filter', 'F');
  if (filter.isName()) return [filter.asName()];
  if (!filter.isArray()) return [];
  return Array.from({ length: Math.min(filter.length, FILTERS_MAX + 1) }, (_, at) => filter.get(at).asName());
};

/** Compressed once, without a predictor. */
const isDeflated = (stream: PdfObject, filters: readonly string[]): boolean => {
  if (filters.length !== 1 || !FLATE.has(filters[0] ?? '')) return false;
  const given = entryOf(stream, 'DecodeParms', 'DP');
  const parameters = given.isArray() ? given.get(0) : given;
  if (!parameters.isDictionary()) return true;
  const predictor = parameters.get('Predictor');
  return predictor.isNull() || predictor.asNumber() === 1;
};

const isTooLarge = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';

/** As lenient as the PDF reader: data that is cut off gives its beginning, and a wrong checksum does not matter. */
const inflated = (packed: Uint8Array, maxBytes: number): Uint8Array | 'too large' | 'damaged' => {
  const options = { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    return inflateSync(packed, options);
  } catch (thrown) {
    if (isTooLarge(thrown)) return 'too large';
  }
  try {
    return inflateRawSync(packed.subarray(ZLIB_BYTES), options);
  } catch (thrown) {
    return isTooLarge(thrown) ? 'too large' : 'damaged';
  }
};

/** Filters that the PDF reader may apply, because the result cannot be large. */
const isSafe = (filters: readonly string[], storedBytes: number): boolean => {
  const compressed = filters.filter((filter) => COMPRESSED.has(filter)).length;
  const isKnown = filters.every((filter) => COMPRESSED.has(filter) || HARMLESS.has(filter));
  return (
    isKnown && filters.length <= FILTERS_MAX && (compressed === 0 || (compressed === 1 && storedBytes <= SMALL_BYTES))
  );
};

/** Null when there is no stream, when it is damaged, and when it has more bytes than allowed, packed or unpacked. */
export const contentOfStream = (stream: PdfObject, maxBytes: number): Uint8Array | null => {
  const stored = bytesOfStream(stream, maxBytes, false);
  if (stored === null) return null;
  const filters = filtersOf(stream);
  if (filters.length === 0) return stored;
  if (!isDeflated(stream, filters))
    return isSafe(filters, stored.length) ? bytesOfStream(stream, maxBytes, true) : null;
  const content = inflated(stored, maxBytes);
  return typeof content === 'string' ? null : content;
};

/** Why a stream without content has none: it is there, and not too large, but its data cannot be unpacked. */
export const isDamagedStream = (stream: PdfObject, maxBytes: number): boolean => {
  const stored = bytesOfStream(stream, maxBytes, false);
  return stored !== null && isDeflated(stream, filtersOf(stream)) && inflated(stored, maxBytes) === 'damaged';
};
