// RAR archives that make the RAR reader allocate: dictionaries by their headers, and models for text by their packed data.
import { readFileSync } from 'node:fs';
import { writeRar } from '../../../bench/rar-writer.js';
import { fixture } from '../../../fixtures/index.js';
import { withRarSums } from '../../fuzz/rar-sums.js';
import type { GreedyFile } from './greedy-file.js';

const MB = 1024 * 1024;

const image = (name: string) => ({ name, bytes: readFileSync(fixture('images/jpeg-baseline.jpg')) });

/** RAR 5: 128 KiB doubled so many times. Pages may refer back beyond the first entry, whose size is claimed. */
const farBack = (exponent: number, claimedBytes: number): Buffer =>
  writeRar([{ name: 'a.bin', bytes: Buffer.alloc(1000), claimedBytes }, image('1.jpg')], {
    isPacked: true,
    isSolid: true,
    dictionary: exponent << 10,
  });

const little = (value: number, bytes: number): Buffer => {
  const out = Buffer.alloc(bytes);
  out.writeUIntLE(value, 0, bytes);
  return out;
};

const OLD_SIGNATURE = Buffer.from('526172211a0700', 'hex');
const OLD_END = Buffer.from('c43d7b00400700', 'hex');

/**
 * A RAR 3 archive with one page, packed with a model for text of so many megabytes: the data begins with the kind of the block, the highest
 * order, and the size. What follows is decoded to something, until the page is as long as its header claims.
 */
export const ppmd = (megabytes: number): Buffer => {
  const data = Buffer.alloc(64 * 1024);
  for (const at of data.keys()) data[at] = (at * 2_654_435_761) >>> 24;
  data.set([0x80 | 0x20 | 0x1f, megabytes - 1]);
  const name = Buffer.from('1.jpg');
  const file = Buffer.concat([
    little(0, 2),
    Buffer.from([0x74]),
    little(0x80c0, 2), // data follows; a dictionary of 4 MB
    little(32 + name.length, 2),
    little(data.length, 4),
    little(15 * MB, 4),
    Buffer.from([3]),
    little(0, 4),
    little(0x5a21_0000, 4),
    Buffer.from([29, 0x33]),
    little(name.length, 2),
    little(0o100_644, 4),
    name,
  ]);
  const archive = Buffer.concat([little(0, 2), Buffer.from([0x73]), little(0, 2), little(13, 2), Buffer.alloc(6)]);
  return withRarSums(Buffer.concat([OLD_SIGNATURE, archive, file, data, OLD_END]));
};

export const GREEDY_RARS: readonly GreedyFile[] = [
  {
    name: 'rar5-512mb.cbr',
    make: () => readFileSync(fixture('cases/rar5-dictionary-512mb.cbr')),
    isShown: true,
  },
  {
    name: 'rar5-solid-256mb.cbr',
    make: () => readFileSync(fixture('cases/rar5-dictionary-256mb-solid.cbr')),
    isShown: true,
  },
  { name: 'rar5-just-fits.cbr', make: () => farBack(9, 64 * MB) },
  { name: 'rar5-far-back.cbr', make: () => farBack(12, 500 * MB) },
  { name: 'rar3-ppmd-64mb.cbr', make: () => ppmd(64) },
  { name: 'rar3-ppmd-256mb.cbr', make: () => ppmd(256) },
];
