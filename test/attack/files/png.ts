// PNG files of black pixels that cost nothing to write, of any size, and PNG files with whatever chunks before their pixels.
import { constants, createDeflate } from 'node:zlib';
import { chunk } from '../../png.js';

export interface PngShape {
  readonly width: number;
  readonly height: number;
  readonly depth?: 1 | 8 | 16;
  readonly colour?: 0 | 2 | 3 | 4 | 6;
  readonly isInterlaced?: boolean;
  /** Chunks between the header and the pixels. */
  readonly before?: readonly Buffer[];
}

const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;
/** Where the pixels of each pass begin, and how far they are apart (PNG, 8.2). */
export const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const PIECE_BYTES = 1024 * 1024;

/** So many zeros, packed without ever being in memory together. */
export const packedZeros = async (bytes: number): Promise<Buffer> => {
  const deflate = createDeflate({ level: constants.Z_BEST_COMPRESSION });
  const out: Buffer[] = [];
  deflate.on('data', (piece: Buffer) => out.push(piece));
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let left = bytes; left > 0; left -= PIECE_BYTES) {
    if (!deflate.write(left < PIECE_BYTES ? piece.subarray(0, left) : piece))
      await new Promise((resolve) => deflate.once('drain', resolve));
  }
  await new Promise<void>((resolve) => {
    deflate.once('end', resolve);
    deflate.end();
  });
  return Buffer.concat(out);
};

const rowsBytes = (width: number, height: number, pixelBytes: number): number =>
  width === 0 ? 0 : height * (1 + Math.ceil(width * pixelBytes));

export const png = async (shape: PngShape): Promise<Buffer> => {
  const { width, height, depth = 8, colour = 6, isInterlaced = false, before = [] } = shape;
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, colour, 0, 0, Number(isInterlaced)]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const pixelBytes = (SAMPLES[colour] * depth) / 8;
  const bytes = isInterlaced
    ? ADAM7.reduce((sum, [left, top, across, down]) => {
        const columns = Math.max(0, Math.ceil((width - left) / across));
        return sum + rowsBytes(columns, Math.max(0, Math.ceil((height - top) / down)), pixelBytes);
      }, 0)
    : rowsBytes(width, height, pixelBytes);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(colour === 3 ? [chunk('PLTE', Buffer.alloc(768))] : []),
    ...before,
    chunk('IDAT', await packedZeros(bytes)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** Texts of so many zeros each. */
export const bombTexts = async (count: number, bytes: number, type: 'zTXt' | 'iTXt'): Promise<Buffer[]> => {
  const head = type === 'zTXt' ? 'Comment\0\0' : 'XML:com.adobe.xmp\0\x01\0\0\0';
  const text = chunk(type, Buffer.concat([Buffer.from(head, 'latin1'), await packedZeros(bytes)]));
  return Array.from({ length: count }, () => text);
};

export const bombProfile = async (bytes: number): Promise<Buffer> =>
  chunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), await packedZeros(bytes)]));
