// Reads of the PDF engine through a window: the same bytes as those of the file, whatever is read in whatever order, with fewer calls.
import { sequentialReads } from '../../workers/formats/sequential-reads.js';
import { assert, block } from '../kit.js';

const KB = 1024;
const SIZE = 600 * KB;
const content = Buffer.from(Uint8Array.from({ length: SIZE }, (_, at) => (at * 2654435761) >>> 24));

/** A file of these bytes, and how often it was read. */
const opened = (bytes: Buffer) => {
  const counts = { calls: 0, bytes: 0 };
  const readInto = (target: Uint8Array, position: number): number => {
    const found = bytes.subarray(position, position + target.length);
    target.set(found);
    counts.calls += 1;
    counts.bytes += found.length;
    return found.length;
  };
  return { counts, file: { readInto } };
};

const PIECE = 8 * KB;

block('sequential reads', (check) => {
  check('any reads in any order give the bytes of the file, and none after its end', () => {
    let seed = 7;
    const below = (limit: number): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % limit;
    };
    for (const end of [SIZE, SIZE - 5000, 100, 0]) {
      const read = sequentialReads(opened(content).file, end);
      let position = 0;
      for (let n = 0; n < 5000; n += 1) {
        const next = [position + 4096, position + PIECE, position - 4096, below(SIZE + 100), end - below(200)];
        position = Math.max(0, next[below(next.length)] ?? 0);
        const target = new Uint8Array([1, PIECE, 700, 200 * KB][below(4)] ?? 0);
        const length = read(target, position);
        const wanted = content.subarray(0, end).subarray(position, position + target.length);
        assert.is(length, wanted.length);
        assert.ok(Buffer.compare(target.subarray(0, length), wanted) === 0, `${target.length} bytes at ${position}`);
      }
    }
  });

  check('a stream that is read in halves costs a call for 64 kB, and little more than its bytes', () => {
    const { counts, file } = opened(content);
    const read = sequentialReads(file, SIZE);
    const target = new Uint8Array(PIECE);
    for (let at = 1000; at + PIECE < SIZE; at += PIECE / 2) read(target, at);
    assert.ok(counts.calls <= 12, `${counts.calls} calls`);
    assert.ok(counts.bytes <= SIZE * 1.15, `${counts.bytes} bytes`);
  });

  check('single reads here and there read nothing else', () => {
    const { counts, file } = opened(content);
    const read = sequentialReads(file, SIZE);
    for (const at of [500_000, 0, 300_000, 100_000]) read(new Uint8Array(PIECE), at);
    assert.is(counts.bytes, 4 * PIECE);
  });

  check('a file that has become shorter gives what is left', () => {
    const { file } = opened(content.subarray(0, 20 * KB));
    const read = sequentialReads(file, SIZE);
    const lengths = [0, 1, 2, 3, 4, 5].map((n) => read(new Uint8Array(PIECE), n * 4 * KB));
    assert.equal(
      lengths.map((length) => length / KB),
      [8, 8, 8, 8, 4, 0],
    );
  });
});
