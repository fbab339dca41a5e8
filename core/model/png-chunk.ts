// A chunk of a PNG file: its length, type, content and checksum (PNG, 5.3).
import { crc32 } from 'node:zlib';

export const pngChunk = (type: string, data: Uint8Array): Buffer => {
  const out = Buffer.alloc(data.length + 12);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  out.set(data, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
};
