// Books that arrive together are stored in the order of their names, as people count, so that it decides wherever lists have ties.
import { join } from 'node:path';
import { BY_FILE_NAMES, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const NAMES = ['a/c1', 'a/c1.5', 'a/c2', 'a/c10', 'a/c10.5', 'a/c100', 'Vol 2/p1', 'Vol 10/p1', 'Vol 10/part 2/p1'];

block('the order in which books are stored', (check) => {
  check('files and folders in natural order, and those that are added later after them', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      const scanned = async (): Promise<readonly string[]> => {
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        const { json } = await temp.call('GET', '/api/v1/books?sort=created_at,asc&pageSize=500', { token });
        return json.data.map(({ path }: { path: string }) => path.slice(temp.shelf.length + 1, -4));
      };
      for (const name of NAMES) writeBook(join(temp.shelf, `${name}.cbz`), 1, name);
      const body = { ...BY_FILE_NAMES, name: 'Shelf', path: temp.shelf, scanImmediately: true };
      const { json } = await temp.call('POST', '/api/v1/libraries', { token, body });
      assert.equal(await scanned(), NAMES);
      const later = ['a/c3', 'a/c20'];
      for (const name of later) writeBook(join(temp.shelf, `${name}.cbz`), 1, name);
      await temp.call('POST', `/api/v1/libraries/${json.id}/scan`, { token });
      assert.equal(await scanned(), [...NAMES, ...later]);
    } finally {
      await temp.close();
    }
  });
});
