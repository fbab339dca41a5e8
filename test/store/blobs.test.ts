// The cache: keeps what it is given, stays within its budget, and survives whatever happens to its file.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blobs, openBlobs } from '../../core/store/blobs.js';
import { CacheDisk } from '../../core/store/cache-disk.js';
import { LENT_BYTES, type Lent } from '../../core/store/lent.js';
import { assert, block } from '../kit.js';

const withFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-blobs-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const notes: string[] = [];
const opened = (folder: string, budgetBytes = 64 * 1024 * 1024): Promise<Blobs> => {
  notes.length = 0;
  return openBlobs({
    disk: new CacheDisk(folder, (reason) => notes.push(String(reason))),
    budgetBytes,
    onRebuilt: (reason) => notes.push(reason),
  });
};

const fill = async (blobs: Blobs, from: number, to: number, size: number): Promise<void> => {
  for (let n = from; n < to; n += 1) await blobs.put(`key/${n}`, Buffer.alloc(size, n % 251));
};

/** Ways to hurt a file. */
const DAMAGE: readonly (readonly [what: string, hurt: (path: string) => void])[] = [
  ['a few bytes of garbage', (path) => writeFileSync(path, 'garbage')],
  ['a megabyte of garbage', (path) => writeFileSync(path, Buffer.alloc(1 << 20, 0x5a))],
  ['half of it', (path) => truncateSync(path, readFileSync(path).length >> 1)],
  ['its first two pages', (path) => truncateSync(path, 8192)],
  ['zeros from the third page on', (path) => writeFileSync(path, readFileSync(path).fill(0, 8192))],
];

