// Reads what zip.ts cannot: entries compressed with Deflate64, and encrypted ones. Slower, through a library that is loaded with the first such entry.
import { configure, type EntryGetDataOptions, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js';
import { AppError } from '../../core/model/errors.js';
import { inFile } from '../../core/model/page-address.js';
import { METHOD } from '../../core/model/page-table.js';
import { archivePasswords, noteOpened } from '../archive-passwords.js';
import type { BookFile } from '../book-file.js';
import type { Extent } from './format.js';
import { CENTRAL, CENTRAL_BYTES, END, LOCAL } from './zip-end.js';
import { extraField } from './zip-entry.js';

// This is a thread of its own already.
configure({ useWebWorkers: false });

const LOCAL_BYTES = 30;
const END_BYTES = 22;
/** What WinZip's encryption says of itself: version, vendor, strength, the method beneath. */
const AES_FIELD = 0x9901;
const AES_BYTES = 7;
const AES_HEAD = Buffer.from([0x01, 0x99, AES_BYTES, 0]);
const NAME = Buffer.from('page');

const FLAGS = { encrypted: 1, descriptor: 8 };
const DESCRIPTOR = 0x08074b50;

/** An entry as it lies in the file. */
interface Raw {
  readonly header: Buffer;
  readonly extra: Buffer;
  readonly packed: Buffer;
  readonly size: number;
  readonly crc: number;
}

/** An archive that holds nothing but this entry: the library reads whole archives, and the directory of a book may be long. */
const archiveOf = ({ header, extra, packed, size, crc }: Raw, keptFlags: number): Uint8Array => {
  // The library demands that both records agree, so sizes stand in both, whatever the header says (APPNOTE 4.3.7, 4.3.12).
  const local = Buffer.alloc(LOCAL_BYTES);
  header.copy(local, 0, 0, 14);
  local.writeUInt16LE(header.readUInt16LE(6) & keptFlags, 6);
  local.writeUInt32LE(crc, 14);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(size, 22);
  local.writeUInt16LE(NAME.length, 26);
  local.writeUInt16LE(extra.length, 28);
  const central = Buffer.alloc(CENTRAL_BYTES);
  central.writeUInt32LE(CENTRAL, 0);
  local.copy(central, 6, 4, LOCAL_BYTES);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(CENTRAL_BYTES + NAME.length + extra.length, 12);
  end.writeUInt32LE(LOCAL_BYTES + NAME.length + extra.length + packed.length, 16);
  return Buffer.concat([local, NAME, extra, packed, central, NAME, extra, end]);
};

/** Takes as many bytes as the archive declares, and no more. */
const sinkOf = (bytes: Buffer): { readonly writable: WritableStream<Uint8Array>; readonly length: () => number } => {
  let length = 0;
  const writable = new WritableStream<Uint8Array>({
    write: (part) => {
      if (length + part.length > bytes.length) throw new Error('More bytes than declared.');
      bytes.set(part, length);
      length += part.length;
    },
  });
  return { writable, length: () => length };
};

const damaged = (why: string, cause?: unknown): AppError =>
  new AppError('CorruptPage', `The page is damaged: ${why}.`, null, cause);

const unpacked = async (archive: Uint8Array, size: number, options: EntryGetDataOptions): Promise<Buffer> => {
  const reader = new ZipReader(new Uint8ArrayReader(archive));
  const bytes = Buffer.allocUnsafeSlow(size);
  const sink = sinkOf(bytes);
  try {
    const [entry] = await reader.getEntries();
    if (entry === undefined || entry.directory) throw new Error('The entry is missing.');
    await entry.getData(sink.writable, options);
  } catch (thrown) {
    throw damaged('its compressed data cannot be unpacked', thrown);
  } finally {
    await reader.close();
  }
  if (sink.length() !== size) throw damaged('it is shorter than the archive says');
  return bytes;
};

/** A wrong password may pass the short check that the formats have, so only the checksum of the content decides. */
const decrypted = async (raw: Raw): Promise<Buffer> => {
  const archive = archiveOf(raw, FLAGS.encrypted | FLAGS.descriptor);
  let last: unknown;
  for (const password of archivePasswords()) {
    try {
      const bytes = await unpacked(archive, raw.size, { password, checkSignature: true });
      noteOpened(password);
      return bytes;
    } catch (thrown) {
      last = thrown;
    }
  }
  throw damaged('it is encrypted, and none of the passwords in archive.passwords opens it', last);
};

/** After the content, where the header leaves it open (4.3.9). */
const crcOf = (file: BookFile, header: Buffer, end: number): number => {
  if ((header.readUInt16LE(6) & FLAGS.descriptor) === 0 || end + 8 > file.size) return header.readUInt32LE(14);
  const after = file.read(end, 8);
  return after.readUInt32LE(0) === DESCRIPTOR ? after.readUInt32LE(4) : after.readUInt32LE(0);
};

/** The whole content of an entry. Another signature at its place means that the file is damaged, or has changed since it was listed. */
export const readEntry = async (file: BookFile, { address, packedSize, size, method }: Extent): Promise<Uint8Array> => {
  const { offset } = inFile({ address });
  const isInside = offset + LOCAL_BYTES + packedSize <= file.size;
  const header = isInside ? file.read(offset, LOCAL_BYTES) : Buffer.alloc(0);
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL) throw damaged('its header is missing');
  const extraAt = offset + LOCAL_BYTES + header.readUInt16LE(26);
  const start = extraAt + header.readUInt16LE(28);
  if (start + packedSize > file.size) throw damaged('it lies outside the file');
  const packed = file.read(start, packedSize);
  const nothing = Buffer.alloc(0);
  if (method !== METHOD.encrypted)
    return unpacked(archiveOf({ header, extra: nothing, packed, size, crc: 0 }, 0), size, {});
  const aes = extraField(file.read(extraAt, start - extraAt), AES_FIELD);
  const extra = aes === null ? nothing : Buffer.concat([AES_HEAD, aes.subarray(0, AES_BYTES)]);
  return decrypted({ header, extra, packed, size, crc: crcOf(file, header, start + packedSize) });
};
