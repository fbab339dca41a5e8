// Editions of one work: found among books that look alike, by their pages or by their numbers; a damaged book fails no search.
import { readFileSync, writeFileSync } from 'node:fs';
import { groupOfMembers } from '../../core/catalog/duplicates/store.js';
import { lookOf, looksLike, PAGE_BYTES } from '../../core/model/looks.js';
import { comparePairs, Unions } from '../../core/scan/duplicates/editions.js';
import { sharing } from '../../core/scan/duplicates/search-step.js';
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
  check('a group keeps its id when a member joins or leaves', () => {
    const [few, more, others] = [groupOfMembers([4, 7]), groupOfMembers([4, 7, 9]), groupOfMembers([5, 7])];
    assert.is(few.matchKey, more.matchKey);
    assert.is.not(few.matchKey, others.matchKey);
  });
  check('a search lets others have the thread as soon as it held it for a few milliseconds', async () => {
    const rest = sharing();
    let hasOtherRun = false;
    setImmediate(() => {
      hasOtherRun = true;
    });
    for (let n = 0; n < 200 && !hasOtherRun; n += 1) {
      const until = performance.now() + 1;
      while (performance.now() < until);
      await rest();
      assert.ok(hasOtherRun || n < 50, 'others had no turn in 50 ms');
    }
  });
  check('however many books share a piece of their looks, not more than 500 are compared in one go', async () => {
    const look = Uint8Array.from({ length: PAGE_BYTES * 3 }, (_, at) => (at * 37 + 11) % 256);
    // Each shares one piece with the last of them, so that it compares all of them.
    const books = Array.from({ length: 1200 }, (_, id) => ({ id, hash: `${id}`, look }));
    let [compared, most] = [0, 0];
    await comparePairs(
      books,
      () => {
        compared += 1;
      },
      async () => {
        most = Math.max(most, compared);
        compared = 0;
      },
    );
    assert.ok(most > 0 && most <= 500, `${most} at once`);
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
      assert.is(id[14], '4', 'an id that does not tell when the group was found');
      await ask('DELETE', `/duplicates/${id}`);
      await find();
      const left = (await ask('GET', '/duplicates?kind=edition')).duplicates.map((group: { id: string }) => group.id);
      assert.is(left.includes(id), false);
    }),
  );
});
