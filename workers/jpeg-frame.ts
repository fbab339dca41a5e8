// The frame of a JPEG: what decoding it holds in memory depends on how its samples are stored.

const SOS = 0xda;
const SOF = { first: 0xc0, last: 0xcf };
/** Frames in several passes: all coefficients are held until the last. With Huffman codes and with arithmetic ones. */
const PROGRESSIVE: ReadonlySet<number> = new Set([0xc2, 0xca]);
/** In the same range as frame markers, but not frame markers. */
const NO_FRAME: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);
/** After the marker: length, depth, two sides, number of components; then three bytes for each component. */
const COMPONENTS_AT = 9;
const COMPONENT_BYTES = 3;
const COEFFICIENT_BYTES = 2;

export interface JpegFrame {
  readonly components: number;
  /** Coefficients held until the last pass, in bytes per pixel; 0 where lines are decoded one after the other. */
  readonly heldBytes: number;
}

const UNKNOWN: JpegFrame = { components: 4, heldBytes: 4 * COEFFICIENT_BYTES };

/** Bytes per pixel of all coefficients of a frame. */
const coefficientsAt = (bytes: Uint8Array, at: number): number => {
  const components = bytes[at + COMPONENTS_AT] ?? 0;
  const factors = Array.from({ length: components }, (_, index) => {
    const packed = bytes[at + COMPONENTS_AT + 2 + index * COMPONENT_BYTES] ?? 0x11;
    return { across: Math.max(1, packed >> 4), down: Math.max(1, packed & 15) };
  });
  const across = Math.max(1, ...factors.map((factor) => factor.across));
  const down = Math.max(1, ...factors.map((factor) => factor.down));
  const samples = factors.reduce((sum, factor) => sum + (factor.across * factor.down) / (across * down), 0);
  return samples * COEFFICIENT_BYTES;
};

const isFrame = (marker: number): boolean => marker >= SOF.first && marker <= SOF.last && !NO_FRAME.has(marker);

/** By its frame marker, which comes after other segments, and the scan that follows: one of some components means that there are more scans. */
export const jpegFrame = (bytes: Uint8Array): JpegFrame => {
  let frame: number | null = null;
  for (let at = 2; at + COMPONENTS_AT < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker)) frame ??= at;
    if (marker === SOS && frame !== null) {
      const components = bytes[frame + COMPONENTS_AT] ?? 0;
      const isInPasses = PROGRESSIVE.has(bytes[frame + 1] ?? 0) || (bytes[at + 4] ?? 0) < components;
      return { components, heldBytes: isInPasses ? coefficientsAt(bytes, frame) : 0 };
    }
    at += marker === 0xff ? 1 : 2 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
  }
  return UNKNOWN;
};

const APP1 = 0xe1;
/** Frames of Huffman codes: baseline, extended, progressive. */
const SIZED: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
/** After the marker: length, depth, then both sides. */
const SIDES_END = 9;

/**
 * The size of a JPEG that is made of whole segments and has no EXIF data, which could rotate it: most pages are such. Null for any other, which
 * the header parser reads in ten times as long.
 */
export const sizeOfPlainJpeg = (bytes: Buffer): { readonly width: number; readonly height: number } | null => {
  for (let at = 2; at + SIDES_END <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === APP1 || marker === 0xff) return null;
    if (SIZED.has(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return null;
};
