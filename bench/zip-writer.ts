// Writes zip files: enough of the format for benches and tests, with full control over every part. Same input, same bytes.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipItem {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isDeflated?: boolean;
}

const header = (item: ZipItem, packed: Uint8Array, central: boolean, offset: number): Buffer => {
  const name = Buffer.from(item.name);
  const at = central ? 4 : 0;
  const out = Buffer.alloc((central ? 46 : 30) + name.length);
  out.writeUInt32LE(central ? 0x02014b50 : 0x04034b50, 0);
  if (central) out.writeUInt16LE(20, 4);
  out.writeUInt16LE(20, 4 + (central ? 2 : 0));
  const fields = central ? 8 : 6;
  out.writeUInt16LE(0x0800, fields);
  out.writeUInt16LE(item.isDeflated === true ? 8 : 0, fields + 2);
  out.writeUInt16LE(0, fields + 4);
  out.writeUInt16LE(0x5a21, fields + 6);
  out.writeUInt32LE(crc32(item.bytes), 14 + at - (central ? 2 : 0));
  out.writeUInt32LE(packed.length, 18 + at - (central ? 2 : 0));
  out.writeUInt32LE(item.bytes.length, 22 + at - (central ? 2 : 0));
  out.writeUInt16LE(name.length, 26 + at - (central ? 2 : 0));
  if (central) out.writeUInt32LE(offset, 42);
  name.copy(out, central ? 46 : 30);
  return out;
};

export const writeZip = (items: readonly ZipItem[]): Buffer => {
  const parts: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const item of items) {
    const packed = item.isDeflated === true ? deflateRawSync(item.bytes) : item.bytes;
    const local = header(item, packed, false, 0);
    directory.push(header(item, packed, true, position));
    parts.push(local, packed);
    position += local.length + packed.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(items.length, 8);
  end.writeUInt16LE(items.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([...parts, ...directory, end]);
};
