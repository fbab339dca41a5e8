// The limit of a first scan: only the reads each file requires; with covers, also the bare resize of the first page. Runs in its own
// thread: receives paths, answers with counts.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import sharp from 'sharp';
import xxhash from 'xxhash-wasm';

sharp.cache(false);
sharp.concurrency(1);

const hashing = await xxhash();
const chunk = Buffer.allocUnsafeSlow(1024 * 1024);
const head = Buffer.allocUnsafeSlow(64 * 1024);

/** Central directory (no odd archives here), 64 kB of each page, XXH64 of the whole file. */
const scanOne = async (path: string, withCover: boolean): Promise<number> => {
  const fd = openSync(path, 'r');
  const size = fstatSync(fd).size;
  const hash = hashing.create64();
  for (let at = 0; at < size; ) {
    const read = readSync(fd, chunk, 0, chunk.length, at);
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  hash.digest();
  const tailLength = Math.min(size, 4096);
  const tail = Buffer.allocUnsafe(tailLength);
  readSync(fd, tail, 0, tailLength, size - tailLength);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const directory = Buffer.allocUnsafe(tail.readUInt32LE(end + 12));
  readSync(fd, directory, 0, directory.length, tail.readUInt32LE(end + 16));
  let pages = 0;
  for (let at = 0; at + 46 <= directory.length; ) {
    const packed = directory.readUInt32LE(at + 20);
    readSync(fd, head, 0, Math.min(head.length, packed + 64), directory.readUInt32LE(at + 42));
    at += 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    pages += 1;
  }
  if (withCover) await coverOf(fd, directory);
  closeSync(fd);
  return pages;
};

/** The first page in the directory; these libraries store it uncompressed. */
const coverOf = async (fd: number, directory: Buffer): Promise<void> => {
  const offset = directory.readUInt32LE(42);
  readSync(fd, head, 0, 30, offset);
  const page = Buffer.allocUnsafe(directory.readUInt32LE(20));
  readSync(fd, page, 0, page.length, offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28));
  await sharp(page)
    .resize(400, 400, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 85, optimiseCoding: false })
    .toBuffer();
};

interface Work {
  readonly paths: readonly string[];
  readonly withCover: boolean;
}

const { paths, withCover } = workerData as Work;
let pages = 0;
for (const path of paths) pages += await scanOne(path, withCover);
parentPort?.postMessage(pages);
