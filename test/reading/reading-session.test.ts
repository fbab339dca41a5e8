// Which page is on the screen, worked out from the pages that an app fetches.
import { fetched, isAtEnd, pageSeen, READ_MS, type ReadingSession } from '../../core/reading/reading-session.js';
import { assert, block } from '../kit.js';

type Step = readonly [page: number, waitMs: number, answerMs?: number];

/** Pages, each with the pause since the previous answer and the time that its own answer takes, in milliseconds. */
const after = (...pages: readonly Step[]): ReadingSession => {
  let at = 0;
  let session: ReadingSession | undefined;
  for (const [page, waitMs, answerMs = 0] of pages) {
    const askedAt = at + waitMs;
    at = Math.max(at, askedAt + answerMs);
    session = fetched(session, { page, askedAt, answeredAt: at });
  }
  if (session === undefined) throw new Error('no page was fetched');
  return session;
};

const shownAfter = (...pages: readonly Step[]): number => after(...pages).now.shown;

const SLOWLY = 20_000;
const QUICKLY = 600;
const AT_ONCE = 50;
const HOUR_MS = 3_600_000;

const pagesOf = (first: number, last: number, waitMs: number, answerMs = 0): readonly Step[] =>
  Array.from({ length: last - first + 1 }, (_, index) => [first + index, waitMs, answerMs] as const);

/** What counts as read when nothing more is fetched for that long. */
const seenAfter = (session: ReadingSession, pageCount: number, quietMs: number, isElsewhere = false): number =>
  pageSeen(session, pageCount, { quietMs, isElsewhere });

const BOOK = 40;

/** The largest error of the page that counts as read while somebody reads a book to its end, and the page at which that ends. */
const readBy = (paceMs: number, ahead: number): readonly [worst: number, end: number] => {
  let at = 0;
  let session: ReadingSession | undefined;
  let highest = 0;
  let worst = 0;
  for (let page = 1; page <= BOOK; page += 1) {
    for (; highest < Math.min(page + ahead, BOOK); at += 300) {
      highest += 1;
      session = fetched(session, { page: highest, askedAt: at, answeredAt: at + 200 });
    }
    at += paceMs;
    if (session !== undefined) worst = Math.max(worst, Math.abs(page - seenAfter(session, BOOK, at - 10 - session.at)));
  }
  return [worst, session === undefined ? 0 : seenAfter(session, BOOK, HOUR_MS)];
};

