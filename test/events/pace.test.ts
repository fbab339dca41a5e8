// How many events are told singly; and rows that come and go between two looks.
import { Changes } from '../../core/events/changes.js';
import { type Counts, Pace, SINGLE_MAX, WINDOW_MS } from '../../core/events/pace.js';
import { created, type Report, removed, SYSTEM, updated } from '../../core/store/feed.js';
import { assert, block } from '../kit.js';

const hexOf = (n: number): string => n.toString(16).padStart(32, '0');
const place = { libraryKey: 1, seriesKey: 1 };
const make = (id: number, n: number): Report => created('book', [{ id, hex: hexOf(n) }], place);
const drop = (id: number, n: number): Report => removed('book', [{ id, hex: hexOf(n) }], place);

const changesOf = (...batches: readonly (readonly Report[])[]): Changes => {
  const changes = new Changes();
  for (const [sequence, reports] of batches.entries()) changes.take({ sequence, by: SYSTEM, reports });
  return changes;
};

const shape = ({ books }: Changes): unknown => [
  [...books.touched].map(([key, { isCreated }]) => [key, isCreated]),
  [...books.removed.values()].map(({ key }) => key),
];

block('what happened between two looks', (check) => {
  const ROWS: readonly (readonly [fact: string, batches: readonly (readonly Report[])[], expected: unknown])[] = [
    ['made and changed: made', [[make(5, 1)], [updated('book', [5], 1)]], [[[5, true]], []]],
    ['made and removed: nothing', [[make(5, 1)], [drop(5, 1)]], [[], []]],
    ['made and removed at once, in either order: nothing', [[make(5, 1), drop(5, 1)]], [[], []]],
    ['changed and removed: removed', [[updated('book', [5], 1)], [drop(5, 1)]], [[], [5]]],
    ['a key that is used again: both', [[drop(5, 1)], [make(5, 2)]], [[[5, true]], [5]]],
    ['a key that is used again at once: both', [[make(5, 2), drop(5, 1)]], [[[5, true]], [5]]],
    ['used again and removed: the old one', [[drop(5, 1)], [make(5, 2)], [drop(5, 2)]], [[], [5]]],
  ];
  for (const [fact, batches, expected] of ROWS) check(fact, () => assert.equal(shape(changesOf(...batches)), expected));
  check('a book that moved and went is told to those who saw it where it was', () => {
    const moved: Report = { ...updated('book', [5], 1), libraryKey: 1, seriesKey: 2, before: place };
    const gone: Report = removed('book', [{ id: 5, hex: hexOf(1) }], { libraryKey: 1, seriesKey: 2 });
    assert.is([...changesOf([moved], [gone]).books.removed.values()][0]?.seriesKey, 1);
  });
  check('words of one transaction stand; those of two only if both have some', () => {
    const said: Report = { ...updated('book', [5], 64), fields: ['title'] };
    const silent = updated('book', [5], 1);
    assert.equal(changesOf([silent, said]).books.touched.get(5)?.fields, ['title']);
    assert.is(changesOf([said], [silent]).books.touched.get(5)?.fields, undefined);
    assert.equal(changesOf([said], [{ ...said, fields: ['number'] }]).books.touched.get(5)?.fields, [
      'title',
      'number',
    ]);
  });
});

const some = (count: number, type = 'book_created'): Counts => new Map([[type, count]]);

block('the pace of events', (check) => {
  check('up to so many singly in a window, of each library and each type', () => {
    const pace = new Pace();
    assert.equal(
      [
        pace.takes(1, some(SINGLE_MAX), 0),
        pace.takes(2, some(1), 0),
        pace.takes(1, some(SINGLE_MAX, 'book_updated'), 1),
        pace.takes(1, some(1), WINDOW_MS - 1),
      ],
      [true, true, true, false],
    );
    assert.equal([pace.due(WINDOW_MS - 1), pace.due(WINDOW_MS)], [[], [1]]);
    assert.equal(pace.due(2 * WINDOW_MS), [], 'owed once');
  });
  check('after a window with too many the next begins with none, until one has few', () => {
    const pace = new Pace();
    pace.takes(1, some(SINGLE_MAX + 1), 0);
    assert.equal(pace.due(WINDOW_MS), [1]);
    assert.not.ok(pace.takes(1, some(1), WINDOW_MS + 1));
    assert.equal(pace.due(2 * WINDOW_MS), [1]);
    assert.ok(pace.takes(1, some(1), 2 * WINDOW_MS + 1));
  });
  check('a window later there is room again, and nothing is kept', () => {
    const pace = new Pace();
    assert.equal([pace.takes(1, some(SINGLE_MAX), 0), pace.takes(1, some(SINGLE_MAX), WINDOW_MS)], [true, true]);
    pace.due(2 * WINDOW_MS);
    assert.ok(pace.isIdle);
  });
  check('what nobody counted is owed', () => {
    const pace = new Pace();
    pace.owe(1, 0);
    assert.not.ok(pace.takes(1, some(1), 1));
  });
});
