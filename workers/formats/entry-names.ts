// Names of entries in zip and RAR archives as text. The standard of zip says UTF-8 (when flagged) or CP437 (APPNOTE 4.4.4, appendix D); real
// archives contain what the maker's system wrote. An archive has one encoding, so all its names are judged together.
import { plainName } from '../../core/model/page-names.js';
import { cp437, ENCODINGS, type Encoding } from './encodings.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LENIENT_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

const isAscii = (bytes: Uint8Array): boolean => {
  for (const byte of bytes) if (byte >= 0x80) return false;
  return true;
};

const validUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined; // not UTF-8: the answer, not a failure
  }
};

/** Text that some tool cut off in the middle of a character is still UTF-8. */
const nearlyUtf8 = (bytes: Uint8Array): string | undefined => {
  const text = LENIENT_UTF8.decode(bytes);
  const wrong = text.split('\ufffd').length - 1;
  const right = [...text].filter((char) => char > '\u07ff' && char !== '\ufffd').length;
  return right >= wrong * 3 ? text : undefined;
};

export interface RawName {
  readonly bytes: Uint8Array;
  readonly isUtf8: boolean;
  /** The Info-ZIP Unicode Path extra field, if its checksum matches the name. */
  readonly unicodePath: Uint8Array | null;
}

/** What an entry declares about its name, or its bytes prove; undefined when only all names together can tell. */
const statedName = ({ bytes, isUtf8, unicodePath }: RawName): string | undefined => {
  const declared = unicodePath === null ? undefined : validUtf8(unicodePath);
  if (declared !== undefined) return declared;
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return validUtf8(bytes) ?? nearlyUtf8(bytes) ?? (isUtf8 && !hasPair(bytes) ? LENIENT_UTF8.decode(bytes) : undefined);
};

const hasPair = (bytes: Uint8Array): boolean => bytes.some((byte, at) => byte >= 0x80 && (bytes[at + 1] ?? 0) >= 0x40);

/** Two-byte sequences of UTF-8 are also pairs of other encodings. */
const mayBeOther = ({ bytes, isUtf8, unicodePath }: RawName, name: string): boolean =>
  !isUtf8 && unicodePath === null && !isAscii(bytes) && !/[\u0800-\uffff]/.test(name);

/** Enough to tell an encoding; more would cost time in archives with many thousands of entries. */
const JUDGED_MAX_BYTES = 64 * 1024;

const some = (names: readonly Uint8Array[]): readonly Uint8Array[] => {
  let left = JUDGED_MAX_BYTES;
  return names.filter(({ length }) => {
    left -= length;
    return left >= 0;
  });
};

const pointsOf = ({ decode, points }: Encoding, names: readonly Uint8Array[]): number => {
  let sum = 0;
  for (const bytes of names) {
    const text = decode(bytes);
    // One name that is cut off or damaged does not decide about the others.
    sum += text === undefined ? -3 * bytes.filter((byte) => byte >= 0x80).length : points(bytes, text);
  }
  return sum;
};

const CP437: Encoding = { decode: cp437, points: () => 0 };

const likeliest = (names: readonly Uint8Array[]): Encoding => {
  let best = CP437;
  let most = 0;
  for (const encoding of ENCODINGS) {
    const points = pointsOf(encoding, names);
    if (points <= most) continue;
    best = encoding;
    most = points;
  }
  return best;
};

/**
 * Text of another kind in an encoding that nothing declares, judged by its words. Undefined where it is Western, or not valid in the encoding
 * that fits best.
 */
export const decodeUndeclared = (bytes: Uint8Array, words: readonly Uint8Array[]): string | undefined => {
  const encoding = likeliest(some(words));
  return encoding.decode === cp437 ? undefined : encoding.decode(bytes);
};

/** What is not valid in the encoding of the archive: no backslash in it can be trusted to be a separator. */
const salvagedName = (bytes: Uint8Array, encoding: Encoding): string => {
  const text = cp437(bytes);
  return encoding.decode === cp437 ? text : text.replaceAll('\\', '＼');
};

/** All names of an archive; those that are not UTF-8 in the one encoding that fits all of them best. */
export const decodeNames = (names: readonly RawName[]): string[] => {
  const stated = names.map(statedName);
  if (!stated.includes(undefined)) return stated.map((name) => name ?? '');
  const unknown = names.filter((_, index) => stated[index] === undefined).map(({ bytes }) => bytes);
  const encoding = likeliest(some(unknown));
  return names.map((raw, index) => {
    const name = stated[index];
    if (name === undefined) return encoding.decode(raw.bytes) ?? salvagedName(raw.bytes, encoding);
    if (!mayBeOther(raw, name)) return name;
    const other = encoding.decode(raw.bytes);
    return other !== undefined && encoding.points(raw.bytes, other) > 0 ? other : name;
  });
};

/** As unrar writes bytes that it could not decode: a mark somewhere in the name, and letters of the private use area. */
const UNDECODED = '\ufffe';
const UNDECODED_BYTE = /[\ue080-\ue0ff]/g;

/** The bytes of a RAR 4 name; a backslash, separator or half of a character, has become a slash. */
const bytesOfRarName = (name: string): Buffer => {
  const parts = name
    .replaceAll(UNDECODED, '')
    .replaceAll('/', '\\')
    .split(/([\ue080-\ue0ff])/);
  return Buffer.concat(
    parts.map((part) =>
      part.length === 1 && part.search(UNDECODED_BYTE) === 0
        ? Buffer.from([part.charCodeAt(0) & 0xff])
        : Buffer.from(part, 'utf8'),
    ),
  );
};

/** Names that unrar could not decode are decoded like names of zip archives. */
const decodeRarNames = (names: readonly string[]): readonly string[] => {
  if (!names.some((name) => name.includes(UNDECODED))) return names;
  return decodeNames(
    names.map((name) => ({
      bytes: name.includes(UNDECODED) ? bytesOfRarName(name) : Buffer.from(name, 'utf8'),
      isUtf8: !name.includes(UNDECODED),
      unicodePath: null,
    })),
  );
};

/** Entries as unrar lists them, with their names as text: the encoding of one may only be clear from the others. */
export const withRarNames = <T extends { readonly name: string }>(entries: readonly T[]): T[] => {
  const names = decodeRarNames(entries.map(({ name }) => name));
  return entries.map((entry, index) => ({ ...entry, name: plainName(names[index] ?? entry.name) }));
};
