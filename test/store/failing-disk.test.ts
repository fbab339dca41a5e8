// A cache whose disk is full, read-only or missing, or whose path is not a folder: the server says so once, works without it, and uses it
// again when it works.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blobs, openBlobs } from '../../core/store/blobs.js';
import { CacheDisk } from '../../core/store/cache-disk.js';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type DiskKind, type SmallDisk, smallDisk, whyNoDisk } from '../small-disk.js';

interface Cache {
  readonly blobs: Blobs;
  readonly disk: CacheDisk;
  /** What was said: reasons, and null when it worked again. */
  readonly said: (string | null)[];
  /** What the disk failed with. */
  readonly met: unknown[];
  close(): Promise<void>;
}

class WatchedDisk extends CacheDisk {
  readonly met: unknown[] = [];

  override fail(thrown: unknown): void {
    this.met.push(thrown);
    super.fail(thrown);
  }
}

const openCache = async (folder: string): Promise<Cache> => {
  const said: (string | null)[] = [];
  const disk = new WatchedDisk(folder, (reason) => said.push(reason));
  const blobs = await openBlobs({ disk, budgetBytes: 1e9, onRebuilt: (reason) => said.push(`rebuilt: ${reason}`) });
  return {
    blobs,
    disk,
    said,
    met: disk.met,
    close: async () => {
      await disk.close();
      await blobs.close();
    },
  };
};

const NOBODY = 65_534;

const PIECE = Buffer.alloc(100_000, 7);

const put = async (blobs: Blobs, from: number, to: number): Promise<void> => {
  for (let n = from; n < to; n += 1) await blobs.put(`key/${n}`, PIECE);
};

const kept = (blobs: Blobs, from: number, to: number): number => {
  let found = 0;
  for (let n = from; n < to; n += 1)
    found += Number(Buffer.compare(blobs.get(`key/${n}`) ?? Buffer.alloc(0), PIECE) === 0);
  return found;
};

const onSmallDisk = (check: Check, kind: DiskKind, fact: string, body: (disk: SmallDisk) => Promise<void>): void => {
  const why = whyNoDisk(kind);
  if (why !== null) {
    check.skip(`${fact} (${kind})`, `no disk of its own: ${why}`);
    return;
  }
  check(`${fact} (${kind})`, async () => {
    const disk = smallDisk(kind, 16);
    if (typeof disk === 'string') throw new Error(disk);
    try {
      await body(disk);
    } finally {
      disk.remove();
    }
  });
};

const fillsUp = async (disk: SmallDisk): Promise<void> => {
  const folder = join(disk.path, 'cache');
  const cache = await openCache(folder);
  await put(cache.blobs, 0, 300);
  const before = kept(cache.blobs, 0, 300);
  assert.ok(before > 10 && before < 150, `${before} kept: what its disk has room for`);
  assert.equal(cache.said, []);
  disk.fill(0);
  await put(cache.blobs, 300, 340);
  assert.match(cache.said[0] ?? '', /disk of the cache folder .* is full/);
  assert.is(cache.blobs.isKeeping, false);
  assert.ok(kept(cache.blobs, 0, 300) > 10, 'still found');
  await cache.blobs.shrink();
  await cache.close();
  assert.is(cache.said.length, 1, cache.said.join('\n'));

  const again = await openCache(folder);
  assert.ok(kept(again.blobs, 0, 300) > 10, 'found after a start on the full disk');
  await put(again.blobs, 310, 320);
  assert.match(again.said.join('\n'), /is full/);
  disk.empty();
  await until('the cache works again', async () => {
    await put(again.blobs, 400, 401);
    return again.blobs.get('key/400') !== undefined || again.said.length > 2;
  });
  await again.close();
};

