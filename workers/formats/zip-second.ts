// Reads what zip.ts cannot: entries compressed with Deflate64, and encrypted ones. Slower, through a library that is loaded with the first.
import {
  configure,
  type EntryGetDataOptions,
  ERR_INVALID_PASSWORD,
  ERR_UNSUPPORTED_COMPRESSION,
  ERR_UNSUPPORTED_ENCRYPTION,
  Uint8ArrayReader,
  ZipReader,
} from '@zip.js/zip.js';
import { AppError } from '../../core/model/errors.js';
import { inFile } from '../../core/model/page-address.js';
import { METHOD } from '../../core/model/page-table.js';
import { archivePasswords, noteOpened } from '../archive-passwords.js';
import type { BookFile } from '../book-file.js';
import type { Extent } from './format.js';
import { CENTRAL, CENTRAL_BYTES, END, LOCAL } from './zip-end.js';
import { extraField } from './zip-entry.js';

// This code already runs on a worker thread.
configure({ useWebWorkers: false });

const LOCAL_BYTES = 30;
const END_BYTES = 22;
/** The extra field of WinZip's encryption: version, vendor, strength, the actual compression method. */
const AES_FIELD = 0x9901;
const AES_BYTES = 7;
const AES_HEAD = Buffer.from([0x01, 0x99, AES_BYTES, 0]);
const NAME = Buffer.from('page');

/** `strong`: the encryption of PKWARE, which the library refuses (4.4.4). */
const FLAGS = { encrypted: 0x01, descriptor: 0x08, strong: 0x40 };
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

const unpackInto = async (bytes: Buffer, archive: Uint8Array, options: EntryGetDataOptions): Promise<void> => {
  const reader = new ZipReader(new Uint8ArrayReader(archive));
  const sink = sinkOf(bytes);
  try {
    const [entry] = await reader.getEntries();
    if (entry === undefined || entry.directory) throw new Error('The entry is missing.');
    await entry.getData(sink.writable, options);
  } finally {
    await reader.close();
  }
  if (sink.length() !== bytes.length) throw damaged('it is shorter than the archive says');
};

const unpacked = async (raw: Raw): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafeSlow(raw.size);
  await unpackInto(bytes, archiveOf(raw, 0), {}).catch((thrown: unknown) => {
    throw thrown instanceof AppError ? thrown : damaged('its compressed data cannot be unpacked', thrown);
  });
  return bytes;
};

const locked = (why: string, cause?: unknown): AppError =>
  new AppError('EncryptedArchive', `The page is encrypted, ${why}.`, null, cause);

/** Nothing that another password could change. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  [ERR_UNSUPPORTED_ENCRYPTION, 'in a way that Longbox cannot read'],
  [ERR_UNSUPPORTED_COMPRESSION, 'and compressed in a way that Longbox cannot read'],
]);

const isWrongPassword = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message === ERR_INVALID_PASSWORD;

/** The formats do not say how a password becomes bytes: most programs use UTF-8, some older ones Latin-1. */
const bytesOfPassword = (password: string): readonly Buffer[] => {
  const [utf8, latin1] = [Buffer.from(password), Buffer.from(password, 'latin1')];
  return utf8.equals(latin1) || latin1.toString('latin1') !== password ? [utf8] : [utf8, latin1];
};

/**
 * A wrong password passes the check of the older encryption once in 256 times, that of AES once in 65,536 times: only the checksum of the
 * content decides. So content that AES takes a password for, and that is wrong all the same, is damaged.
 */
const decrypted = async (raw: Raw): Promise<Buffer> => {
  const archive = archiveOf(raw, FLAGS.encrypted | FLAGS.strong | FLAGS.descriptor);
  const bytes = Buffer.allocUnsafeSlow(raw.size);
  let cause: unknown;
  let isDamaged = false;
  for (const password of archivePasswords())
    for (const rawPassword of bytesOfPassword(password)) {
      try {
        await unpackInto(bytes, archive, { rawPassword, checkSignature: true });
        noteOpened(password);
        return bytes;
      } catch (thrown) {
        const unsupported = thrown instanceof Error ? UNSUPPORTED.get(thrown.message) : undefined;
        if (unsupported !== undefined) throw locked(unsupported, thrown);
        isDamaged ||= raw.extra.length > 0 && !isWrongPassword(thrown);
        cause = thrown;
      }
    }
  if (isDamaged) throw damaged('its encrypted data cannot be unpacked', cause);
  throw locked('and none of the passwords in archive.passwords opens it', cause);
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
  if (method !== METHOD.encrypted) return unpacked({ header, extra: nothing, packed, size, crc: 0 });
  const aes = extraField(file.read(extraAt, start - extraAt), AES_FIELD);
  const extra = aes === null ? nothing : Buffer.concat([AES_HEAD, aes.subarray(0, AES_BYTES)]);
  return decrypted({ header, extra, packed, size, crc: crcOf(file, header, start + packedSize) });
};
