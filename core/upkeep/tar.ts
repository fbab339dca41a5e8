// Tar files (POSIX ustar) of plain files: written as a stream that hashes what it writes, and walked strictly. Sizes beyond 8 GB are
// written as GNU tar, bsdtar and Python write them (base 256).
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../model/errors.js';
import { READ_FLAGS } from '../model/held-place.js';
import {
  TAR_BLOCK_BYTES as BLOCK,
  beginsAsTar,
  TAR_FIELD as FIELD,
  hasTarSum,
  tarPadding as padding,
  tarSize,
  tarSum,
  tarText,
} from '../model/tar-header.js';

const CHUNK_BYTES = 256 * 1024;
const OCTAL_MAX = 8 ** 11;
const NAME_MAX = 100;
const MAGIC = 'ustar\u000000';
const PLAIN_FILE = '0';

export interface Written {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** Where its content begins. */
  readonly offset: number;
}

export interface TarWatch {
  readonly signal?: AbortSignal | undefined;
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

const octal = (value: number, length: number): string =>
  `${Math.floor(value)
    .toString(8)
    .padStart(length - 1, '0')}\0`;

const putSize = (header: Buffer, bytes: number): void => {
  const [at, length] = FIELD.size;
  if (bytes < OCTAL_MAX) {
    header.write(octal(bytes, length), at, 'latin1');
    return;
  }
  header.writeUInt8(0x80, at);
  header.writeBigUInt64BE(BigInt(bytes), at + length - 8);
};

const headerOf = (name: string, bytes: number, mtimeMs: number): Buffer => {
  if (Buffer.byteLength(name) > NAME_MAX)
    throw new AppError('Internal', `The name ${name} is too long for a tar file.`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, FIELD.name[0], 'utf8');
  header.write(octal(0o600, FIELD.mode[1]), FIELD.mode[0], 'latin1');
  for (const [at, length] of [FIELD.uid, FIELD.gid]) header.write(octal(0, length), at, 'latin1');
  putSize(header, bytes);
  header.write(octal(Math.max(0, mtimeMs / 1000), FIELD.mtime[1]), FIELD.mtime[0], 'latin1');
  header.write(PLAIN_FILE, FIELD.type[0], 'latin1');
  header.write(MAGIC, FIELD.magic[0], 'latin1');
  header.write(`${octal(tarSum(header), 7)} `, FIELD.sum[0], 'latin1');
  return header;
};

/** Throws Cancelled. */
const goOn = ({ signal }: TarWatch): void => {
  if (signal?.aborted === true) throw new AppError('Cancelled');
};

/** Reads part of a file piece by piece. Throws when there are fewer bytes. */
export async function* piecesOf(
  handle: FileHandle,
  { offset, bytes }: Pick<TarEntry, 'offset' | 'bytes'>,
  watch: TarWatch = {},
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(bytes, 1)));
  for (let done = 0; done < bytes; ) {
    goOn(watch);
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, bytes - done), offset + done);
    if (bytesRead === 0) throw new AppError('FileChanged', 'The file ended before its last byte.');
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
    watch.onBytes?.(bytesRead);
  }
}

/** One tar file while it is written; whoever opened the handle closes it. */
export class TarWriter {
  readonly #handle: FileHandle;
  readonly #watch: TarWatch;
  readonly #mtimeMs: number;
  readonly written: Written[] = [];

  constructor(handle: FileHandle, mtimeMs: number, watch: TarWatch) {
    this.#handle = handle;
    this.#mtimeMs = mtimeMs;
    this.#watch = watch;
  }

  /** Undefined for a file that is not there (any more), or that is no plain file. */
  async addFile(name: string, path: string): Promise<Written | undefined> {
    const source = await open(path, READ_FLAGS).catch((thrown: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ELOOP', 'ENXIO'].includes(thrown.code ?? '')) return undefined;
      throw thrown;
    });
    if (source === undefined) return undefined;
    try {
      const found = await source.stat();
      if (!found.isFile()) return undefined;
      return await this.#add(
        name,
        found.size,
        found.mtimeMs,
        piecesOf(source, { offset: 0, bytes: found.size }, this.#watch),
      );
    } finally {
      await source.close();
    }
  }

  addText(name: string, text: string): Promise<Written> {
    const bytes = Buffer.from(text);
    return this.#add(name, bytes.length, this.#mtimeMs, [bytes]);
  }

  /** Two empty blocks mark the end. */
  async end(): Promise<void> {
    await this.#write(Buffer.alloc(2 * BLOCK));
    await this.#handle.sync();
  }

  async #add(
    name: string,
    bytes: number,
    mtimeMs: number,
    pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  ): Promise<Written> {
    goOn(this.#watch);
    const hash = createHash('sha256');
    await this.#write(headerOf(name, bytes, mtimeMs));
    for await (const piece of pieces) {
      hash.update(piece);
      await this.#write(piece);
    }
    await this.#write(Buffer.alloc(padding(bytes)));
    const written = { name, bytes, sha256: hash.digest('hex') };
    this.written.push(written);
    return written;
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, null);
      done += bytesWritten;
    }
  }
}

const broken = (why: string): AppError => new AppError('BadRequest', why);

/** After the first block that marks the end: a second one, and then nothing but zeros, with which some programs fill up a file. */
const requireEnd = async (handle: FileHandle, offset: number, fileBytes: number): Promise<void> => {
  const rest = { offset, bytes: fileBytes - offset };
  if (rest.bytes < BLOCK) throw broken('it is truncated: it has no end');
  for await (const piece of piecesOf(handle, rest))
    if (piece.some((byte) => byte !== 0)) throw broken('something follows its end');
};

/** Its entries in order. Throws for a link, a folder, a device, a damaged header, and a file without an end, or with more after it. */
export async function* entriesOf(handle: FileHandle, fileBytes: number): AsyncGenerator<TarEntry> {
  const header = Buffer.alloc(BLOCK);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(header, 0, BLOCK, at);
    if (bytesRead < BLOCK) throw broken('it is truncated: it has no end');
    if (header.every((byte) => byte === 0)) return requireEnd(handle, at + BLOCK, fileBytes);
    if (!beginsAsTar(header) || !hasTarSum(header)) throw broken(`it is damaged at byte ${at}`);
    const [name, bytes] = [tarText(header, FIELD.name), tarSize(header)];
    if (
      header.toString('latin1', FIELD.type[0], FIELD.type[0] + 1) !== PLAIN_FILE ||
      tarText(header, FIELD.prefix) !== ''
    )
      throw broken(`it contains something that is no plain file: ${JSON.stringify(name)}`);
    const offset = at + BLOCK;
    if (!Number.isSafeInteger(bytes) || offset + bytes > fileBytes) throw broken('it is truncated');
    yield { name, bytes, offset };
    at = offset + bytes + padding(bytes);
  }
}

/** Whether a file ends as a finished one does; cheap, and no proof. */
export const hasEnd = async (handle: FileHandle, fileBytes: number): Promise<boolean> => {
  if (fileBytes < 3 * BLOCK || fileBytes % BLOCK !== 0) return false;
  const tail = Buffer.alloc(2 * BLOCK, 1);
  await handle.read(tail, 0, tail.length, fileBytes - tail.length);
  return tail.every((byte) => byte === 0);
};
