// Which page of a changed book is the one that a reader was on.
import fc from 'fast-check';
import { type Paged, pageMove } from '../../core/model/page-moves.js';
import { encodePageTable, METHOD, PageTable } from '../../core/model/page-table.js';
import { assert, block } from '../kit.js';

interface Entry {
  readonly name: string;
  readonly size: number;
  readonly offset?: number;
}

const images = (entries: readonly Entry[]): Paged => ({
  table: new PageTable(
    encodePageTable(
      'cbz',
      entries.map(({ name, size, offset = 0 }) => ({
        name,
        size,
        packedSize: size,
        address: { in: 'file', offset, headerBytes: 0 },
        method: METHOD.raw,
        media: 1,
        width: 10,
        height: 10,
        fault: 0,
      })),
    ),
  ),
  spine: null,
  isText: false,
  pageCount: entries.length,
});

const text = (...documents: readonly (readonly [href: string, positions: number])[]): Paged => ({
  table: null,
  spine: documents.map(([href, positions]) => ({ href, positions, mediaType: 'application/xhtml+xml', linear: true })),
  isText: true,
  pageCount: documents.reduce((sum, [, positions]) => sum + positions, 0),
});

const withSpine = (pages: Paged, { spine }: Paged): Paged => ({ ...pages, spine });

const all = (before: Paged, after: Paged, isSameFile = false): (number | undefined)[] =>
  Array.from({ length: before.pageCount }, (_, at) => pageMove(before, after, isSameFile)?.(at + 1));

const two = (n: number): string => `${n}`.padStart(2, '0');

const made = (count: number, nameOf: (n: number) => string, size: number): Entry[] =>
  Array.from({ length: count }, (_, at) => ({ name: nameOf(at + 1), size: size + at }));

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

