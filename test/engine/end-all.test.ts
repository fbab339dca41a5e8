// Ending what was opened: everything is ended, whatever fails on the way.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endAll } from '../../core/engine/end-all.js';
import { tempApp } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

block('ending everything', (check) => {
  check('steps run in order, one after the other; what fails first is thrown, the rest is told', async () => {
    const order: number[] = [];
    const told: unknown[] = [];
    const step = (n: number, error?: string) => async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(n);
      if (error !== undefined) throw new Error(error);
    };
    const steps = [step(1), step(2, 'first'), step(3, 'second'), step(4)];
    const thrown = await thrownBy(() => endAll(steps, (one) => told.push(one)));
    assert.equal(order, [1, 2, 3, 4]);
    assert.match(String(thrown), /first/);
    assert.match(String(told), /^Error: second$/);
  });
  check('an engine of which a part cannot be closed closes all others, the database last', async () => {
    const temp = await tempApp();
    const { pages, blobs, db } = temp.app;
    const closePages = pages.close.bind(pages);
    pages.close = () => {
      closePages();
      throw new Error('pages');
    };
    try {
      const thrown = await thrownBy(() => temp.close());
      assert.match(String(thrown), /pages/);
      await blobs.put('cover/x', Buffer.alloc(10));
      assert.is(blobs.get('cover/x'), undefined, 'the cache is closed');
      assert.match(String(await thrownBy(() => db.all('SELECT 1'))), /The database is closed/);
      assert.not(existsSync(join(temp.folder, 'data', 'longbox.db-wal')), 'the database is closed');
    } finally {
      rmSync(temp.folder, { recursive: true, force: true });
    }
  });
});