block('reading sessions: the page on the screen', (check) => {
  check('an app that fetches one page at a time shows the last one, however quickly pages are turned', () => {
    for (const waitMs of [SLOWLY, 2000, QUICKLY, 300]) assert.is(shownAfter([1, 0], [2, waitMs], [3, waitMs]), 3);
  });
  check('pages fetched in advance are not shown yet', () => {
    for (const ahead of [1, 3, 10]) {
      const opened = pagesOf(4, 4 + ahead, AT_ONCE);
      assert.is(shownAfter(...opened), 4);
      assert.is(shownAfter(...opened, ...pagesOf(5 + ahead, 5 + ahead, SLOWLY)), 5);
      assert.is(shownAfter(...opened, ...pagesOf(5 + ahead, 10 + ahead, QUICKLY)), 10);
    }
  });
  check('they may arrive in any order, and be asked for before others have arrived', () => {
    assert.is(shownAfter([6, 0], [4, AT_ONCE], [5, AT_ONCE], [7, SLOWLY]), 5);
    assert.is(shownAfter([4, 0, 900], [6, -900, 800], [5, -700, 900], [7, SLOWLY], [8, SLOWLY]), 6);
    assert.is(shownAfter([4, 0], [5, SLOWLY], [6, SLOWLY], [9, SLOWLY], [8, AT_ONCE], [7, AT_ONCE]) <= 7, true);
  });
  check('an app may show its first page before it fetches others', () => {
    const opened = [
      [4, 0],
      [5, QUICKLY],
      [6, AT_ONCE],
      [7, AT_ONCE],
    ] as const;
    assert.is(shownAfter(...opened), 4);
    assert.is(shownAfter(...opened, [8, QUICKLY], [9, QUICKLY]), 6);
  });
  check('an app may begin to fetch ahead when the first page is turned', () =>
    assert.is(shownAfter([1, 0], [2, SLOWLY], [3, AT_ONCE], [4, AT_ONCE], [5, AT_ONCE]), 2),
  );
  check(
    'an app that fetches several pages whenever few are left is never assumed to be further than its reader',
    () => {
      let session: ReadingSession | undefined;
      let [at, highest] = [0, 0];
      for (let page = 1; page <= 60; page += 1) {
        for (; page > highest - 2 || (highest - page < 7 && highest % 5 !== 0); at += AT_ONCE) {
          highest += 1;
          session = fetched(session, { page: highest, askedAt: at, answeredAt: at });
        }
        at += 5000;
        assert.ok((session?.now.shown ?? 0) <= page, `${session?.now.shown} of ${page}`);
      }
    },
  );
  check('the first page alone may be a cover', () => {
    assert.is(shownAfter([1, 0]), 0);
    assert.is(shownAfter([1, 0], [7, AT_ONCE], [8, AT_ONCE], [9, SLOWLY]), 8, 'at the beginning');
    assert.is(shownAfter(...pagesOf(4, 9, SLOWLY), [1, SLOWLY], [10, SLOWLY]), 10, 'on the way');
    const ahead = [...pagesOf(30, 33, AT_ONCE), ...pagesOf(34, 36, SLOWLY)];
    assert.is(shownAfter(...ahead, [1, SLOWLY], [37, SLOWLY]), 34, 'far behind an app that fetches ahead');
  });
  check('two pages turned at once do not make an app look ahead that is known not to', () => {
    const before = pagesOf(1, 4, 5000);
    assert.is(shownAfter(...before, [5, 5000], [6, 200]) <= 6, true);
    assert.is(shownAfter(...before, [5, 5000], [6, 200], [7, 5000]), 7);
    assert.is(shownAfter(...pagesOf(1, 4, AT_ONCE), ...pagesOf(5, 7, SLOWLY), [8, SLOWLY], [9, 200], [10, SLOWLY]), 7);
  });
  check('an app that fetches nothing ahead shows what it fetches, when its reader goes back, too', () => {
    const session = after(
      ...pagesOf(10, 14, 5000),
      ...pagesOf(15, 22, QUICKLY),
      [21, QUICKLY],
      [20, QUICKLY],
      [14, QUICKLY],
    );
    assert.equal([session.now.shown, seenAfter(session, BOOK, HOUR_MS)], [14, 14]);
    assert.is(shownAfter(...pagesOf(10, 14, 5000), [13, 5000], [14, 5000], [15, 5000]), 15);
  });
  check('after a jump, it is found out again how far the app fetches ahead', () => {
    assert.is(
      shownAfter(...pagesOf(1, 5, SLOWLY), [60, SLOWLY], ...pagesOf(61, 63, AT_ONCE), [64, SLOWLY]) <= 61,
      true,
    );
    const jumped = [
      ...pagesOf(1, 4, AT_ONCE),
      ...pagesOf(5, 8, SLOWLY),
      [60, SLOWLY] as const,
      ...pagesOf(61, 63, AT_ONCE),
    ];
    assert.equal([shownAfter(...jumped), shownAfter(...jumped, [64, SLOWLY])], [60, 61]);
  });
});