block('page moves', (check) => {
  check('in the same file an entry is where it was, whatever it is called now', () => {
    const before = images([
      { name: '????.png', size: 9, offset: 10 },
      { name: '???.png', size: 9, offset: 20 },
    ]);
    const after = images([
      { name: 'あ.png', size: 9, offset: 20 },
      { name: 'い.png', size: 9, offset: 10 },
    ]);
    assert.equal(all(before, after, true), [2, 1]);
  });
  check('a text follows its documents', () => {
    const before = text(['a', 3], ['b', 2], ['c', 1]);
    assert.equal(all(before, text(['cover', 1], ['a', 3], ['b', 2], ['c', 1])), [2, 3, 4, 5, 6, 7]);
    assert.equal(all(before, text(['a', 1], ['c', 1])), [1, 1, 1, 1, 1, 2]);
  });
  check('a text that is images now, one for each document, and the other way round', () => {
    const before = text(['a', 3], ['b', 2], ['c', 1]);
    const after = withSpine(
      images(['1', '2', '3'].map((name) => ({ name, size: 5 }))),
      text(['a', 1], ['b', 1], ['c', 1]),
    );
    assert.equal(all(before, after), [1, 1, 1, 2, 2, 3]);
    assert.equal(all(after, before), [1, 4, 6]);
  });
  check('a text whose kind rows have changed already, before its images are read', () => {
    const before = { ...text(['a', 3], ['b', 2], ['c', 1]), isText: false };
    const after = withSpine(images(['1', '2', '3'].map((name) => ({ name, size: 5 }))), before);
    assert.equal(all(before, after), [1, 1, 1, 2, 2, 3]);
  });
  check('where documents and images are not as many, the share of the book decides', () => {
    const after = images(Array.from({ length: 12 }, (_, at) => ({ name: `${at}`, size: 5 })));
    assert.equal(all(text(['a', 3], ['b', 3]), after), [2, 4, 6, 8, 10, 12]);
  });
  check('pages that were all made again under other names are found by what the names have in common', () => {
    const before = images(made(12, (n) => `${two(n)}.jpg`, 100));
    const names: Readonly<Record<string, (n: number) => string>> = {
      extension: (n) => `${two(n)}.webp`,
      'capital letters': (n) => `${two(n)}.JPG`,
      prefix: (n) => `scan_${two(n)}.jpg`,
      suffix: (n) => `${two(n)}-1600px.jpg`,
      zeros: (n) => `0${two(n)}.jpg`,
      'folder and volume': (n) => `Alpha v03 (2020)/Alpha v03 - p0${two(n)} [hq].avif`,
      'from 0': (n) => `${`${n - 1}`.padStart(4, '0')}.webp`,
      'no number': (n) => `${String.fromCharCode(96 + n)}.webp`,
    };
    const credits = { name: '000_credits.jpg', size: 7 };
    for (const [what, nameOf] of Object.entries(names)) {
      const after = made(12, nameOf, 500);
      assert.equal(all(before, images(after)), range(1, 12), what);
      if (what === 'from 0' || what === 'no number') continue;
      assert.equal(all(before, images([credits, ...after])), range(2, 13), `${what}, with credits`);
      assert.equal(all(before, images(after.toSpliced(2, 1))), [1, 2, 2, ...range(3, 11)], `${what}, without a page`);
    }
  });
  check('where names say nothing, the number counts; the share if the book has become much longer or shorter', () => {
    const before = images(made(20, (n) => `${two(n)}.jpg`, 100));
    const after = (count: number): Paged => images(made(count, (n) => `x${String.fromCharCode(96 + n)}.webp`, 500));
    assert.equal(all(before, after(20)), range(1, 20));
    assert.equal(all(before, after(22)), range(1, 20));
    assert.equal(all(before, after(18)), [...range(1, 18), 18, 18]);
    assert.equal(
      all(before, after(10)),
      range(1, 20).map((page) => Math.ceil(page / 2)),
    );
  });
  check('pages made again between others that are left', () => {
    const old = made(12, (n) => `${two(n)}.jpg`, 100);
    const now = old.map((entry, at) => (at > 2 && at < 6 ? { name: `${entry.name} new.png`, size: 900 + at } : entry));
    assert.equal(all(images(old), images(now)), range(1, 12));
    assert.equal(all(images(old), images([{ name: '!', size: 3 }, ...now])), range(2, 13));
    assert.equal(all(images(old), images(now.toSpliced(4, 2))), [1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9, 10]);
  });
  check('one size in common is chance among pages that were all made again', () => {
    const after = made(40, (n) => `x${String.fromCharCode(200 + n)}.webp`, 500).map((entry, at) =>
      at === 35 ? { ...entry, size: 103 } : entry,
    );
    assert.equal(all(images(made(40, (n) => `${two(n)}.jpg`, 100)), images(after)), range(1, 40));
  });
  check('a text whose documents all have other names', () => {
    const before = text(['a.html', 3], ['b.html', 2], ['c.html', 1]);
    assert.equal(all(before, text(['cover', 1], ['a.xhtml', 3], ['b.xhtml', 2], ['c.xhtml', 1])), range(2, 7));
    assert.equal(all(before, text(['x', 3], ['y', 3])), range(1, 6));
  });
  check('nothing is known of the pages of a book that could not be read', () => {
    const book = images([{ name: 'a', size: 1 }]);
    assert.is(pageMove({ ...book, table: null, pageCount: 0 }, book, false), undefined);
    assert.is(pageMove(book, { ...book, table: null, pageCount: 0 }, false), undefined);
  });
  check(
    'whatever is added, taken away or renamed: a page that is left is found, one that is gone is an earlier one',
    () => {
      const change = fc.record({
        count: fc.integer({ min: 2, max: 12 }),
        gone: fc.uniqueArray(fc.integer({ min: 0, max: 10 }), { maxLength: 5 }),
        added: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 }),
        isRenumbered: fc.boolean(),
      });
      fc.assert(
        fc.property(change, ({ count, gone, added, isRenumbered }) => {
          const old = Array.from({ length: count }, (_, at) => ({ name: `${at}`, size: 100 + at }));
          const now = old.filter((_, at) => !gone.includes(at));
          for (const [nth, at] of added.entries()) now.splice(at, 0, { name: `new ${nth}`, size: 500 + nth });
          if (now.length === 0) return;
          const after = isRenumbered ? now.map((entry, at) => ({ ...entry, name: `${at}` })) : now;
          const move = pageMove(images(old), images(after), false);
          for (const [at, { size }] of old.entries()) {
            const there = after.findIndex((entry) => entry.size === size);
            const page = move?.(at + 1) ?? 0;
            if (there >= 0) assert.is(page, there + 1, `page ${at + 1} is there`);
            else if (page <= after.length)
              assert.ok((after[page - 1]?.size ?? 0) < size || page === 1 || added.length > 0, 'an earlier page');
          }
        }),
        { numRuns: 300 },
      );
    },
  );
});
