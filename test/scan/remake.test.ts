// Making stored rows again: what happens when it fails, when it is stopped, and when a table cannot be read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STORED_RULES } from '../../core/model/stored-rules.js';
import { tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const AS_BEFORE = 'UPDATE stored_rule SET number = 1';

/** A scanned library of one book in a folder that outlives its engine. */
const withFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-remake-'));
  try {
    writeBook(join(folder, 'shelf', 'A', 'Book 1.cbz'), 2, 'one');
    const temp = await tempApp({ folder });
    const token = await temp.tokenOf('admin');
    const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
    await temp.call('POST', '/api/v1/libraries', { token, body });
    await until(
      'the scan ends',
      async () => (await temp.call('GET', '/api/v1/scans/active', { token })).json.length === 0,
    );
    await temp.close();
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

type Temp = Awaited<ReturnType<typeof tempApp>>;

const run = ({ app }: Temp, sql: string): Promise<number> => app.db.write('interactive', (tx) => tx.run(sql));

const inApp = async (folder: string, use: (temp: Temp) => Promise<void>): Promise<void> => {
  const temp = await tempApp({ folder });
  try {
    await use(temp);
  } finally {
    await temp.close();
  }
};

const numbersOf = async ({ app }: Temp): Promise<Record<string, number>> => {
  const rows = await app.db.all<{ name: string; number: number }>('SELECT name, number FROM stored_rule');
  return Object.fromEntries(rows.map(({ name, number }) => [name, number]));
};

block('rows made again', (check) => {
  check('a new database begins with the rules of today', () =>
    withFolder((folder) => inApp(folder, async (temp) => assert.equal(await numbersOf(temp), { ...STORED_RULES }))),
  );
  check('what a failure left is made when it passes, without a restart', () =>
    withFolder(async (folder) => {
      await inApp(folder, async (temp) => {
        await run(temp, AS_BEFORE);
        await run(temp, "UPDATE series SET name_sort = 'old'");
        await run(
          temp,
          "CREATE TRIGGER refuse BEFORE UPDATE OF name_sort ON series BEGIN SELECT raise(ABORT, 'no room'); END",
        );
      });
      await inApp(folder, async (temp) => {
        assert.is((await numbersOf(temp)).sortKeys, 1);
        assert.match(String(temp.faults[0]), /no room/);
        await run(temp, 'DROP TRIGGER refuse');
        await until('it is made', async () => (await numbersOf(temp)).words === STORED_RULES.words);
        const [row] = await temp.app.db.all<{ key: string }>('SELECT name_sort AS key FROM series');
        assert.is(row?.key, 'a');
      });
    }),
  );
  check('a page table that cannot be read makes its book due, and nothing else', () =>
    withFolder(async (folder) => {
      await inApp(folder, async (temp) => {
        await run(temp, AS_BEFORE);
        await run(temp, "UPDATE book_pages SET rule = 1, page_table = x'00'");
      });
      await inApp(folder, async (temp) => {
        assert.equal(await numbersOf(temp), { ...STORED_RULES });
        assert.equal(temp.faults, []);
        assert.equal(await temp.app.db.all('SELECT due, page_count FROM book'), [{ due: 1, page_count: 2 }]);
      });
    }),
  );
});
