// A scan has just listed the folders whose books it reads: it need not look for files that describe them where there are none.
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const opf = (title: string): string => `<package><metadata><title>${title}</title></metadata></package>`;

block('files that describe books', (check) => {
  check('are looked for by a scan where the listing has some, and by an analysis on request everywhere', async () => {
    const temp = await tempApp();
    try {
      const { pool, scans } = temp.app;
      const { run } = pool;
      const alone = new Map<string, boolean | undefined>();
      pool.run = (name, input, options) => {
        if (name === 'analyze' && 'isAlone' in input) alone.set(basename(input.path), input.isAlone);
        return run.call(pool, name, input, options) as never;
      };
      writeBook(join(temp.shelf, 'Plain', 'One.cbz'), 2, 'one');
      writeBook(join(temp.shelf, 'Told', 'Two.cbz'), 2, 'two');
      writeFileSync(join(temp.shelf, 'Told', 'Two.opf'), opf('Described'));
      const token = await temp.tokenOf('admin');
      const api = async (method: string, path: string, body?: unknown) =>
        (await temp.call(method, `/api/v1${path}`, { token, body })).json;
      const body = { name: 'Shelf', path: temp.shelf, bookStrategy: 'metadata_first' };
      const { id } = await api('POST', '/libraries', body);
      const scan = async (): Promise<void> => {
        await api('POST', `/libraries/${id}/scan`);
        await until('the scan ends', () => scans.active().length === 0);
      };
      const titles = async (): Promise<string[]> =>
        (await api('GET', '/books')).data.map(({ title }: { title: string }) => title).sort();
      await scan();
      assert.equal(Object.fromEntries(alone), { 'One.cbz': true, 'Two.cbz': false });
      assert.equal(await titles(), ['Described', 'One']);

      writeFileSync(join(temp.shelf, 'Plain', 'One.opf'), opf('Added'));
      const book = (await api('GET', '/books')).data.find(({ title }: { title: string }) => title === 'One');
      await api('POST', `/books/${book.id}/analyze`);
      await until('it is analysed', async () => (await titles()).includes('Added'));
      assert.is(alone.get('One.cbz'), false);

      writeFileSync(join(temp.shelf, 'Plain', 'One.opf'), opf('Changed'));
      await scan();
      assert.equal(await titles(), ['Changed', 'Described']);
      assert.equal(temp.faults, []);
    } finally {
      await temp.close();
    }
  });
});
