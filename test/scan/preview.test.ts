// Previews of large folders: whoever waits for something else has their turn in between, and nothing goes on for somebody who has left.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const FILES = 3000;

block('previews of scans', (check) => {
  check('a preview ends between two names when its asker has left: other requests have their turn', async () => {
    const temp = await tempApp();
    try {
      const { pool } = temp.app;
      const root = join(temp.shelf, 'Many');
      mkdirSync(root, { recursive: true });
      for (let n = 0; n < FILES; n += 1) writeFileSync(join(root, `Ants ${n} ${'ab'.repeat(100)}.cbz`), '');
      const asker = new AbortController();
      const { run } = pool;
      let turns = 0;
      pool.run = async (...given: Parameters<typeof run>) => {
        const found = await run.apply(pool, given);
        void setImmediate().then(() => {
          turns += 1;
          asker.abort();
        });
        return found as never;
      };
      const body = {
        path: temp.shelf,
        seriesStrategy: 'custom',
        seriesConfig: { pattern: '(?P<series>(?:(?:a?b?){8}){8}x)' },
      };
      const token = await temp.tokenOf('admin');
      const options = { token, body, signal: asker.signal };
      const { status, json } = await temp.call('POST', '/api/v1/libraries/preview-scan', options);
      assert.equal([status === 200, turns], [false, 1], JSON.stringify(json));
    } finally {
      await temp.close();
    }
  });

  check('the path of a series is its folder, not that of its first file', async () => {
    const temp = await tempApp();
    try {
      mkdirSync(join(temp.shelf, 'Ants', 'Volume 1'), { recursive: true });
      writeFileSync(join(temp.shelf, 'Ants', 'Volume 1', 'a.cbz'), '');
      writeFileSync(join(temp.shelf, 'b.cbz'), '');
      const token = await temp.tokenOf('admin');
      const body = { path: temp.shelf, seriesStrategy: 'series_volume_chapter' };
      const { json } = await temp.call('POST', '/api/v1/libraries/preview-scan', { token, body });
      assert.equal(
        json.detectedSeries.map(({ name, path }: { name: string; path: string }) => [name, path]),
        [
          ['Ants', 'Ants'],
          ['Unsorted', ''],
        ],
      );
    } finally {
      await temp.close();
    }
  });

  check('a listing stops after so many folders, though there is no book in them', async () => {
    const temp = await tempApp();
    const root = mkdtempSync(join(tmpdir(), 'longbox-folders-'));
    try {
      for (const name of ['a/b', 'c', 'd']) mkdirSync(join(root, name), { recursive: true });
      const input = { root, folders: [''], known: new Map<string, string>(), extensions: ['cbz'], excluded: '' };
      const budgets = { readsSeries: false, fileBudget: 10, folderBudget: 3 };
      const { rest } = await temp.app.pool.run('walk', { ...input, ...budgets }, { lane: 'background' });
      assert.equal(rest, ['c', 'd']);
    } finally {
      rmSync(root, { recursive: true });
      await temp.close();
    }
  });

  check('of very many series, the first are shown in natural order', async () => {
    const temp = await tempApp();
    try {
      for (let n = 0; n < 1200; n += 1) writeFileSync(join(temp.shelf, `${n}.cbz`), '');
      const token = await temp.tokenOf('admin');
      const body = { path: temp.shelf };
      const { json } = await temp.call('POST', '/api/v1/libraries/preview-scan', { token, body });
      const names = json.detectedSeries.map(({ name }: { name: string }) => name);
      assert.equal([json.totalFiles, names], [1200, Array.from({ length: 500 }, (_, n) => `${n}`)]);
    } finally {
      await temp.close();
    }
  });
});
