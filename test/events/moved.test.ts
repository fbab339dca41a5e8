// A book that moves from a series that somebody sees to one that they do not, or the other way round.
import { Audience } from '../../core/events/audience.js';
import { Changes } from '../../core/events/changes.js';
import { EntityNews } from '../../core/events/entity-news.js';
import type { Looked } from '../../core/events/looked-up.js';
import type { News } from '../../core/events/news.js';
import { EVERYTHING } from '../../core/model/viewer.js';
import { SYSTEM, updated } from '../../core/store/feed.js';
import { assert, block } from '../kit.js';

const LIBRARIES = new Map([[1, 'library']]);

/** Somebody who sees the series with these keys, of two. */
const told = (keys: readonly number[], from: number, to: number): readonly News[] => {
  const seen = Uint32Array.from([keys.reduce((bits, key) => bits | (1 << key), 0)]);
  const audience = new Audience({ ...EVERYTHING, ageLimit: 12 }, seen, 0);
  const changes = new Changes();
  const before = { libraryKey: 1, seriesKey: from };
  const report = { ...updated('book', [5], 1), libraryKey: 1, seriesKey: to, before };
  changes.take({ sequence: 1, by: SYSTEM, reports: [report] });
  const looked: Looked = {
    books: [{ key: 5, id: 'book', libraryKey: 1, seriesKey: to, neverReadable: false }],
    series: new Map([1, 2].map((key) => [key, { key, id: `series ${key}`, libraryKey: 1 }])),
    crowded: [],
    accounts: new Map(),
    before: new Map([[audience, seen]]),
  };
  const libraries = { before: LIBRARIES, now: LIBRARIES };
  return new EntityNews({ changes, looked, libraries, at: 0, nowMs: 0 }).of(audience);
};

const shape = (news: readonly News[]): unknown =>
  news.map((one) => [one.type, 'seriesId' in one ? one.seriesId : undefined]);

block('a book that moves', (check) => {
  check('between series that are seen: changed, and in the new one', () =>
    assert.equal(shape(told([1, 2], 1, 2)), [['book_updated', 'series 2']]),
  );
  check('out of sight: deleted, from the series it was in', () =>
    assert.equal(shape(told([1], 1, 2)), [['book_deleted', 'series 1']]),
  );
  check('into sight: created', () => assert.equal(shape(told([2], 1, 2)), [['book_created', 'series 2']]));
  check('out of sight all the time: nothing', () => assert.equal(shape(told([], 1, 2)), []));
});
