// Parts of PNG files (https://www.w3.org/TR/png-3/).
import { crc32 } from 'node:zlib';

/** A chunk: its length, type, content and checksum. */
export const chunk = (type: string, body: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(body.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
};
