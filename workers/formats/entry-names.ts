// Names of zip entries as text. The standard says UTF-8 (when flagged) or CP437 (APPNOTE 4.4.4, appendix D); real archives also contain
// unflagged UTF-8 and Shift-JIS, which are distinguished by what the bytes can mean.

const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const LENIENT_UTF8 = new TextDecoder('utf-8');
const SHIFT_JIS = new TextDecoder('shift_jis', { fatal: true });
/** Kana and kanji; half-width kana only in a row, since one such byte alone is an accented letter or a line in other encodings. */
const JAPANESE = /[\u3041-\u30fa\u4e00-\u9fff]|[\uff70-\uff9f]{2}/;

const isAscii = (bytes: Uint8Array): boolean => {
  for (const byte of bytes) if (byte >= 0x80) return false;
  return true;
};

const decoded = (decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined; // not in this encoding: the answer, not a failure
  }
};

const cp437 = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : (CP437[byte - 0x80] ?? '\ufffd'))).join('');

const isLead = (byte: number): boolean => (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc);

/**
 * An accented CP437 letter followed by an ASCII letter also reads as one Shift-JIS character. In Japanese names many second bytes are
 * above 0x7F (or 0x5C, which would be a separator), in CP437 names hardly any.
 */
const looksShiftJis = (bytes: Uint8Array): boolean => {
  const text = decoded(SHIFT_JIS, bytes);
  if (text === undefined || !JAPANESE.test(text)) return false;
  let pairs = 0;
  let telling = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (!isLead(bytes[at] ?? 0)) continue;
    const second = bytes[at + 1] ?? 0;
    pairs += 1;
    telling += Number(second >= 0x80 || second === 0x5c);
    at += 1;
  }
  return telling * 3 >= pairs;
};

export interface RawName {
  readonly bytes: Uint8Array;
  readonly isUtf8: boolean;
  /** The Info-ZIP Unicode Path extra field, if its checksum matches the name. */
  readonly unicodePath: Uint8Array | null;
}

/** What an entry declares about its name; undefined when only the bytes themselves can tell. */
const statedName = ({ bytes, isUtf8, unicodePath }: RawName): string | undefined => {
  if (unicodePath !== null) return LENIENT_UTF8.decode(unicodePath);
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return isUtf8 ? LENIENT_UTF8.decode(bytes) : decoded(UTF8, bytes);
};

/** All names of an archive; those that are not UTF-8 in the one encoding that fits all of them. */
export const decodeNames = (names: readonly RawName[]): string[] => {
  const stated = names.map(statedName);
  const unknown = names.filter((_, index) => stated[index] === undefined).map(({ bytes }) => bytes);
  if (unknown.length === 0) return stated.map((name) => name ?? '');
  const isJapanese = looksShiftJis(Buffer.concat(unknown.flatMap((bytes) => [bytes, Buffer.from('/')])));
  return names.map(
    ({ bytes }, index) => stated[index] ?? (isJapanese ? decoded(SHIFT_JIS, bytes) : undefined) ?? cp437(bytes),
  );
};
