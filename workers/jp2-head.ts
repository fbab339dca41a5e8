// The size of a JPEG 2000 image as its decoder sees it: in the codestream (ISO/IEC 15444-1, A.5.1), whatever the boxes around it say.

/** Start of codestream, then the marker of the size segment. */
export const SIZ = Buffer.from('ff4fff51', 'hex');
/** Offsets from the start of the codestream. */
const AT = { right: 8, bottom: 12, left: 16, top: 20, tileWidth: 24, tileHeight: 28, components: 40 };
const SEGMENT_BYTES = 42;

/** Peak of the decoder with its copies, for up to four components; each further one is decoded too. */
const PIXEL_BYTES = 18;
const USUAL_COMPONENTS = 4;
const COMPONENT_BYTES = 4;
/** Of the decoder's table of tiles, and in each for each component. */
const TILE_BYTES = 6 * 1024;
const TILE_COMPONENT_BYTES = 1100;

interface Codestream {
  readonly width: number;
  readonly height: number;
  /** All that decoding it takes. */
  readonly bytes: number;
  /** Of these, what its tiles take besides their pixels. */
  readonly tiles: number;
}

const codestreamAt = (file: Buffer, at: number): Codestream => {
  const of = (offset: number): number => file.readUInt32BE(at + offset);
  const [width, height] = [of(AT.right) - of(AT.left), of(AT.bottom) - of(AT.top)];
  const components = file.readUInt16BE(at + AT.components);
  const across = Math.ceil(of(AT.right) / Math.max(1, of(AT.tileWidth)));
  const down = Math.ceil(of(AT.bottom) / Math.max(1, of(AT.tileHeight)));
  const pixelBytes = PIXEL_BYTES + Math.max(0, components - USUAL_COMPONENTS) * COMPONENT_BYTES;
  const tiles = across * down > 1 ? across * down * (TILE_BYTES + components * TILE_COMPONENT_BYTES) : 0;
  return {
    width,
    height,
    bytes: Math.max(0, width) * Math.max(0, height) * pixelBytes + tiles,
    tiles,
  };
};

/** The one that takes most, should the file have several; undefined where there is none. */
const largest = (bytes: Uint8Array): Codestream | undefined => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let found: Codestream | undefined;
  for (let at = file.indexOf(SIZ); at >= 0 && at + SEGMENT_BYTES <= file.length; at = file.indexOf(SIZ, at + 1)) {
    const one = codestreamAt(file, at);
    if (found === undefined || one.bytes > found.bytes) found = one;
  }
  return found;
};

export const jp2Size = (bytes: Uint8Array): Pick<Codestream, 'width' | 'height'> | undefined => largest(bytes);

/** What decoding the whole of it takes. */
export const jp2Bytes = (bytes: Uint8Array): Pick<Codestream, 'bytes' | 'tiles'> =>
  largest(bytes) ?? { bytes: 0, tiles: 0 };

export const jp2PixelBytes = (bytes: Uint8Array): number => {
  const found = largest(bytes);
  return found === undefined ? PIXEL_BYTES : found.bytes / Math.max(1, found.width * found.height);
};
