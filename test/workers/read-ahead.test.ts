// Reading ahead: which places of a file are read together, and that whoever reads them later gets the same bytes with fewer reads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { writeZip } from '../../bench/zip-writer.js';
import { piecesOf } from '../../workers/read-ahead.js';
import { assert, block } from '../kit.js';

const KB = 1024;
const PIXEL = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

let folder = '';

const modules = new URL('../../workers/', import.meta.url).href;

/** What a thread that may read eight places at once tells of a file that took so long to open, and to read for the first time. */
const told = async <T>(code: string, path: string, { openedMs = 0, firstReadMs = 0 }): Promise<T> => {
  const source = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { openBookFile } from '${modules}book-file.js';
    import { metered } from '${modules}metered-file.js';
    import { aheadOf } from '${modules}read-ahead.js';
    const { path, openedMs, firstReadMs } = workerData;
    const inner = openBookFile(path);
    const counts = { sync: 0, later: 0, most: 0, now: 0 };
    const slow = {
      ...inner,
      openedMs,
      read: (position, length) => { counts.sync += 1; return inner.read(position, length); },
      readInto: (target, position) => { counts.sync += 1; return inner.readInto(target, position); },
      readLater: async (target, position) => {
        counts.later += 1;
        counts.now += 1;
        counts.most = Math.max(counts.most, counts.now);
        await new Promise((resolve) => setTimeout(resolve, 5));
        counts.now -= 1;
        return inner.readLater(target, position);
      },
    };
    let at = 0;
    const now = () => { at += firstReadMs; return at; };
    const file = aheadOf(metered(slow, { advance: () => undefined, allow: () => undefined }), now);
    const tell = async () => { ${code} };
    parentPort.postMessage(await tell());
    file.close();
  `;
  const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const worker = new Worker(url, { workerData: { path, openedMs, firstReadMs, reads: 8 } });
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
};

const written = (bytes: Buffer): string => {
  const path = join(folder, 'file');
  writeFileSync(path, bytes);
  return path;
};

const countingBytes = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
};

block(
  'reading ahead',
  (check) => {
    check('places that are near each other are one piece, of whole blocks, and no piece is large', () => {
      assert.equal(piecesOf([{ position: 5000, length: 10 }], 1e6), [{ position: 4096, length: 914 }]);
      const near = [0, 50, 100, 150].map((at) => ({ position: at * KB, length: KB }));
      assert.equal(piecesOf(near, 1e6), [
        { position: 0, length: 101 * KB },
        { position: 148 * KB, length: 3 * KB },
      ]);
      const far = [300, 0, 150].map((at) => ({ position: at * 4 * KB, length: KB }));
      assert.equal(
        piecesOf(far, 1e7).map(({ position }) => position),
        [0, 600 * KB, 1200 * KB],
      );
    });
    check('pieces neither overlap nor pass the end of the file, and cover every place', () => {
      let seed = 1;
      const random = (below: number): number => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % below;
      };
      for (let round = 0; round < 500; round += 1) {
        const size = 1 + random(3_000_000);
        const ranges = Array.from({ length: 1 + random(40) }, () => ({
          position: random(size),
          length: 1 + random(random(2) === 0 ? 5000 : 400_000),
        }));
        const pieces = piecesOf(ranges, size);
        let end = 0;
        for (const { position, length } of pieces) {
          assert.ok(position >= end && length > 0 && length <= 128 * KB, JSON.stringify({ size, ranges }));
          end = position + length;
        }
        assert.ok(end <= size);
        const isCovered = (at: number): boolean =>
          pieces.some(({ position, length }) => position <= at && at < position + length);
        for (const { position, length } of ranges) {
          const last = Math.min(size, position + length) - 1;
          for (let at = position; at <= last; at += 1 + random(3000)) assert.ok(isCovered(at));
          assert.ok(isCovered(last));
        }
      }
    });
    check('a file on a slow disk is read eight pieces at a time, and nothing of it is read again', async () => {
      const path = written(countingBytes(1_500_000));
      const [isSlow, counts, ends] = await told<[boolean, Record<string, number>, boolean]>(
        `await file.readAhead([{ position: 0, length: file.size }]);
         const across = file.read(131000, 400000);
         const target = Buffer.alloc(2000);
         const length = file.readInto(target, file.size - 1000);
         const right = across.readUInt32LE(0) === 131000 && across.readUInt32LE(399996) === 530996 && length === 1000;
         await file.readAhead([{ position: 0, length: 10 }]); // the whole file is there
         return [file.isSlow, counts, right];`,
        path,
        { openedMs: 20 },
      );
      assert.equal([isSlow, counts.sync, counts.later, counts.most, ends], [true, 0, 12, 8, true]);
    });
    for (const [what, padding] of [
      ['small', 10 * KB],
      ['large', 400 * KB],
    ] as const)
      check(`a ${what} book on a slow disk has the same pages, the same hash and the same description`, async () => {
        const pages = Array.from({ length: 90 }, (_, n) => ({
          name: `${n}.gif`,
          bytes: Buffer.concat([PIXEL, Buffer.alloc(padding + 100 * n, n)]),
        }));
        const info = Buffer.from('<?xml version="1.0"?><ComicInfo><Title>Told</Title></ComicInfo>');
        const path = written(writeZip([...pages, { name: 'ComicInfo.xml', bytes: info }]));
        const read = (openedMs: number): Promise<readonly unknown[]> =>
          told(
            `const { LIMITS } = await import('${modules}../test/limits.js');
             const run = { check: () => undefined, isGrowing: () => false, keepRoom: () => undefined };
             const bag = { file, path, root: undefined, limits: LIMITS, isAlone: false, mustHash: true };
             for (const [name, one] of [['ahead', 'ahead'], ['hash', 'hashLikelyBook'], ['list', 'list'], ['measure', 'measure'], ['metadata', 'metadata']]) {
               const steps = await import('${modules}steps/' + name + '.js');
               Object.assign(bag, await steps[one].run(bag, run));
             }
             return [bag.fingerprint, bag.measured, bag.metadata.book.title, counts.later > 0, counts.most, counts.sync];`,
            path,
            { openedMs },
          );
        const [slow, fast] = [await read(20), await read(0)];
        assert.equal(slow.slice(0, 3), fast.slice(0, 3));
        assert.is((slow[1] as unknown[]).length, 90);
        assert.equal(
          [slow.slice(3, 5), fast.slice(3, 5)],
          [
            [true, 8],
            [false, 0],
          ],
        );
        assert.ok(Number(slow[5]) < 5 && Number(fast[5]) > 90, `${slow[5]} and ${fast[5]} reads that block`);
      });
    check('where the disk answers at once, nothing is read ahead', async () => {
      const path = written(countingBytes(1_500_000));
      const counts = await told<Record<string, number>>(
        `await file.readAhead([{ position: 0, length: file.size }]); file.read(0, 1000); file.read(2000, 10); return counts;`,
        path,
        {},
      );
      assert.equal([counts.sync, counts.later], [2, 0]);
    });
    check('a disk that opens files at once and is slow to read them is slow', async () => {
      const path = written(countingBytes(1_500_000));
      const counts = await told<Record<string, number>>(
        `await file.readAhead([{ position: 0, length: file.size }]); file.read(0, 1000); file.read(2000, 10); return counts;`,
        path,
        { firstReadMs: 8 },
      );
      assert.equal([counts.sync, counts.later], [1, 12]);
    });
    check('what follows is read with the end of a page, in one call, and nothing beyond the file', async () => {
      const path = written(countingBytes(300_000));
      const [firsts, counts] = await told<[readonly number[], Record<string, number>]>(
        `const firsts = [
           file.readOn(200000, 16, 5000), file.read(200016, 4600), file.read(204000, 1016),
           file.readOn(299992, 8, 5000), file.read(299996, 4), file.read(200016, 4),
         ].map((bytes) => [bytes.readUInt32LE(0), bytes.length]);
         let refused = 0;
         try { file.readOn(299992, 16, 5000); } catch { refused += 1; }
         return [[...firsts.flat(), refused], { ...counts }];`,
        path,
        {},
      );
      const expected = [200_000, 16, 200_016, 4600, 204_000, 1016, 299_992, 8, 299_996, 4, 200_016, 4];
      assert.equal([firsts, counts.sync], [[...expected, 1], 1 + 3 + 1]);
    });
    check(
      'the pages of a large book are measured with one call for each, although their ends are looked at',
      async () => {
        const pages = Array.from({ length: 50 }, (_, n) => ({
          name: `${n}.gif`,
          bytes: Buffer.concat([PIXEL.subarray(0, -2), Buffer.alloc(9000 + n, 7), PIXEL.subarray(-2)]),
        }));
        const path = written(writeZip(pages));
        const [cut, reads] = await told<[readonly number[], number]>(
          `const { LIMITS } = await import('${modules}../test/limits.js');
         const { list } = await import('${modules}steps/list.js');
         const { measure } = await import('${modules}steps/measure.js');
         const run = { check: () => undefined, isGrowing: () => false, keepRoom: () => undefined };
         const bag = { file, path, limits: LIMITS };
         Object.assign(bag, await list.run(bag, run));
         const before = counts.sync;
         return [(await measure.run(bag, run)).cutPages, counts.sync - before];`,
          path,
          {},
        );
        assert.equal(cut, []);
        assert.ok(reads <= 52, `${reads} reads`);
      },
    );
    check('what could not be read ahead is read when it is needed', async () => {
      const path = written(countingBytes(300_000));
      const [at, counts] = await told<[number, Record<string, number>]>(
        `const { readLater } = slow;
         slow.readLater = async (target, position) => {
           if (position > 0) throw new Error('no answer');
           return readLater(target, position);
         };
         const again = aheadOf(metered(slow, { advance: () => undefined, allow: () => undefined }));
         await again.readAhead([{ position: 0, length: file.size }]);
         again.read(0, 100);
         return [again.read(200000, 4).readUInt32LE(0), counts];`,
        path,
        { openedMs: 20 },
      );
      assert.equal([at, counts.sync], [200_000, 1]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-ahead-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
