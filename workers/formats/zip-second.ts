// Reads what zip.ts cannot: entries compressed with Deflate64. Slower, through a library that is loaded with the first such entry.
import { configure, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js';
import { AppError } from '../../core/model/errors.js';
import { inFile } from '../../core/model/page-address.js';
import type { BookFile } from '../book-file.js';
import type { Extent } from './format.js';
import { CENTRAL, CENTRAL_BYTES, END, LOCAL } from './zip-end.js';

// This is a thread of its own already.
configure({ useWebWorkers: false });

const LOCAL_BYTES = 30;
const END_BYTES = 22;
const NAME = Buffer.from('page');

/** An archive that holds nothing but this entry: the library reads whole archives, and the directory of a book may be long. */
const archiveOf = (header: Buffer, packed: Buffer, size: number): Uint8Array => {
  // The library demands that both records agree, so sizes stand in both, whatever the header says (APPNOTE 4.3.7, 4.3.12).
  const local = Buffer.alloc(LOCAL_BYTES + NAME.length);
  header.copy(local, 0, 0, 6);
  header.copy(local, 8, 8, 10);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(size, 22);
  local.writeUInt16LE(NAME.length, 26);
  NAME.copy(local, LOCAL_BYTES);
  const central = Buffer.alloc(CENTRAL_BYTES + NAME.length);
  central.writeUInt32LE(CENTRAL, 0);
  local.copy(central, 6, 4, LOCAL_BYTES);
  NAME.copy(central, CENTRAL_BYTES);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + packed.length, 16);
  return Buffer.concat([local, packed, central, end]);
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

const unpacked = async (archive: Uint8Array, size: number): Promise<Buffer> => {
  const reader = new ZipReader(new Uint8ArrayReader(archive));
  const bytes = Buffer.allocUnsafeSlow(size);
  const sink = sinkOf(bytes);
  try {
    const [entry] = await reader.getEntries();
    if (entry === undefined || entry.directory) throw new Error('The entry is missing.');
    await entry.getData(sink.writable);
  } catch (thrown) {
    throw new AppError('CorruptPage', 'The page is damaged: its compressed data cannot be unpacked.', null, thrown);
  } finally {
    await reader.close();
  }
  if (sink.length() !== size)
    throw new AppError('CorruptPage', 'The page is damaged: it is shorter than the archive says.');
  return bytes;
};

/** The whole content of an entry. Another signature at its place means that the file is damaged, or has changed since it was listed. */
export const readEntry = async (file: BookFile, { address, packedSize, size }: Extent): Promise<Uint8Array> => {
  const { offset } = inFile({ address });
  const isInside = offset + LOCAL_BYTES + packedSize <= file.size;
  const header = isInside ? file.read(offset, LOCAL_BYTES) : Buffer.alloc(0);
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL)
    throw new AppError('CorruptPage', 'The page is damaged: its header is missing.');
  const start = offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (start + packedSize > file.size)
    throw new AppError('CorruptPage', 'The page is damaged: it lies outside the file.');
  return unpacked(archiveOf(header, file.read(start, packedSize), size), size);
};
