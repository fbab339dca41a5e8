// Open files between requests: whoever has one in hand reads from it, and each descriptor is closed once.
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METHOD } from '../../core/model/page-table.js';
import { type FileVersion, type OpenFile, OpenFiles } from '../../core/pages/open-files.js';
import { storedNow } from '../../core/pages/positioned.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longbox-open-')));

const fileOf = (name: string): FileVersion => {
  const path = join(folder, name);
  writeFileSync(path, `words of ${name}`);
  const { size, mtimeMs } = statSync(path);
  return { path, root: folder, version: '1', size, mtimeMs: Math.floor(mtimeMs) };
};

const isClosed = (fd: number): boolean => {
  try {
    fstatSync(fd);
    return false;
  } catch {
    return true; // no such descriptor
  }
};

block(
  'open files',
  (check) => {
    check(
      'one that is dropped while it is being lent stays open until it is returned, and is closed once',
      async () => {
        const files = new OpenFiles(4);
        const version = fileOf('one');
        (await files.acquire(version)).release();
        const lending = files.acquire(version);
        files.close(); // drops it in the very moment
        const open = await lending;
        const bytes = Buffer.alloc(version.size);
        // Whatever is opened now gets the number of a descriptor that was closed too early.
        await new Promise((resolve) => setImmediate(resolve));
        const others = Array.from({ length: 8 }, () => openSync(version.path, 'r'));
        assert.not.ok(others.includes(open.fd));
        assert.is(await open.read(bytes, 0), version.size);
        open.release();
        open.release();
        await until('it is closed', () => isClosed(open.fd));
        for (const fd of others) closeSync(fd);
        files.close();
      },
    );
    check('a page whose header cannot be read is not a page at hand, and its file is returned', async () => {
      const files = new OpenFiles(2);
      const open = await files.acquire(fileOf('page'));
      const folderFd = openSync(folder, 'r'); // reading it is an error
      let returned = 0;
      const failing: OpenFile = {
        ...open,
        touch: () => true,
        readNow: (target, position) => readSync(folderFd, target, 0, target.byteLength, position),
        release: () => {
          returned += 1;
          open.release();
        },
      };
      const address = { in: 'file', offset: 0, headerBytes: 30 } as const;
      const sound = { packedSize: 4, size: 4, media: 0, width: 1, height: 1, fault: 0 };
      assert.is(storedNow(failing, { ...sound, address, method: METHOD.stored }, 'tag'), undefined);
      assert.is(returned, 1);
      closeSync(folderFd);
      files.close();
    });
    check('beyond the limit the least recently used one is closed, once nobody reads from it', async () => {
      const files = new OpenFiles(2);
      const [one, two, three] = ['one', 'two', 'three'].map(fileOf) as [FileVersion, FileVersion, FileVersion];
      const held = await files.acquire(one);
      const second = await files.acquire(two);
      second.release();
      (await files.acquire(one)).release(); // counts as use
      const third = await files.acquire(three);
      await until('the second is closed', () => isClosed(second.fd));
      const again = await files.acquire(two);
      const anew = await files.acquire(one);
      assert.is.not(anew.fd, held.fd);
      assert.is(await held.read(Buffer.alloc(one.size), 0), one.size);
      held.release();
      await until('the one that was replaced is closed', () => isClosed(held.fd));
      files.close();
      for (const open of [third, again, anew]) {
        assert.not.ok(isClosed(open.fd));
        open.release();
      }
    });
    check('a file that was replaced by one of the same size and time is not lent as its new version', async () => {
      const files = new OpenFiles(2);
      // A whole second: file systems round others differently than numbers do.
      const time = new Date(1_700_000_000_000);
      const old: FileVersion = { ...fileOf('same'), mtimeMs: time.getTime() };
      utimesSync(old.path, time, time);
      const held = await files.acquire(old);
      const other = fileOf('emas');
      utimesSync(other.path, time, time);
      renameSync(other.path, old.path);
      const now: FileVersion = { ...old, version: '2' };
      assert.is(files.acquireNow(now), undefined);
      const bytes = Buffer.alloc(old.size);
      const opened = await files.acquire(now);
      await opened.read(bytes, 0);
      assert.is(bytes.toString(), 'words of emas');
      opened.release();
      held.release();
      files.close();
    });
    check('two who open it at once leave one descriptor, and closing leaves none', async () => {
      const files = new OpenFiles(2);
      const version = fileOf('both');
      const both = await Promise.all([files.acquire(version), files.acquire(version)]);
      for (const open of both) open.release();
      const kept = await files.acquire(version);
      kept.release();
      assert.is(both.filter(({ fd }) => fd === kept.fd).length, 1);
      files.close();
      await until('all are closed', () => both.every(({ fd }) => isClosed(fd)));
    });
  },
  { after: () => rmSync(folder, { recursive: true, force: true }) },
);
