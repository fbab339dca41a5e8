// Editions of one work: found among books that look alike, by their pages or by their numbers; a damaged book fails no search.
import { readFileSync, writeFileSync } from 'node:fs';
import { lookOf, looksLike, PAGE_BYTES } from '../../core/model/looks.js';
import { Unions } from '../../core/scan/duplicates/editions.js';
import { assert, block } from '../kit.js';
import { withEditions } from './edition-search.js';

const WORKS = 12;

block('editions', (check) => {
  check('blank pages are like nothing', () => {
    const blank = lookOf(new Uint8Array(1024).fill(255));
    assert.equal(blank, new Uint8Array(PAGE_BYTES));
    const three = new Uint8Array(PAGE_BYTES * 3);
    assert.is(looksLike(three, three), false);
  });
  check('books that belong together by others are one group, others are none', () => {
    const unions = new Unions();
    for (const pair of [
      [7, 9],
      [1, 2],
      [9, 4],
      [2, 2],
    ])
      unions.join(pair);
    assert.equal(unions.groups(), [
      [1, 2],
      [4, 7, 9],
    ]);
  });
  check('drawn works are found in other formats, sizes and qualities, and works that look alike are told apart', () =>
    withEditions(WORKS, async ({ temp, books, find, judge, ask }) => {
      const [damaged] = books.filter(({ path }) => path.endsWith('.cbz'));
      assert.ok(damaged);
      const first = await find();
      assert.equal([first.books_compared, first.books_unreadable, first.more_to_compare], [WORKS * 2, 0, false]);
      const { found, falsePairs } = await judge();
      assert.ok(found >= WORKS * 0.95, `${found} of ${WORKS}`);
      assert.is(falsePairs, 0);
      const again = await find();
      assert.is(again.books_compared, 0, 'looks are kept');
      const bytes = readFileSync(damaged.path);
      writeFileSync(damaged.path, bytes.fill(7, 200, bytes.length - 2000));
      await temp.app.db.write(null, 'interactive', (tx) => tx.run('DELETE FROM book_look'));
      const last = await find();
      assert.equal(last.books_compared + last.books_unreadable, WORKS * 2);
      assert.is(last.books_unreadable, 1);
      const [{ id }] = (await ask('GET', '/duplicates?kind=edition')).duplicates;
      await ask('DELETE', `/duplicates/${id}`);
      await find();
      const left = (await ask('GET', '/duplicates?kind=edition')).duplicates.map((group: { id: string }) => group.id);
      assert.is(left.includes(id), false);
    }),
  );
});
