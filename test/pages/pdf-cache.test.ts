// The caches of PDF documents: what is counted, and what clearing them removes and closes.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const ROW = '/api/v1/admin/pdf-cache';

interface Open {
  readonly temp: TempApp;
  readonly pdf: string;
  readonly call: (method: string, path: string, body?: unknown) => ReturnType<TempApp['call']>;
}

const withPdf = async (use: (open: Open) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const path = join(temp.folder, 'comics');
    mkdirSync(join(path, 'Ants'), { recursive: true });
    copyFileSync(fixture('books/blank-page.pdf'), join(path, 'Ants', 'Ants 1.pdf'));
    writeBook(join(path, 'Ants', 'Ants 2.cbz'), 2, 'a');
    const token = await temp.tokenOf('admin');
    const call: Open['call'] = (method, at, body) => temp.call(method, at, { token, body });
    await call('POST', '/api/v1/libraries', { name: 'Comics', path, scanImmediately: true });
    await until('the scan ends', () => temp.app.scans.active().length === 0);
    const { data } = (await call('GET', '/api/v1/books')).json;
    for (const { id } of data)
      assert.is((await call('GET', `/api/v1/books/${id}/pages/1?width=10&format=webp`)).status, 200);
    const [row] = await temp.app.db.all<{ id: string }>(
      `SELECT substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-' || substr(h, 13, 4) || '-' || substr(h, 17, 4) || '-' || substr(h, 21) AS id
         FROM (SELECT lower(hex(uuid)) AS h FROM book WHERE format = 'pdf')`,
    );
    await until('the page is stored', async () => (await call('GET', ROW)).json.pages.totalFiles > 0);
    await use({ temp, pdf: row?.id ?? '', call });
  } finally {
    await temp.close();
  }
};

block('the caches of PDF documents', (check) => {
  check('pages of documents are counted and removed, and no others', () =>
    withPdf(async ({ temp, call }) => {
      const { pages } = (await call('GET', ROW)).json;
      assert.equal([pages.bookCount, pages.totalFiles, pages.cacheEnabled, pages.oldestFileAgeDays], [1, 1, true, 0]);
      temp.advance(3 * DAY_MS);
      const token = await temp.tokenOf('admin'); // the other one has expired
      const later: typeof call = (method, path) => temp.call(method, path, { token });
      assert.is((await later('GET', ROW)).json.pages.oldestFileAgeDays, 3);
      const keys = (): string[] => temp.app.blobs.list(0, 100).map(({ key }) => key);
      const before = keys();
      const gone = (await later('DELETE', `${ROW}/pages`)).json;
      assert.equal([gone.filesDeleted, gone.bytesReclaimed], [1, pages.totalSizeBytes]);
      const after = keys(); // covers may be stored meanwhile
      assert.is(before.filter((key) => !after.includes(key)).length, 1);
      assert.is((await later('GET', ROW)).json.pages.totalFiles, 0);
      assert.is((await later('DELETE', `${ROW}/pages`)).json.filesDeleted, 0);
    }),
  );
  check('a clean-up is a task that removes what is older than the setting says', () =>
    withPdf(async ({ temp, call }) => {
      const clean = async (): Promise<number> => {
        const begun = (await call('POST', `${ROW}/pages/cleanup`)).json;
        assert.is(begun.maxAgeDays, 30);
        const status = async (): Promise<string> => (await call('GET', `/api/v1/tasks/${begun.taskId}`)).json.status;
        await until('the task ends', async () => (await status()) === 'completed');
        return (await call('GET', ROW)).json.pages.totalFiles;
      };
      assert.is(await clean(), 1);
      temp.advance(31 * DAY_MS);
      const token = await temp.tokenOf('admin');
      assert.is((await temp.call('POST', `${ROW}/pages/cleanup`, { token })).status, 200);
      await until('the task ends', async () =>
        temp.app.blobs.list(0, 100).every(({ key }) => !key.includes('10x.webp')),
      );
    }),
  );
  check('open documents are shown with their books, and closed, of one book or all', () =>
    withPdf(async ({ call, pdf }) => {
      const page = (width: number): Promise<unknown> => call('GET', `/api/v1/books/${pdf}/pages/1?width=${width}`);
      await page(20);
      const shown = (await call('GET', `${ROW}/handles`)).json;
      assert.ok(shown.currentSize >= 1 && shown.opens >= 1 && shown.currentSize <= shown.capacity);
      assert.equal(new Set(shown.entries.map(({ bookId }: { bookId: string }) => bookId)), new Set([pdf]));
      assert.is((await call('DELETE', `${ROW}/handles/0198c7a2-6f3e-7b51-9c0d-2a4e6f8b1d35`)).status, 404);
      assert.is((await call('DELETE', `${ROW}/handles/${pdf}`)).json.handlesClosed, shown.currentSize);
      assert.is((await call('GET', `${ROW}/handles`)).json.currentSize, 0);
      await page(30);
      assert.is((await call('DELETE', `${ROW}/handles`)).json.handlesClosed, 1);
      assert.is((await call('DELETE', `${ROW}/handles`)).json.handlesClosed, 0);
    }),
  );
  check('only who administers the server may look or clear', () =>
    withPdf(async ({ temp, pdf }) => {
      const token = await temp.tokenOf('maintainer');
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/handles'],
        ['DELETE', '/handles'],
        ['DELETE', `/handles/${pdf}`],
        ['DELETE', '/pages'],
        ['POST', '/pages/cleanup'],
      ] as const)
        assert.is((await temp.call(method, `${ROW}${path}`, { token })).status, 403);
    }),
  );
});
