// Writes tar archives header by header, also such as no program writes: every field can be given as bytes.
import { TAR_BLOCK_BYTES, TAR_FIELD, tarPadding, tarSum } from '../core/model/tar-header.js';

export interface TarItem {
  readonly name: string | Buffer;
  readonly bytes?: Uint8Array;
  /** `0`, a file, unless it says otherwise. */
  readonly type?: string;
  readonly link?: string;
  readonly prefix?: string;
  /** The field as it is, in place of the number of bytes. */
  readonly size?: string | Buffer;
  /** `ustar` unless it says otherwise. */
  readonly magic?: string;
  /** The sum as old programs count it. */
  readonly isSigned?: boolean;
  readonly hasWrongSum?: boolean;
}

const negatives = (header: Buffer): number => header.filter((byte) => byte >= 0x80).length;

export const tarHeader = (item: TarItem): Buffer => {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  const put = (field: keyof typeof TAR_FIELD, value: string | Buffer): void => {
    const [at, length] = TAR_FIELD[field];
    Buffer.from(value as string).copy(header, at, 0, length);
  };
  put('name', item.name);
  put('mode', '0000644\0');
  put('size', item.size ?? `${(item.bytes?.length ?? 0).toString(8).padStart(11, '0')}\0`);
  put('mtime', '00000000000\0');
  put('type', item.type ?? '0');
  put('link', item.link ?? '');
  put('magic', item.magic ?? 'ustar\u000000');
  put('prefix', item.prefix ?? '');
  const sum = tarSum(header) - (item.isSigned === true ? 256 * negatives(header) : 0) + (item.hasWrongSum ? 1 : 0);
  put('sum', `${sum.toString(8).padStart(6, '0')}\0 `);
  return header;
};

export const tarEntry = (item: TarItem): Buffer => {
  const { bytes = Buffer.alloc(0) } = item;
  return Buffer.concat([tarHeader(item), bytes, Buffer.alloc(tarPadding(bytes.length))]);
};

export const TAR_END = Buffer.alloc(2 * TAR_BLOCK_BYTES);

export const writeTar = (items: readonly TarItem[]): Buffer => Buffer.concat([...items.map(tarEntry), TAR_END]);

/** An extended header (pax) with these records. */
export const paxHeader = (records: Readonly<Record<string, string>>, type = 'x'): TarItem => {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + String(rest).length;
    if (String(length).length > String(rest).length) length = rest + String(length).length;
    return `${length} ${key}=${value}\n`;
  });
  return { name: 'PaxHeaders/x', type, bytes: Buffer.from(lines.join('')) };
};

/** Right checksums in all places where an archive has headers, as far as it can be followed after a change. */
export const withTarSums = (bytes: Uint8Array): Buffer => {
  const out = Buffer.from(bytes);
  for (let at = 0; at + TAR_BLOCK_BYTES <= out.length; ) {
    const header = out.subarray(at, at + TAR_BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) break;
    header.write(`${tarSum(header).toString(8).padStart(6, '0')}\0 `, TAR_FIELD.sum[0], 'latin1');
    const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
    at += TAR_BLOCK_BYTES + (size >= 0 ? size + tarPadding(size) : 0);
  }
  return out;
};
