// Analysing what is due: results are stored as they come.
import { join } from 'node:path';
import type { Pool } from '../../core/engine/pool.js';
import type { JobName } from '../../core/model/jobs.js';
import { drain } from '../../core/scan/analyse.js';
import type { ScanParts } from '../../core/scan/context.js';
import { tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';

const BOOKS = 30;

/** The pool, as it is for a file that takes until `released` to be read. */
const withSlowFile = (inner: Pool, name: string, released: Promise<void>): Pool => ({
  backgroundWidth: inner.backgroundWidth,
  lostThreads: 0,
  load: () => inner.load(),
  hurry: () => inner.hurry(),
  close: () => inner.close(),
  run: async <K extends JobName>(
    job: K,
    input: Parameters<typeof inner.run<K>>[1],
    options: Parameters<typeof inner.run>[2],
  ) => {
    if ('path' in input && String(input.path).endsWith(name)) await released;
    return inner.run(job, input, options);
  },
});

block('analysing what is due', (check) => {
  check('one slow file holds back no other result', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      for (let n = 0; n < BOOKS; n += 1) writeBook(join(temp.shelf, 'Series', `Book ${n}.cbz`), 1, `book ${n}`);
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const { db, blobs, clock, pool } = temp.app;
      await db.write('interactive', (tx) => tx.run('UPDATE book SET due = 1'));
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const parts: ScanParts = {
        db,
        blobs,
        clock,
        pool: withSlowFile(pool, 'Book 17.cbz', released),
        limits: LIMITS,
        thumbnail: { side: 300, quality: 80 },
        walkBatchFiles: 1000,
        ownFolders: [],
        onFault: (thrown) => temp.faults.push(thrown),
      };
      const filter = { where: '1 = 1', binds: [] };
      const done = drain(parts, { filter, signal: new AbortController().signal, onStored: () => undefined });
      const due = async (): Promise<number> => (await db.all('SELECT 1 FROM book WHERE due = 1')).length;
      await until('all others are stored', async () => (await due()) === 1);
      release();
      await done;
      assert.equal([await due(), temp.faults], [0, []]);
    } finally {
      await temp.close();
    }
  });
});
