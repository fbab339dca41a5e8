// The image of a blank page: a document of an EPUB without an image, which keeps the pages after it on their side of a spread.
import { deflateSync } from 'node:zlib';
import { pngChunk } from './png-chunk.js';

/** A larger one looks the same and only takes time. */
const SIDE_MAX = 1024;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** If no page of the book has a known size. */
const USUAL: Size = { width: 1000, height: 1500 };

/** In the proportions of the neighbouring page. */
export const blankSize = (neighbour: Size | undefined): Size => {
  const { width, height } = neighbour ?? USUAL;
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

/** A PNG with one bit per pixel. */
export const blankPage = ({ width, height }: Size): Uint8Array<ArrayBuffer> => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8);
  const lineBytes = 1 + Math.ceil(width / 8);
  const lines = Buffer.alloc(lineBytes * height, 0xff);
  for (let y = 0; y < height; y += 1) lines.writeUInt8(0, y * lineBytes); // no filter
  const parts = [
    SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(lines)),
    pngChunk('IEND', Buffer.alloc(0)),
  ];
  return new Uint8Array(Buffer.concat(parts));
};
