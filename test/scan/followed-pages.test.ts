// Readers stay on their page when the pages of a book change, by a changed file or by a changed rule.

import { rmSync } from 'node:fs';
import { encodePageTable, PageTable } from '../../core/model/page-table.js';
import { pagesOf } from '../../core/model/stored-pages.js';
import { withConnection } from '../../core/store/connection.js';
import { SYSTEM } from '../../core/store/feed.js';
import { tempApp, until } from '../app.js';
import { unpackEarlier } from '../earlier.js';
import { assert, block } from '../kit.js';
import { writeTar } from '../tar-writer.js';
import { type ChangingShelf, paged, pageOf, picture, withChangingShelf } from './changing-shelf.js';

const BOOK = 'Alpha/Alpha 1.cbz';

const onPage = async (
  items: Parameters<ChangingShelf['write']>[1],
  page: number,
  use: (shelf: ChangingShelf, id: string) => Promise<void>,
): Promise<void> =>
  withChangingShelf(async (shelf) => {
    shelf.write(BOOK, items);
    await shelf.scan();
    const { id } = await shelf.book(BOOK);
    await shelf.read(id, page);
    await use(shelf, id);
  });

const pageNow = async (
  shelf: ChangingShelf,
  id: string,
): Promise<readonly [number | undefined, boolean | undefined]> => {
  const progress = await shelf.progress(id);
  return [progress?.currentPage, progress?.completed];
};

