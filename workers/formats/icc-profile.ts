// Whether a colour profile (ICC.1) describes what images without one are shown in: sRGB, or grey with the same curve.

const HEADER_BYTES = 128;
const ENTRY_BYTES = 12;
const TAGS_MAX = 100;
const SPACE_AT = 16;

/** Where red, green and blue of sRGB lie in the profile connection space. */
const SRGB: Readonly<Record<string, readonly [x: number, y: number, z: number]>> = {
  rXYZ: [0.436, 0.2225, 0.0139],
  gXYZ: [0.3851, 0.7169, 0.0971],
  bXYZ: [0.1431, 0.0606, 0.7141],
};
const COLOUR_SLACK = 0.004;
/** What sRGB makes of half. */
const HALF = 0.214;
const CURVE_SLACK = 0.02;

const name = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4);

const fixedAt = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) / 65536;

const tagsOf = (bytes: Buffer): ReadonlyMap<string, number> => {
  const count = Math.min(bytes.readUInt32BE(HEADER_BYTES), TAGS_MAX);
  const entries = Array.from({ length: count }, (_, index) => HEADER_BYTES + 4 + index * ENTRY_BYTES);
  return new Map(entries.map((at) => [name(bytes, at), bytes.readUInt32BE(at + 4)]));
};

/** What a curve makes of half; undefined for kinds that are not read here. */
const halfOf = (bytes: Buffer, at: number): number | undefined => {
  if (name(bytes, at) === 'curv') {
    const count = bytes.readUInt32BE(at + 8);
    if (count === 0) return 0.5;
    if (count === 1) return 0.5 ** (bytes.readUInt16BE(at + 12) / 256);
    return bytes.readUInt16BE(at + 12 + Math.floor(count / 2) * 2) / 65535;
  }
  if (name(bytes, at) !== 'para') return undefined;
  const kind = bytes.readUInt16BE(at + 8);
  const gamma = fixedAt(bytes, at + 12);
  if (kind === 0) return 0.5 ** gamma;
  return kind === 3 ? (fixedAt(bytes, at + 16) * 0.5 + fixedAt(bytes, at + 20)) ** gamma : undefined;
};

const hasCurve = (bytes: Buffer, at: number | undefined): boolean =>
  at !== undefined && Math.abs((halfOf(bytes, at) ?? 0) - HALF) <= CURVE_SLACK;

const isPlain = (bytes: Buffer): boolean => {
  const tags = tagsOf(bytes);
  const space = name(bytes, SPACE_AT);
  if (space === 'GRAY') return hasCurve(bytes, tags.get('kTRC'));
  if (space !== 'RGB ' || tags.has('A2B0')) return false;
  const isSame = Object.entries(SRGB).every(([tag, wanted]) => {
    const at = tags.get(tag);
    return (
      at !== undefined && wanted.every((one, axis) => Math.abs(fixedAt(bytes, at + 8 + axis * 4) - one) <= COLOUR_SLACK)
    );
  });
  return isSame && ['rTRC', 'gTRC', 'bTRC'].every((tag) => hasCurve(bytes, tags.get(tag)));
};

/** False for a damaged profile too. */
export const isPlainProfile = (profile: Uint8Array): boolean => {
  try {
    return isPlain(Buffer.from(profile.buffer, profile.byteOffset, profile.length));
  } catch (thrown) {
    if (thrown instanceof RangeError) return false; // it ends before what it refers to
    throw thrown;
  }
};

const MARK = Buffer.from('ICC_PROFILE\0', 'latin1');
const APP2 = 0xe2;
const SCAN = 0xda;

/** True when a JPEG has no profile of its own, or one that changes nothing: viewers obey it, PDF readers do not. */
export const hasPlainProfile = (jpeg: Uint8Array): boolean => {
  const bytes = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.length);
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== SCAN; ) {
    if (bytes[at + 1] === 0xff) {
      at += 1; // padding
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const content = bytes.subarray(at + 4, end);
    if (bytes[at + 1] === APP2 && content.subarray(0, MARK.length).equals(MARK)) {
      const [index, count] = [content[MARK.length], content[MARK.length + 1]];
      return index === 1 && count === 1 && isPlainProfile(content.subarray(MARK.length + 2));
    }
    at = end;
  }
  return true;
};
