// By what KOReader knows a file: the published vectors of its partial MD5.
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBookFile } from '../../workers/book-file.js';
import { partialMd5 } from '../../workers/hashes.js';
import { assert, block } from '../kit.js';

let folder = '';

const digestOf = (path: string): string => {
  const file = openBookFile(path);
  try {
    return partialMd5(file);
  } finally {
    file.close();
  }
};

/** Bytes of which no two samples are alike. */
const pattern = (length: number): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255));

const VECTORS = [
  [500, '21f0df72cce9bc7da8dae2512ee5feed'],
  [1024, 'f4cd1641040a17288bb6104d9e66bdb5'],
  [1025, '170a888db01c00d8fc3e5d8d84de5838'],
  [2048, 'd0e59a0c7b893c3b8d6a9bddbd64e631'],
  [3000, 'd0e59a0c7b893c3b8d6a9bddbd64e631'],
  [200_000, '1784b150454ef4cf6780ceb94af0386f'],
  [1_050_000, '0fca5c751677ecbc2dcfe80ea75ace32'],
] as const;

const OFFSETS = [0, ...Array.from({ length: 11 }, (_, power) => 1024 * 4 ** power)];

/** A gigabyte that takes little of the disk: zeros, and at each sample its own offset. */
const writeSparse = (path: string): void => {
  const fd = openSync(path, 'w');
  ftruncateSync(fd, 1_073_742_848);
  for (const offset of OFFSETS) writeSync(fd, String(offset).padStart(16, '0'), offset);
  closeSync(fd);
};

block(
  'K-DOC-5 K-DOC-6 K-DOC-7 document ids',
  (check) => {
    for (const [length, digest] of VECTORS)
      check(`of ${length} bytes`, () => {
        const path = join(folder, `${length}`);
        writeFileSync(path, pattern(length));
        assert.is(digestOf(path), digest);
      });
    check('all twelve samples are read', () => {
      const path = join(folder, 'sparse');
      writeSparse(path);
      assert.is(digestOf(path), '266ff27c24919f4cec96f90f9b3231ca');
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-test-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