block('progress follows the page', (check) => {
  check('a page is added at the front under a name of its own', () =>
    onPage(paged('alpha', 8), 5, async (shelf, id) => {
      shelf.write(BOOK, [{ name: 'a credits.png', bytes: picture('credits') }, ...paged('alpha', 8)]);
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [6, false]);
    }),
  );
  check('a page is added at the front, and all others are renumbered', () =>
    onPage(paged('alpha', 8), 5, async (shelf, id) => {
      const shifted = paged('alpha', 8).map(({ bytes }, at) => ({ name: `p${at + 2}.png`, bytes }));
      shelf.write(BOOK, [{ name: 'p1.png', bytes: picture('credits') }, ...shifted]);
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [6, false]);
    }),
  );
  check('blank pages that look the same are told by their neighbours', () =>
    onPage(
      paged('alpha', 8).map((item, at) => (at === 2 || at === 4 ? { ...item, bytes: picture('blank') } : item)),
      5,
      async (shelf, id) => {
        const shifted = paged('alpha', 8).map(({ bytes }, at) => ({
          name: `p${at + 2}.png`,
          bytes: at === 2 || at === 4 ? picture('blank') : bytes,
        }));
        shelf.write(BOOK, [{ name: 'p1.png', bytes: picture('credits of the group') }, ...shifted]);
        await shelf.scan();
        assert.equal(await pageNow(shelf, id), [6, false]);
      },
    ),
  );
  check('a page that is gone is the nearest earlier one; nothing becomes read by it', () =>
    onPage(paged('alpha', 8), 6, async (shelf, id) => {
      shelf.write(
        BOOK,
        paged('alpha', 8).filter(({ name }) => !['p1.png', 'p5.png', 'p6.png', 'p7.png'].includes(name)),
      );
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [3, false]);
      shelf.write(
        BOOK,
        paged('alpha', 8).filter(({ name }) => ['p2.png', 'p3.png', 'p4.png'].includes(name)),
      );
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [3, false]);
    }),
  );
  check('a file that is cut off for a while does not move anybody', () =>
    onPage(paged('alpha', 8), 6, async (shelf, id) => {
      shelf.write(BOOK, paged('alpha', 3));
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [3, false]);
      shelf.write(BOOK, paged('alpha', 8));
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [6, false]);
    }),
  );
  check('a finished book stays finished, at its end, with one read-through at its own time', () =>
    onPage(paged('alpha', 4), 4, async (shelf, id) => {
      const readThroughs = 'SELECT hex(uuid) AS id, started_at, completed_at FROM read_completion';
      const before = await shelf.temp.app.db.all(readThroughs);
      assert.is(before.length, 1);
      shelf.write(BOOK, paged('alpha', 9));
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [9, true]);
      assert.equal(await shelf.temp.app.db.all(readThroughs), before);
    }),
  );
  check('pages in another image format under other extensions, in place and in another container', () =>
    onPage(paged('alpha', 8), 4, async (shelf, id) => {
      assert.is((await shelf.api('PATCH', `/books/${id}/cover/source`, { source: 'page:3' })).status, 200);
      const converted = (first: number): { readonly name: string; readonly bytes: Buffer }[] =>
        paged('alpha', 8).map(({ name }, at) => ({
          name: name.replace('.png', '.webp'),
          bytes: pageOf('converted', first + at),
        }));
      shelf.write(BOOK, converted(20));
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [4, false]);
      rmSync(shelf.path(BOOK));
      shelf.put(BOOK.replace('.cbz', '.cbt'), writeTar(converted(40)));
      await shelf.scan();
      assert.is((await shelf.book('Alpha 1.cbt')).id, id);
      assert.equal(await pageNow(shelf, id), [4, false]);
      const [cover] = await shelf.temp.app.db.all("SELECT source FROM cover WHERE source LIKE 'page:%'");
      assert.equal(cover, { source: 'page:3' });
    }),
  );
  check('a better scan with other names and a page of credits in front', () =>
    onPage(paged('alpha', 8), 4, async (shelf, id) => {
      const scans = paged('alpha', 8).map(({ name }, at) => ({
        name: `scan_${name}`,
        bytes: pageOf('larger', 60 + at),
      }));
      shelf.write(BOOK, [{ name: '000_credits.png', bytes: picture('credits') }, ...scans]);
      await shelf.scan();
      assert.equal(await pageNow(shelf, id), [5, false]);
    }),
  );
  check('a page that another device reported is what is told by the server from then on', () =>
    onPage(paged('alpha', 8), 5, async (shelf, id) => {
      const { updatedAt } = (await shelf.api('GET', `/books/${id}/progress`)).json;
      shelf.write(BOOK, [{ name: 'a.png', bytes: pageOf('other', 3) }, ...paged('alpha', 8)]);
      await shelf.scan();
      const { json } = await shelf.api('GET', `/books/${id}/progress`);
      assert.equal([json.currentPage, json.updatedAt], [6, updatedAt]);
      const [row] = await shelf.temp.app.db.all<{ device: string | null }>(
        'SELECT device_id AS device FROM read_progress',
      );
      assert.is(row?.device, null);
    }),
  );
  check('another rule for the order of pages, made from rows', () =>
    onPage(paged('alpha', 8), 5, async (shelf, id) => {
      const { db } = shelf.temp.app;
      const [row] = await db.all<{ blob: Buffer }>('SELECT page_table AS blob FROM book_pages');
      const old = encodePageTable('cbz', pagesOf(new PageTable(row?.blob ?? Buffer.alloc(0))).toReversed());
      await db.write(SYSTEM, 'interactive', (tx) =>
        tx.run('UPDATE book_pages SET page_table = ?, rule = 0', [Buffer.from(old)]),
      );
      const { remakePages } = await import('../../core/scan/remake-pages.js');
      await db.write(SYSTEM, 'background', (tx) => remakePages(tx, { from: 1, to: 100 }, shelf.temp.app.clock.now()));
      assert.equal(await pageNow(shelf, id), [4, false]);
    }),
  );
  check('the data folder of an earlier version, which had other pages in another order', async () => {
    const { folder, database } = await unpackEarlier();
    try {
      await withConnection(database, async (connection) => {
        const [row] = await connection.all<{ id: number; blob: Buffer }>(
          'SELECT p.book_id AS id, p.page_table AS blob FROM book_pages p JOIN read_progress r ON r.book_id = p.book_id WHERE r.current_page = 4',
        );
        const pages = pagesOf(new PageTable(row?.blob ?? Buffer.alloc(0)));
        assert.is(pages.length, 5);
        const old = Buffer.from(encodePageTable('cbz', pages.toReversed()));
        await connection.run('UPDATE book_pages SET page_table = ? WHERE book_id = ?', [old, row?.id ?? 0]);
        // The second page by the current rule; two that were pages are none.
        assert.is(pages.toReversed()[4]?.name, '001-2.png');
        await connection.run('UPDATE read_progress SET current_page = 5 WHERE book_id = ?', [row?.id ?? 0]);
      });
      const temp = await tempApp({ folder });
      try {
        const read = 'SELECT current_page AS page, completed FROM read_progress';
        const open = "SELECT 1 FROM task WHERE state IN ('pending', 'running')";
        const { db } = temp.app;
        await until(
          'pages are made again',
          async () => (await db.all('SELECT 1 FROM book_pages WHERE rule = 1')).length === 0,
        );
        await until('all is read again', async () => (await db.all(open)).length === 0);
        assert.equal(await db.all(read), [{ page: 2, completed: 0 }]);
        const hashes = await db.all(
          'SELECT 1 FROM book b JOIN read_progress r ON r.book_id = b.id WHERE b.koreader_hash IS NOT NULL',
        );
        assert.is(hashes.length, 1, 'the book is read again after that');
      } finally {
        await temp.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
