// Purges that somebody waits for: they end when nobody does any more, and let other changes come first.
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { withTaskShelf } from '../http/task-shelf.js';
import { assert, block } from '../kit.js';

const BOOKS = 70;

block('purges', (check) => {
  check('a purge ends between two transactions when its asker has left, and others write before it', () =>
    withTaskShelf(async ({ ask, temp, libraryId }) => {
      const { app, shelf } = temp;
      const scan = async (): Promise<void> => {
        assert.is((await ask('POST', `/libraries/${libraryId}/scan?acceptMissing=true`)).status, 200);
        await until('the scan ends', () => app.scans.active().length === 0);
      };
      for (let n = 0; n < BOOKS; n += 1) writeBook(join(shelf, 'Bees', `Bees ${n}.cbz`), 1, `${n}`);
      await scan();
      mkdirSync(join(temp.folder, 'away'));
      renameSync(join(shelf, 'Bees'), join(temp.folder, 'away', 'Bees'));
      await scan();
      const deleted = async (): Promise<number | undefined> =>
        (await app.db.all<{ n: number }>('SELECT count(*) AS n FROM book WHERE deleted = 1'))[0]?.n;
      assert.is(await deleted(), BOOKS);
      const token = await temp.tokenOf('admin');
      const asker = new AbortController();
      const { write } = app.db;
      const lanes: string[] = [];
      app.db.write = async (by, lane, body) => {
        const written = await write.call(app.db, by, lane, body);
        if (by !== null) {
          lanes.push(lane);
          asker.abort();
        }
        return written as never;
      };
      const path = `/api/v1/libraries/${libraryId}/purge-deleted`;
      const { status } = await temp.call('DELETE', path, { token, signal: asker.signal });
      app.db.write = write;
      assert.equal([status === 200, lanes, await deleted()], [false, ['background'], BOOKS - 64]);
      assert.is((await temp.call('DELETE', path, { token })).json, BOOKS - 64);
    }),
  );
});
