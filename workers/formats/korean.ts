// Korean text as Windows writes it (code page 949): EUC-KR, and the syllables that EUC-KR lacks, which the decoder of this runtime does not
// know either. They fill the free pairs in the order of Unicode.
const EUC_KR = new TextDecoder('euc-kr', { fatal: true });
const SYLLABLES = { first: 0xac00, last: 0xd7a3 } as const;

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

const TRAILS = [...range(0x41, 0x5a), ...range(0x61, 0x7a), ...range(0x81, 0xfe)];
const isInEucKr = (trail: number): boolean => trail >= 0xa1;

const keyOf = (lead: number, trail: number): number => lead * 256 + trail;

const makeTable = (): ReadonlyMap<number, string> => {
  const known = new Set(
    range(0xb0, 0xc8).flatMap((lead) => range(0xa1, 0xfe).map((trail) => EUC_KR.decode(Uint8Array.of(lead, trail)))),
  );
  const missing = range(SYLLABLES.first, SYLLABLES.last).map((code) => String.fromCharCode(code));
  const rest = missing.filter((char) => !known.has(char));
  const pairs = range(0x81, 0xc6).flatMap((lead) =>
    TRAILS.filter((trail) => lead <= 0xa0 || !isInEucKr(trail)).map((trail) => keyOf(lead, trail)),
  );
  return new Map(rest.map((char, at) => [pairs[at] ?? 0, char]));
};

let table: ReadonlyMap<number, string> | null = null;

const pairOf = (bytes: Uint8Array, at: number): string | undefined => {
  const [lead = 0, trail = 0] = bytes.subarray(at, at + 2);
  if (lead >= 0xa1 && isInEucKr(trail)) return EUC_KR.decode(bytes.subarray(at, at + 2));
  table ??= makeTable();
  return table.get(keyOf(lead, trail));
};

/** Undefined where the bytes are not Korean text. */
export const decodeKorean = (bytes: Uint8Array): string | undefined => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      text += String.fromCharCode(byte);
      continue;
    }
    try {
      const char = pairOf(bytes, at);
      if (char === undefined) return undefined;
      text += char;
    } catch {
      return undefined; // not in this encoding: the answer, not a failure
    }
    at += 1;
  }
  return text;
};