block('cache', (check) => {
  check('stored values are found again, also after the cache was closed', () =>
    withFolder(async (folder) => {
      const first = await opened(folder);
      await fill(first, 0, 50, 30_000);
      assert.is(first.get('key/7')?.[5], 7);
      assert.is(first.get('key/99'), undefined);
      await first.close();
      const second = await opened(folder);
      assert.equal([second.get('key/49')?.length, second.sizeBytes() > 50 * 30_000, notes], [30_000, true, []]);
      await second.close();
    }),
  );
  check('bytes that are put again stay; those that are replaced are found at once and later', () =>
    withFolder(async (folder) => {
      const first = await opened(folder);
      for (const size of [1000, 300_000]) {
        const key = `key/${size}`;
        assert.is(first.has(key), false);
        await first.put(key, Buffer.alloc(size, 1));
        const read = first.get(key);
        const before = first.sizeBytes();
        await first.put(key, Buffer.alloc(size, 2));
        assert.equal([first.has(key), first.get(key)?.[0]], [true, 1]);
        await first.replace(key, Buffer.alloc(size, 3));
        assert.equal([first.get(key)?.[0], read?.[0], first.sizeBytes()], [3, 1, before]);
      }
      await first.close();
      const second = await opened(folder);
      assert.equal([second.get('key/1000')?.[0], second.get('key/300000')?.[0]], [3, 3]);
      await second.close();
      assert.is(second.has('key/1000'), false);
    }),
  );
  check('large bytes are shared by all who read them at the same time', () =>
    withFolder(async (folder) => {
      const blobs = await opened(folder);
      await blobs.put('page', Buffer.alloc(7 << 20, 9));
      const readers = Array.from({ length: 20 }, () => blobs.get('page'));
      assert.is(new Set(readers).size, 1);
      assert.equal([readers[0]?.length, readers[0]?.[1000]], [7 << 20, 9]);
      await blobs.shrink();
      assert.is(blobs.get('page'), readers[0], 'also when the file was opened anew');
      await blobs.close();
    }),
  );
  check('small bytes stay in memory until memory is freed', () =>
    withFolder(async (folder) => {
      const blobs = await opened(folder);
      await blobs.put('cover', Buffer.alloc(30_000, 9));
      const first = blobs.get('cover');
      assert.is(blobs.get('cover'), first);
      await blobs.shrink();
      const later = blobs.get('cover');
      assert.is.not(later, first);
      assert.equal(later, first);
      assert.is(blobs.get('cover'), later, 'kept again');
      await blobs.close();
    }),
  );
  check('bytes are lent for one use, and kept only when they are wanted again soon', () =>
    withFolder(async (folder) => {
      const blobs = await opened(folder);
      await fill(blobs, 0, 200, 40_000);
      const lend = (n: number | string): Lent => {
        const found = blobs.lend(`key/${n}`);
        if (typeof found === 'function') return found;
        throw new Error(`key ${n} is ${found === undefined ? 'not there' : 'kept'}`);
      };
      assert.is(blobs.lend('key/999'), undefined);
      const [one, two] = [lend(1), lend(2)];
      for (const [read, n] of [
        [two, 2],
        [one, 1],
        [two, 2],
      ] as const)
        assert.ok(Buffer.alloc(40_000, n).equals(read() ?? Buffer.alloc(0)), `key ${n}`);
      const [four, four40] = [lend(4), Buffer.alloc(40_000, 4)];
      for (const [what, use] of [
        ['nothing', () => undefined],
        ['a look', () => blobs.has('key/5')],
        ['another read', () => blobs.get('key/6')],
        ['a put', () => blobs.put('key/new', Buffer.alloc(50_000, 200))],
        ['a replacement', () => blobs.replace('key/7', Buffer.alloc(50_000, 201))],
        ['a new map of the file', () => blobs.shrink()],
      ] as const) {
        await use();
        assert.ok(four40.equals(four() ?? Buffer.alloc(0)), `key 4 after ${what}`);
      }
      assert.is(one()?.buffer, two()?.buffer, 'both use the same memory');
      const again = blobs.lend('key/1');
      assert.instance(again, Uint8Array, 'what is wanted again has memory of its own');
      assert.ok(Buffer.alloc(40_000, 1).equals(again as Uint8Array));
      assert.is.not((again as Uint8Array).buffer, two()?.buffer);
      for (let n = 50; n < 150; n += 1) lend(n)();
      assert.is(lend(50)()?.buffer, two()?.buffer, 'a hundred reads later it is not kept');
      const left = lend(3);
      await blobs.close();
      assert.is(left(), undefined);
    }),
  );
  check(
    'large bytes are given, not lent, and all who want them share them; they can take the place of small ones',
    () =>
      withFolder(async (folder) => {
        const large = Buffer.alloc(LENT_BYTES + 1, 9);
        const first = await opened(folder);
        await first.put('key/large', large);
        await first.close();
        const blobs = await opened(folder);
        assert.equal([blobs.has('key/large'), blobs.has('key/larg'), blobs.has('key/large ')], [true, false, false]);
        const given = blobs.lend('key/large');
        assert.instance(given, Uint8Array);
        assert.ok(large.equals(given as Uint8Array));
        assert.is(blobs.lend('key/large'), given);
        await blobs.put('key/large', Buffer.from('ignored'));
        for (const bytes of [Buffer.from('small'), large, Buffer.from('small')]) {
          await blobs.replace('key/large', bytes);
          assert.ok(bytes.equals(blobs.get('key/large') ?? Buffer.alloc(0)), `${bytes.byteLength} bytes`);
        }
        await blobs.close();
      }),
  );
  check('the budget holds; recently read values outlive the others', () =>
    withFolder(async (folder) => {
      const budget = 16 * 1024 * 1024;
      const blobs = await opened(folder, budget);
      await fill(blobs, 0, 100, 100_000);
      for (let n = 0; n < 10; n += 1) assert.ok(blobs.get(`key/${n}`));
      await fill(blobs, 100, 200, 100_000);
      assert.ok(blobs.sizeBytes() <= budget, `${blobs.sizeBytes()}`);
      const kept = (from: number, to: number): number =>
        Array.from({ length: to - from }, (_, n) => blobs.get(`key/${from + n}`)).filter((one) => one !== undefined)
          .length;
      assert.ok(kept(0, 10) === 10, 'touched ones stay');
      assert.ok(kept(10, 60) < 20, 'untouched old ones go');
      assert.is(kept(180, 200), 20);
      await blobs.close();
    }),
  );
  check('a value larger than a quarter of the budget is not kept', () =>
    withFolder(async (folder) => {
      const blobs = await opened(folder, 16 * 1024 * 1024);
      await blobs.put('large', Buffer.alloc(5 * 1024 * 1024));
      assert.equal([blobs.get('large'), blobs.sizeBytes()], [undefined, 0]);
      await blobs.close();
    }),
  );
  check('reopening its file while it is written and read loses nothing', () =>
    withFolder(async (folder) => {
      const blobs = await opened(folder, 1024 * 1024 * 1024);
      await Promise.all(Array.from({ length: 8 }, (_, lane) => fill(blobs, lane * 200, lane * 200 + 200, 100_000)));
      const missing = Array.from({ length: 1600 }, (_, n) => blobs.get(`key/${n}`)).filter((one) => one === undefined);
      await blobs.close();
      const again = await opened(folder, 1024 * 1024 * 1024);
      const lost = Array.from({ length: 1600 }, (_, n) => n).filter((n) => again.get(`key/${n}`) === undefined);
      // Reads in the milliseconds of a renewal find nothing; what is stored is all there.
      assert.ok(missing.length < 400 && lost.length < 400, `${missing.length} ${lost.length}`);
      await again.close();
    }),
  );
  for (const [what, hurt] of DAMAGE) {
    check(`a file reduced to ${what} is replaced by an empty cache, without a crash`, () =>
      withFolder(async (folder) => {
        const blobs = await opened(folder);
        await fill(blobs, 0, 200, 20_000);
        await blobs.close();
        hurt(join(folder, 'data.mdb'));
        const script = `const { openBlobs } = await import(${JSON.stringify(new URL('../../core/store/blobs.js', import.meta.url).href)});
          const { CacheDisk } = await import(${JSON.stringify(new URL('../../core/store/cache-disk.js', import.meta.url).href)});
          const blobs = await openBlobs({ disk: new CacheDisk(${JSON.stringify(folder)}, console.log), budgetBytes: 1e8, onRebuilt: (reason) => console.log('rebuilt', reason) });
          await blobs.put('a', Buffer.alloc(5000)); console.log('length', blobs.get('a')?.length); await blobs.close();`;
        const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
          encoding: 'utf8',
          timeout: 20_000,
        });
        assert.match(child.stdout, /rebuilt[\s\S]*length 5000/, child.stderr);
        assert.is(child.status, 0);
      }),
    );
  }
});
