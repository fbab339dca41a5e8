// The shelf of new books on the start page, and which changes reported by the server matter to a screen.
import { additionsOf } from '../../http/web/client/state/added.js';
import { isAbout } from '../../http/web/client/state/changes.js';
import { assert, block } from '../kit.js';

const HOUR = 60 * 60 * 1000;

/** Each as its series and how many hours ago it was added. */
const books = (...all: readonly (readonly [series: string, hours: number])[]) =>
  all.map(([seriesId, hours]) => ({
    seriesId,
    createdAt: new Date(Date.UTC(2026, 0, 9) - hours * HOUR).toISOString(),
  }));

const sizes = (all: ReturnType<typeof books>): readonly (readonly [string | undefined, number])[] =>
  additionsOf(all, true).map((one) => [one.books[0]?.seriesId, one.books.length]);

block('new books', (check) => {
  check('books that a series got at once are grouped, at the place of the newest', () => {
    const all = books(['a', 0], ['b', 0.5], ['a', 1], ['c', 2], ['a', 3]);
    assert.equal(sizes(all), [
      ['a', 3],
      ['b', 1],
      ['c', 1],
    ]);
  });
  check('books that it got on other days are not', () => {
    assert.equal(sizes(books(['a', 0], ['a', 1], ['a', 30], ['a', 31], ['a', 90])), [
      ['a', 2],
      ['a', 2],
      ['a', 1],
    ]);
  });
  check('the group with the last book may lack some, unless the list is complete', () => {
    const all = books(['a', 0], ['b', 1], ['a', 2]);
    assert.equal(
      additionsOf(all, false).map(({ isCut }) => isCut),
      [true, false],
    );
    assert.equal(
      additionsOf(all, true).map(({ isCut }) => isCut),
      [false, false],
    );
  });
});

block('changes reported by the server', (check) => {
  const shown = new Set(['book', 'series', 'library']);
  check('a change to a book, series, library or cover on the screen matters, any other does not', () => {
    for (const [fields, wanted] of [
      [{ bookId: 'book', seriesId: 'other', libraryId: 'other' }, true],
      [{ bookId: 'other', seriesId: 'series', libraryId: 'library' }, true],
      [{ bookId: 'other', seriesId: 'other', libraryId: 'library' }, false],
      [{ seriesId: 'series', libraryId: 'library' }, true],
      [{ seriesId: 'other', libraryId: 'library' }, false],
      [{ libraryId: 'library' }, true],
      [{ libraryId: 'other' }, false],
      [{ entityId: 'book', libraryId: 'other' }, true],
      [{ entityId: 'other', libraryId: 'library' }, false],
    ] as const)
      assert.is(isAbout(fields, shown), wanted, JSON.stringify(fields));
  });
  check('an event that names nothing matters to every screen', () => assert.ok(isAbout({}, shown)));
});