/** The space goes after the last look at it. LMDB must not meet its end: describing that error can end the process. */
const fillsUnseen = async (disk: SmallDisk): Promise<void> => {
  const cache = await openCache(join(disk.path, 'cache'));
  await put(cache.blobs, 0, 3);
  disk.fill(60_000);
  await put(cache.blobs, 3, 8);
  assert.equal([cache.said.length, cache.disk.trouble === null], [1, false], cache.said.join('\n'));
  const codes = cache.met.map((thrown) => (thrown instanceof Error && 'code' in thrown ? thrown.code : thrown));
  assert.equal(codes, ['ENOSPC'], 'met by a write of ours; the codes of LMDB are numbers');
  disk.empty();
  await until('the cache works again', () => cache.disk.trouble === null);
  assert.is(cache.said.at(-1), null);
  await put(cache.blobs, 8, 12);
  assert.equal([kept(cache.blobs, 0, 3), kept(cache.blobs, 8, 12)], [3, 4]);
  await cache.close();
};

const turnsReadOnly = async (disk: SmallDisk): Promise<void> => {
  const folder = join(disk.path, 'cache');
  const first = await openCache(folder);
  await put(first.blobs, 0, 3);
  await first.close();
  disk.readOnly(true);
  const cache = await openCache(folder);
  await put(cache.blobs, 3, 6);
  assert.equal([cache.said.length, kept(cache.blobs, 3, 6)], [1, 0], cache.said.join('\n'));
  disk.readOnly(false);
  await until('the cache works again', () => cache.disk.trouble === null);
  await put(cache.blobs, 3, 6);
  assert.is(kept(cache.blobs, 0, 6), 6);
  await cache.close();
};

block('cache on a failing disk', (check) => {
  check('a value larger than the disk is refused, and the disk does not count as full', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-test-'));
    const said: (string | null)[] = [];
    const disk = new CacheDisk(folder, (reason) => said.push(reason));
    try {
      assert.equal(
        [await disk.hasRoom(2 ** 50), await disk.hasRoom(4096), disk.trouble, said],
        [false, true, null, []],
      );
    } finally {
      await disk.close();
      rmSync(folder, { recursive: true });
    }
  });
  for (const kind of ['tmpfs', 'ext4'] as const) {
    onSmallDisk(
      check,
      kind,
      'full: kept bytes are found, new ones are not kept, a start works, space is used',
      fillsUp,
    );
    onSmallDisk(check, kind, 'full from one moment to the next', fillsUnseen);
    onSmallDisk(check, kind, 'read-only at the start', turnsReadOnly);
  }
  check('a file in place of the folder: reported once, used again when it is gone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-cache-'));
    const path = join(folder, 'cache');
    writeFileSync(path, 'no folder');
    const cache = await openCache(path);
    try {
      await put(cache.blobs, 0, 2);
      assert.equal([cache.said.length, kept(cache.blobs, 0, 2)], [1, 0], cache.said.join('\n'));
      rmSync(path);
      await until('the cache is used', () => cache.disk.trouble === null);
      await put(cache.blobs, 0, 2);
      assert.is(kept(cache.blobs, 0, 2), 2);
    } finally {
      await cache.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  check('a folder that disappears while in use costs its content', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-cache-'));
    const cache = await openCache(join(folder, 'cache'));
    try {
      await put(cache.blobs, 0, 2);
      rmSync(join(folder, 'cache'), { recursive: true });
      await put(cache.blobs, 2, 4);
      await cache.blobs.shrink();
      await put(cache.blobs, 4, 6);
      await until('the cache is used', async () => {
        await put(cache.blobs, 6, 7);
        return cache.disk.trouble === null && existsSync(join(folder, 'cache', 'data.mdb'));
      });
    } finally {
      await cache.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  check('a folder that is not writable', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-cache-'));
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'cache'));
    chmodSync(join(folder, 'cache'), 0o555);
    // Root may write everywhere, so the test is somebody else for a while.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      const cache = await openCache(join(folder, 'cache'));
      await put(cache.blobs, 0, 2);
      assert.is(cache.said.length, 1);
      await cache.close();
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(join(folder, 'cache'), 0o700);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
