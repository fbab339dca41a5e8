// Open files between requests: whoever has one in hand reads from it, and each descriptor is closed once.
import { closeSync, fstatSync, mkdtempSync, openSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileVersion, OpenFiles } from '../../core/pages/open-files.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longbox-open-')));

const fileOf = (name: string): FileVersion => {
  const path = join(folder, name);
  writeFileSync(path, `words of ${name}`);
  const { size, mtimeMs } = statSync(path);
  return { path, root: folder, size, mtimeMs: Math.floor(mtimeMs) };
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
  },
  { after: () => rmSync(folder, { recursive: true, force: true }) },
);
