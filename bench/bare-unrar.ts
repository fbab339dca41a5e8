// unrar through the same WASM, without our code: the minimum cost of unpacking. One entry, or a whole archive in one pass.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { getUnrar } from 'node-unrar-js/dist/js/unrar.singleton.js';

const module = await getUnrar();

const ARCHIVE = 1;
const OUTPUT = 2;
const END = 10;

/** The callbacks unrar needs, and no more. */
const extractorOf = (fd: number, onBytes: (bytes: Uint8Array) => void): object => {
  const { size } = fstatSync(fd);
  let position = 0;
  return {
    open: () => {
      position = 0;
      return ARCHIVE;
    },
    create: () => OUTPUT,
    close: () => undefined,
    read: (_handle: number, at: number, length: number) => {
      const read = readSync(fd, module.HEAPU8, at, length, position);
      position += read;
      return read;
    },
    write: (_handle: number, at: number, length: number) => {
      onBytes(module.HEAPU8.subarray(at, at + length));
      return true;
    },
    tell: () => position,
    seek: (handle: number, by: number, from: 'SET' | 'CUR' | 'END') => {
      if (handle === ARCHIVE) position = by + { SET: 0, CUR: position, END: size }[from];
      return true;
    },
  };
};

/** Walks an archive; entries that `wants` accepts are unpacked into buffers of their own and passed to `done`. False ends the pass. */
const pass = (
  path: string,
  wants: (index: number) => boolean,
  done: (index: number, bytes: Buffer) => boolean,
): void => {
  const fd = openSync(path, 'r');
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  module.extractor = extractorOf(fd, (part) => {
    bytes.set(part, length);
    length += part.length;
  });
  const archive = new module.RarArchive();
  archive.open('archive', '', false);
  for (let index = 0; ; index += 1) {
    const header = archive.getFileHeader();
    if (header.state.errCode === END) break;
    const isWanted = wants(index);
    if (isWanted) {
      bytes = Buffer.allocUnsafeSlow(header.unpSize);
      length = 0;
    }
    const { errCode } = archive.readFile(!isWanted);
    if (errCode !== 0) throw new Error(`unrar error ${errCode} in ${path}`);
    if (isWanted && !done(index, bytes)) break;
  }
  archive.delete();
  module.extractor = null;
  closeSync(fd);
};

export const bareEntry = (path: string, wanted: number): Buffer => {
  let found: Buffer = Buffer.alloc(0);
  pass(
    path,
    (index) => index === wanted,
    (_, bytes) => {
      found = bytes;
      return false;
    },
  );
  return found;
};

/** Unpacks every entry in turn; returns the sum of their bytes. */
export const bareExtraction = (path: string): number => {
  let sum = 0;
  pass(
    path,
    () => true,
    (_, bytes) => {
      sum += bytes.length;
      return true;
    },
  );
  return sum;
};
