// TIFF files of a colour that is the same everywhere, whose directory says what it likes (TIFF 6.0, section 2).
import { deflateSync } from 'node:zlib';

const SHORT = 3;
const LONG = 4;
const ENTRY_BYTES = 12;
const DEFLATE = 8;

export interface TiffShape {
  readonly width: number;
  readonly height: number;
  readonly samples?: number;
  readonly bits?: number;
  readonly rowsPerStrip?: number;
  readonly tile?: readonly [width: number, height: number];
}

interface Tag {
  readonly id: number;
  readonly type: typeof SHORT | typeof LONG;
  readonly values: readonly number[];
}

const short = (id: number, ...values: readonly number[]): Tag => ({ id, type: SHORT, values });
const long = (id: number, ...values: readonly number[]): Tag => ({ id, type: LONG, values });

const packed = ({ type, values }: Tag): Buffer => {
  const bytes = Buffer.alloc(values.length * (type === SHORT ? 2 : 4));
  for (const [at, value] of values.entries()) {
    if (type === SHORT) bytes.writeUInt16LE(value, at * 2);
    else bytes.writeUInt32LE(value, at * 4);
  }
  return bytes;
};

/** The directory, with the values that do not fit into its entries behind it. */
const directory = (tags: readonly Tag[], start: number): Buffer => {
  const sorted = [...tags].sort((one, other) => one.id - other.id);
  const head = Buffer.alloc(2 + sorted.length * ENTRY_BYTES + 4);
  head.writeUInt16LE(sorted.length, 0);
  const behind: Buffer[] = [];
  let end = start + head.length;
  for (const [index, tag] of sorted.entries()) {
    const at = 2 + index * ENTRY_BYTES;
    head.writeUInt16LE(tag.id, at);
    head.writeUInt16LE(tag.type, at + 2);
    head.writeUInt32LE(tag.values.length, at + 4);
    const bytes = packed(tag);
    if (bytes.length <= 4) bytes.copy(head, at + 8);
    else {
      head.writeUInt32LE(end, at + 8);
      behind.push(bytes);
      end += bytes.length;
    }
  }
  return Buffer.concat([head, ...behind]);
};

/** All strips or tiles are the same bytes of the file. */
export const tiff = ({ width, height, samples = 4, bits = 8, rowsPerStrip = height, tile }: TiffShape): Buffer => {
  const pixels = tile === undefined ? width * rowsPerStrip : tile[0] * tile[1];
  const count =
    tile === undefined ? Math.ceil(height / rowsPerStrip) : Math.ceil(width / tile[0]) * Math.ceil(height / tile[1]);
  const data = deflateSync(Buffer.alloc((pixels * samples * bits) / 8), { level: 9 });
  const [at, lengths] = [Array.from({ length: count }, () => 8), Array.from({ length: count }, () => data.length)];
  const places =
    tile === undefined
      ? [long(273, ...at), long(278, rowsPerStrip), long(279, ...lengths)]
      : [long(322, tile[0]), long(323, tile[1]), long(324, ...at), long(325, ...lengths)];
  const tags = [
    long(256, width),
    long(257, height),
    short(258, ...Array.from({ length: samples }, () => bits)),
    short(259, DEFLATE),
    short(262, samples >= 3 ? 2 : 1),
    short(277, samples),
    ...(samples === 4 ? [short(338, 2)] : []),
    ...places,
  ];
  const padding = Buffer.alloc(data.length % 2);
  const start = 8 + data.length + padding.length;
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(start, 4);
  return Buffer.concat([head, data, padding, directory(tags, start)]);
};
