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