block('reading sessions: what was read', (check) => {
  check('a page counts once it was on the screen for a while', () => {
    const session = after([1, 0], [2, SLOWLY], [3, SLOWLY]);
    const soon = READ_MS - 1;
    assert.equal([seenAfter(session, 9, 0), seenAfter(session, 9, soon), seenAfter(session, 9, READ_MS)], [2, 2, 3]);
    assert.equal([seenAfter(session, 3, soon), seenAfter(session, 3, READ_MS)], [2, 3], 'the last one too');
    assert.equal([seenAfter(session, 3, soon, true), seenAfter(session, 3, READ_MS, true)], [2, 3], 'another opened');
  });
  check('pages that were only passed do not count, the one on which the reader stays does', () => {
    const session = after([4, 0], [5, SLOWLY], ...pagesOf(6, 9, QUICKLY));
    assert.equal([seenAfter(session, BOOK, 0), seenAfter(session, BOOK, READ_MS)], [4, 9]);
  });
  for (const paceMs of [2000, 5000, 12_000, 60_000])
    check(`a reader who takes ${paceMs / 1000} s for a page is followed to within a page, and to the end`, () => {
      for (const ahead of [0, 1, 2, 3]) {
        const [worst, end] = readBy(paceMs, ahead);
        assert.equal([worst <= 1, end], [true, BOOK], `${ahead} ahead: off by ${worst}, ends at ${end}`);
      }
      for (const ahead of [4, 5, 10]) {
        const [worst, end] = readBy(paceMs, ahead);
        assert.equal([worst, end], [ahead, BOOK - ahead], `${ahead} ahead: as far as the app shows`);
      }
    });
  check('a book fetched whole is at its beginning, and not at its end', () => {
    for (const pageCount of [6, 60, 200])
      for (const [waitMs, answerMs] of [
        [AT_ONCE, 0],
        [299, 0],
        [AT_ONCE, SLOWLY],
        [0, 1300],
        [-500, 1300],
      ] as const) {
        const session = after(...pagesOf(1, pageCount, waitMs, answerMs));
        assert.equal(
          [session.now.shown, isAtEnd(session, pageCount)],
          [1, false],
          `${pageCount} ${waitMs} ${answerMs}`,
        );
        for (const isElsewhere of [true, false]) assert.is(seenAfter(session, pageCount, HOUR_MS, isElsewhere), 1);
      }
  });
  check('a book fetched slowly, or leafed through to its end, is not finished', () => {
    for (const waitMs of [300, QUICKLY, 1400]) {
      const all = pagesOf(1, 60, waitMs);
      assert.is(seenAfter(after(...all), 60, HOUR_MS), 0, `${waitMs}`);
      const stalled = all.map(([page, wait]) => [page, page % 20 === 19 ? SLOWLY : wait] as const);
      assert.is(seenAfter(after(...stalled), 60, HOUR_MS) < 60, true, `${waitMs}, with pauses`);
    }
  });
  check('a download that pauses is no reading to the end', () => {
    const all = pagesOf(1, 60, AT_ONCE).map(
      ([page, wait]) => [page, page === 21 || page === 50 ? SLOWLY : wait] as const,
    );
    assert.is(seenAfter(after(...all), 60, HOUR_MS) <= 2, true);
    for (const count of [5, 11, 57]) {
      const later = after([1, 0], [2, SLOWLY], [3, SLOWLY], [4, SLOWLY], ...pagesOf(5, 4 + count, AT_ONCE));
      assert.is(seenAfter(later, 4 + count + 20, HOUR_MS) <= 5, true, `${count} pages downloaded on the way`);
    }
    const rest = after([1, 0], [2, SLOWLY], [3, SLOWLY], [4, SLOWLY], ...pagesOf(5, 60, AT_ONCE));
    assert.is(seenAfter(rest, 60, HOUR_MS) < 60, true, 'the rest of the book');
  });
  check('pages at the beginning and at the end, fetched at once, are no reading to the end', () => {
    assert.is(seenAfter(after([36, 0]), 36, HOUR_MS), 35, 'the last page alone');
    for (const pages of [
      [1, 2, 36],
      [1, 18, 36],
      [1, 36],
      [34, 35, 36],
    ]) {
      const session = after(...pages.map((page, index) => [page, index === 0 ? 0 : AT_ONCE] as const));
      assert.is(isAtEnd(session, 36), false, pages.join());
      assert.is(seenAfter(session, 36, HOUR_MS) < 36, true, pages.join());
    }
    assert.is(isAtEnd(after([1, 0], [2, SLOWLY], [36, SLOWLY]), 36), false, 'a jump to the last page');
    assert.is(
      isAtEnd(after([33, 0], [34, AT_ONCE], [35, AT_ONCE], [36, SLOWLY]), 36),
      true,
      'a page turned near the end',
    );
  });
  check('the last pages of an app that looks ahead count once there was time for them', () => {
    const session = after(...pagesOf(1, 4, AT_ONCE), ...pagesOf(5, 10, 4000));
    assert.is(session.now.shown, 7);
    const until = (quietMs: number): number => seenAfter(session, 10, quietMs);
    assert.equal([until(2000), until(READ_MS + 4000), until(READ_MS + 8000)], [7, 8, 9]);
    assert.equal([until(READ_MS + 11_999), until(READ_MS + 12_000)], [9, 10]);
  });
});
