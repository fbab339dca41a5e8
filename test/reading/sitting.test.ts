// Which page is on the screen, worked out from the pages that an app fetches; and what of it is stored.
import { fetched, isAtEnd, pageSeen, type Sitting } from '../../core/reading/sitting.js';
import { assert, block } from '../kit.js';
import { type OpdsShelf, opdsShelf, PAGES } from '../opds/shelf.js';

type Step = readonly [page: number, waitMs: number, answerMs?: number];

/** Pages, each with the pause since the previous answer and the time that its own answer takes, in milliseconds. */
const after = (...pages: readonly Step[]): Sitting => {
  let at = 0;
  let sitting: Sitting | undefined;
  for (const [page, waitMs, answerMs = 0] of pages) {
    const askedAt = at + waitMs;
    at = askedAt + answerMs;
    sitting = fetched(sitting, { page, askedAt, answeredAt: at });
  }
  if (sitting === undefined) throw new Error('no page was fetched');
  return sitting;
};

const SLOWLY = 20_000;
const AT_ONCE = 50;
const WITHOUT_HURRY = 1300;

const allOf = (pageCount: number, waitMs: number, answerMs = 0): readonly Step[] =>
  Array.from({ length: pageCount }, (_, index) => [index + 1, waitMs, answerMs] as const);

/** What counts as read when nothing more is fetched for that long. */
const seenAfter = (sitting: Sitting, pageCount: number, quietMs: number, isElsewhere = false): number =>
  pageSeen(sitting, pageCount, { quietMs, isElsewhere });

const HOUR_MS = 3_600_000;
const BOOK = 40;

/** The largest error of the page that counts as read while somebody reads a book to its end, and the page at which that ends. */
const readBy = (paceMs: number, ahead: number): readonly [worst: number, end: number] => {
  let at = 0;
  let sitting: Sitting | undefined;
  let highest = 0;
  let worst = 0;
  for (let page = 1; page <= BOOK; page += 1) {
    for (; highest < Math.min(page + ahead, BOOK); at += 300) {
      highest += 1;
      sitting = fetched(sitting, { page: highest, askedAt: at, answeredAt: at + 200 });
    }
    at += paceMs;
    if (sitting !== undefined) worst = Math.max(worst, Math.abs(page - seenAfter(sitting, BOOK, at - 10 - sitting.at)));
  }
  return [worst, sitting === undefined ? 0 : seenAfter(sitting, BOOK, HOUR_MS)];
};

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
      for (const pageCount of [6, 60, 200])
        for (const [waitMs, answerMs] of [
          [AT_ONCE, 0],
          [WITHOUT_HURRY, 0],
          [AT_ONCE, SLOWLY],
          [0, WITHOUT_HURRY],
        ] as const) {
          const sitting = after(...allOf(pageCount, waitMs, answerMs));
          assert.equal([sitting.shown, isAtEnd(sitting, pageCount)], [1, false], `${pageCount} ${waitMs} ${answerMs}`);
          for (const isElsewhere of [true, false]) assert.is(seenAfter(sitting, pageCount, HOUR_MS, isElsewhere), 1);
        }
    });
    check('a download that pauses is no reading to the end', () => {
      const all = allOf(60, AT_ONCE).map(([page, wait]) => [page, page === 21 || page === 50 ? SLOWLY : wait] as const);
      assert.is(seenAfter(after(...all), 60, HOUR_MS) <= 2, true);
      const later = after([1, 0], [2, AT_ONCE], [3, SLOWLY], [4, SLOWLY], ...allOf(60, WITHOUT_HURRY).slice(4));
      assert.is(seenAfter(later, 60, HOUR_MS), 2, 'downloaded on the way');
    });
    check('a page counts once it was on the screen for a while', () => {
      const sitting = after([1, 0], [2, SLOWLY], [3, SLOWLY]);
      assert.equal([seenAfter(sitting, 9, 0), seenAfter(sitting, 9, 2900), seenAfter(sitting, 9, 3000)], [2, 2, 3]);
      assert.equal([seenAfter(sitting, 3, 2900), seenAfter(sitting, 3, 3000)], [2, 3], 'the last one too');
      assert.equal([seenAfter(sitting, 3, 2900, true), seenAfter(sitting, 3, 3000, true)], [2, 3], 'another opened');
    });
    check('an app that fetches several pages at once is ahead of its reader by as many', () => {
      const sitting = after([1, 0], [2, SLOWLY], [3, AT_ONCE], [4, AT_ONCE], [5, AT_ONCE]);
      assert.is(sitting.shown, 2);
    });
    for (const paceMs of [5000, 12_000, 60_000])
      check(`a reader who takes ${paceMs / 1000} s for a page is followed to within a page, and to the end`, () => {
        for (const ahead of [0, 1, 2, 3, 5]) {
          const [worst, end] = readBy(paceMs, ahead);
          assert.equal([worst <= 1, end], [true, BOOK], `${ahead} ahead: off by ${worst}, ends at ${end}`);
        }
      });
    check('pages at the beginning and at the end, fetched at once, are no reading to the end', () => {
      assert.is(seenAfter(after([36, 0]), 36, HOUR_MS), 35, 'the last page alone');
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
