// Writes zip and RAR 4 archives byte by byte, so that names, flags and modes can be whatever real tools have written.
import { crc32 } from 'node:zlib';

export interface OddEntry {
  readonly name: Uint8Array;
  readonly bytes: Uint8Array;
  /** General purpose flags of zip. */
  readonly flags?: number;
  /** The system that made it, and its attributes, as in a zip directory. */
  readonly system?: number;
  readonly attributes?: number;
  readonly extra?: Uint8Array;
}

const bytesOf = (...fields: readonly (readonly [value: number, bytes: 1 | 2 | 4])[]): Buffer =>
  Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );

const localOf = ({ name, bytes, flags = 0 }: OddEntry): Buffer =>
  Buffer.concat([
    bytesOf([0x04034b50, 4], [20, 2], [flags, 2], [0, 2], [0x5a210000, 4], [crc32(bytes), 4]),
    bytesOf([bytes.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]),
    name,
    bytes,
  ]);

const recordOf = (entry: OddEntry, offset: number): Buffer => {
  const { name, bytes, flags = 0, system = 0, attributes = 0, extra = new Uint8Array() } = entry;
  return Buffer.concat([
    bytesOf([0x02014b50, 4], [20, 1], [system, 1], [20, 2], [flags, 2], [0, 2], [0x5a210000, 4], [crc32(bytes), 4]),
    bytesOf([bytes.length, 4], [bytes.length, 4], [name.length, 2], [extra.length, 2], [0, 2], [0, 2], [0, 2]),
    bytesOf([attributes, 4], [offset, 4]),
    name,
    extra,
  ]);
};

/** All entries are stored. */
export const writeOddZip = (entries: readonly OddEntry[]): Buffer => {
  const locals = entries.map(localOf);
  let offset = 0;
  const records = entries.map((entry, index) => {
    const record = recordOf(entry, offset);
    offset += locals[index]?.length ?? 0;
    return record;
  });
  const directory = Buffer.concat(records);
  const count = entries.length;
  const end = bytesOf([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [directory.length, 4], [offset, 4]);
  return Buffer.concat([...locals, directory, end, Buffer.alloc(2)]);
};

/** A block of RAR 4: the low half of the CRC-32 of what follows it, then type, flags and length. */
const blockOf = (type: number, flags: number, rest: Uint8Array): Buffer => {
  const body = Buffer.concat([bytesOf([type, 1], [flags, 2], [7 + rest.length, 2]), rest]);
  return Buffer.concat([bytesOf([crc32(body) & 0xffff, 2]), body]);
};

const RAR4 = Buffer.from('Rar!\x1a\x07\0', 'latin1');

/** Stored entries whose names are bytes of no declared encoding. */
export const writeRar4 = (entries: readonly OddEntry[]): Buffer =>
  Buffer.concat([
    RAR4,
    blockOf(0x73, 0, Buffer.alloc(6)),
    ...entries.flatMap(({ name, bytes }) => [
      blockOf(
        0x74,
        0x8000,
        Buffer.concat([
          bytesOf([bytes.length, 4], [bytes.length, 4], [0, 1], [crc32(bytes), 4], [0x5a210000, 4], [20, 1], [0x30, 1]),
          bytesOf([name.length, 2], [0x20, 4]),
          name,
        ]),
      ),
      Buffer.from(bytes),
    ]),
    blockOf(0x7b, 0x4000, Buffer.alloc(0)),
  ]);
