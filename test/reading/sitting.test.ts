// Which page is on the screen, worked out from the pages that an app fetches; and what of it is stored.
import { fetched, isAtEnd, type Sitting } from '../../core/reading/sitting.js';
import { assert, block } from '../kit.js';
import { type OpdsShelf, opdsShelf, PAGES } from '../opds/shelf.js';

/** Pages with the milliseconds after which each is fetched. */
const after = (...pages: readonly (readonly [page: number, waitMs: number])[]): Sitting => {
  let at = 0;
  let sitting: Sitting | undefined;
  for (const [page, waitMs] of pages) {
    at += waitMs;
    sitting = fetched(sitting, page, at);
  }
  if (sitting === undefined) throw new Error('no page was fetched');
  return sitting;
};

const SLOWLY = 20_000;
const AT_ONCE = 50;

let shelf: OpdsShelf;

const fetchPages = async (book: string | undefined, pages: readonly number[], waitMs: number): Promise<void> => {
  for (const page of pages) {
    shelf.temp.advance(waitMs);
    const answer = await shelf.get(`/opds/v1.2/books/${book}/pages/${page}`);
    assert.is(answer.status, 200);
  }
};

const stored = async (book: string | undefined, waitMs = 3000): Promise<{ page?: number; completed?: boolean }> => {
  shelf.temp.advance(waitMs);
  await shelf.temp.app.streamedReading.settle();
  const { json } = await shelf.api('GET', `/books/${book}/progress`);
  return { page: json?.currentPage, completed: json?.completed };
};

block(
  'pages that apps fetch',
  (check) => {
    check('an app that fetches one page at a time shows the last one', () =>
      assert.is(after([1, 0], [2, SLOWLY], [3, SLOWLY]).shown, 3),
    );
    check('pages fetched in advance are not shown yet', () => {
      const opened = [
        [4, 0],
        [5, AT_ONCE],
        [6, AT_ONCE],
      ] as const;
      assert.is(after(...opened).shown, 4);
      assert.is(after(...opened, [7, SLOWLY]).shown, 5);
      assert.is(after(...opened, [7, SLOWLY], [8, SLOWLY]).shown, 6);
    });
    check('they may arrive in any order', () =>
      assert.is(after([6, 0], [4, AT_ONCE], [5, AT_ONCE], [7, SLOWLY]).shown, 5),
    );
    check('the first page alone may be a cover', () => assert.is(after([1, 0]).shown, 0));
    check('a cover fetched on the way does not count as looking ahead', () =>
      assert.is(after([1, 0], [7, AT_ONCE], [8, AT_ONCE], [9, SLOWLY]).shown, 8),
    );
    check('a page fetched again changes nothing', () =>
      assert.is(after([4, 0], [5, SLOWLY], [6, SLOWLY], [1, SLOWLY], [5, SLOWLY]).shown <= 6, true),
    );
    check('a book fetched whole is at its beginning, and not at its end', () => {
      const all = Array.from({ length: 60 }, (_, index) => [index + 1, AT_ONCE] as const);
      const sitting = after(...all);
      assert.equal([sitting.shown, isAtEnd(sitting, 60)], [1, false]);
    });
    check('pages at the beginning and at the end, fetched at once, are no reading to the end', () => {
      for (const pages of [
        [1, 2, 36],
        [1, 18, 36],
        [1, 36],
      ]) {
        const sitting = after(...pages.map((page, index) => [page, index === 0 ? 0 : AT_ONCE] as const));
        assert.is(isAtEnd(sitting, 36), false, pages.join());
      }
      assert.is(isAtEnd(after([1, 0], [2, SLOWLY], [36, SLOWLY]), 36), false, 'a jump to the last page');
      assert.is(isAtEnd(after([34, 0], [35, AT_ONCE], [36, AT_ONCE]), 36), true, 'opened near the end');
    });
    check('who turns the last pages is at the end', () =>
      assert.is(isAtEnd(after([1, 0], [2, AT_ONCE], [3, SLOWLY], [4, SLOWLY]), 4), true),
    );
    check('progress follows, is never taken back, and ends with the book', async () => {
      const book = shelf.books[0];
      await fetchPages(book, [1], SLOWLY);
      assert.equal(await stored(book), { page: undefined, completed: undefined });
      await fetchPages(book, [2, 3], SLOWLY);
      assert.equal(await stored(book), { page: 3, completed: false });
      await fetchPages(book, [1], SLOWLY);
      assert.equal(await stored(book), { page: 3, completed: false });
      await fetchPages(book, [4, PAGES], SLOWLY);
      assert.equal(await stored(book), { page: PAGES, completed: true });
      await fetchPages(book, [1, 2], SLOWLY);
      assert.equal(await stored(book), { page: PAGES, completed: true });
    });
    check('an app that looks ahead finishes the book when there was time for the rest', async () => {
      const book = shelf.books[1];
      await fetchPages(book, [1, 2], AT_ONCE);
      await fetchPages(book, [3, 4, PAGES], SLOWLY);
      assert.equal(await stored(book), { page: PAGES - 1, completed: false });
      assert.equal(await stored(book, 60_000), { page: PAGES, completed: true });
    });
    check('HEAD of a page is no sign of reading', async () => {
      const book = shelf.books[2];
      for (const page of [3, 4]) {
        shelf.temp.advance(SLOWLY);
        await shelf.temp.call('HEAD', `/opds/v1.2/books/${book}/pages/${page}`, { token: shelf.token });
      }
      assert.equal(await stored(book), { page: undefined, completed: undefined });
    });
  },
  {
    before: async () => {
      shelf = await opdsShelf();
    },
    after: () => shelf.temp.close(),
  },
);
