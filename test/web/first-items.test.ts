// Selecting all of a long wall: its first items are loaded, page by page.
import { firstItems } from '../../http/web/client/state/first-items.js';
import { assert, block } from '../kit.js';

const SIZE = 5;

/** A list of so many numbers, and the pages that were asked of it. */
const listOf = (total: number) => {
  const all = Array.from({ length: total }, (_, at) => at);
  const pages: number[] = [];
  const load = async (page: number) => {
    pages.push(page);
    return { data: all.slice(page * SIZE, (page + 1) * SIZE) };
  };
  return { all, pages, load };
};

block('the first items of a list', (check) => {
  check('as many items as are wanted, in order, without requesting a page too many', async () => {
    for (const [total, count, asked] of [
      [0, 10, 1],
      [4, 10, 1],
      [7, 10, 2],
      [10, 10, 2],
      [23, 10, 2],
      [23, 12, 3],
    ] as const) {
      const { all, pages, load } = listOf(total);
      assert.equal(await firstItems(load, count, SIZE), all.slice(0, count));
      assert.equal(pages, [0, 1, 2].slice(0, asked), `${count} of ${total}`);
    }
  });
});
