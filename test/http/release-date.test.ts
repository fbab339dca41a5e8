// The day on which a book came out, as both APIs write it.
import { releaseDateOf } from '../../http/api/views/metadata.js';
import { dateOrNull } from '../../http/comics/views/text.js';
import { assert, block } from '../kit.js';

block('release dates', (check) => {
  check('a date needs a year; a day that its month does not have, or without a month, counts as the first', () => {
    assert.is(releaseDateOf({ year: 2024, month: null, day: 31 }), '2024-01-01T00:00:00.000Z');
    assert.is(releaseDateOf({ year: 2024, month: 13, day: 1 }), null);
    assert.equal([20_240_231, 20_240_229, 20_240_031, 20_241_301, 20_240_000].map(dateOrNull), [
      '2024-02-01',
      '2024-02-29',
      '2024-01-01',
      null,
      '2024-01-01',
    ]);
    assert.is(releaseDateOf({ year: null, month: 2, day: 2 }), null);
    assert.is(releaseDateOf({ year: 1999, month: null, day: null }), '1999-01-01T00:00:00.000Z');
    assert.is(releaseDateOf({ year: 2024, month: 2, day: 31 }), '2024-02-01T00:00:00.000Z');
    assert.is(releaseDateOf({ year: 33, month: 4, day: 3 }), '0033-04-03T00:00:00.000Z');
    assert.is(releaseDateOf({ year: 123_456, month: 1, day: 1 }), null);
  });
});
