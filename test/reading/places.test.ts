// Conversions between the ways in which apps name a place in a book.
import type { SpineItem } from '../../core/model/outline.js';
import {
  itemOfHref,
  pageOfPosition,
  placeOfHref,
  placeOfItem,
  placeOfPosition,
  placeOfShare,
  positionOfPage,
  spineOf,
} from '../../core/reading/places.js';
import { assert, block } from '../kit.js';

const item = (href: string, positions: number): SpineItem => ({
  href,
  mediaType: 'application/xhtml+xml',
  positions,
  linear: true,
});

const SPINE = spineOf([item('cover.xhtml', 1), item('text/one.xhtml', 4), item('text/two.xhtml', 5)]);

block('places', (check) => {
  check('a position names its item, and the shares of item and book', () => {
    assert.equal(placeOfPosition(SPINE, 4), {
      index: 1,
      href: 'text/one.xhtml',
      mediaType: 'application/xhtml+xml',
      position: 4,
      progression: 0.5,
      totalProgression: 0.4,
    });
  });

  check('positions outside the book are the nearest ones', () => {
    assert.is(placeOfPosition(SPINE, -3)?.position, 1);
    assert.is(placeOfPosition(SPINE, 11)?.position, 10);
    assert.is(placeOfPosition(SPINE, 1e300)?.index, 2);
    assert.is(placeOfPosition(spineOf([]), 1), undefined);
  });

  check('every position survives a share, also in single precision, and an item with its progression', () => {
    const large = spineOf([item('a', 777), item('b', 1), item('c', 9_999)]);
    for (const spine of [SPINE, large])
      for (let position = 1; position <= spine.total; position += 1) {
        const place = placeOfPosition(spine, position);
        assert.ok(place);
        assert.is(placeOfShare(spine, place.totalProgression)?.position, position);
        assert.is(placeOfShare(spine, Math.fround(place.totalProgression))?.position, position);
        assert.is(placeOfItem(spine, place.index, place.progression)?.position, position);
        assert.is(placeOfHref(spine, `${place.href}#here`, place.progression)?.position, position);
      }
  });

  check('a share of nothing is the first position, of everything the last', () => {
    assert.is(placeOfShare(SPINE, 0)?.position, 1);
    assert.is(placeOfShare(SPINE, 1)?.position, 10);
  });

  check('an item read to its end is at its last position; an item that is not there is nowhere', () => {
    assert.is(placeOfItem(SPINE, 1, 1)?.position, 5);
    assert.is(placeOfItem(SPINE, 3), undefined);
    assert.is(placeOfItem(SPINE, -1), undefined);
    assert.is(itemOfHref(SPINE, 'text/three.xhtml'), undefined);
    assert.is(placeOfHref(SPINE, 'one.xhtml'), undefined);
  });

  check('pages and positions of different numbers are converted by their share', () => {
    assert.is(pageOfPosition(7, 13, 13), 7);
    assert.is(pageOfPosition(13, 13, 20), 20);
    assert.is(pageOfPosition(1, 10, 20), 2);
    assert.is(positionOfPage(2, 20, 10), 1);
    assert.is(positionOfPage(20, 20, 10), 10);
  });
});
