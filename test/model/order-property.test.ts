// Natural order and sort keys on generated names: one total order, the same for files, folders, titles and pages of every kind of book.
import { seeded } from '../../bench/corpus.js';
import { sortNaturally } from '../../core/model/natural-order.js';
import { inPageOrder } from '../../core/model/page-names.js';
import { sortKey } from '../../core/model/sort-key.js';
import { assert, block } from '../kit.js';

const PIECES = [
  ...[
    'Vol',
    'Saga',
    'c',
    'x',
    'é',
    'Ж',
    'ñ',
    'ß',
    '漫画',
    '第',
    '話',
    '巻',
    '上',
    '中',
    '下',
    '前',
    '編',
    '화',
    'ガ',
    'か',
    'का',
  ],
  ...[
    '😀',
    '﨑',
    '\u{20000}',
    '\uE000',
    ' ',
    '  ',
    '_',
    '-',
    ' - ',
    '.',
    ',',
    '(',
    ')',
    '[',
    '#',
    '&',
    "'",
    '′',
    '№',
    '−',
    '²',
  ],
  ...[
    '0',
    '1',
    '01',
    '1.5',
    '1.05',
    '1.10',
    '.5',
    '1,5',
    '1,000',
    '2020.01.05',
    '10',
    '99999999999',
    '9'.repeat(30),
    '007',
  ],
  ...['½', '¼', '٣', '۱۰', '๑๐', '１２', 'Ⅸ', 'ⅻ', '①', '⑳', '一', '十二', '百', '〇', '参', '二三十', '𝟏'],
];

const names = (next: () => number, count: number): readonly string[] =>
  Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(next() * 6) }, () => PIECES[Math.floor(next() * PIECES.length)] ?? '').join(''),
  );

const sorted = (all: readonly string[]): readonly string[] => sortNaturally(all, (name) => name);

const shuffled = (all: readonly string[], next: () => number): readonly string[] =>
  all
    .map((name) => ({ name, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);

const comparedBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

block('natural order of generated names', (check) => {
  const next = seeded(Number(process.env.LONGBOX_TEST_SEED ?? 20261128));
  const all = [...new Set(names(next, 3000))];
  const order = sorted(all);
  check('does not depend on the order before', () => {
    for (let round = 0; round < 5; round += 1) assert.equal(sorted(shuffled(all, next)), order);
  });
  check('of three names does not depend on the others', () => {
    const position = new Map(order.map((name, at) => [name, at]));
    for (let round = 0; round < 3000; round += 1) {
      const three = Array.from({ length: 3 }, () => all[Math.floor(next() * all.length)] ?? '');
      const wanted = [...three].sort((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0));
      assert.equal(sorted(three), wanted);
    }
  });
  check('is that of sort keys, as SQLite compares them', () => {
    const titles = order.filter((name) => name === name.trim() && name.length < 60);
    for (const [at, title] of titles.entries()) {
      const before = titles[at - 1];
      if (before !== undefined) assert.ok(comparedBytes(sortKey(before), sortKey(title)) <= 0, `${before} < ${title}`);
    }
  });
  check('is the same for folders, files and pages with either separator', () => {
    const safe = order.filter((name) => !name.endsWith('.'));
    assert.equal(
      sorted(shuffled(safe, next).map((name) => `${name}/1.jpg`)),
      safe.map((name) => `${name}/1.jpg`),
    );
    for (const [before, after] of [
      ['', '.png'],
      ['S/', '.jpg'],
      ['S\\', '.jpg'],
    ]) {
      const pages = shuffled(safe, next).map((name) => ({ name: `${before}${name}${after}` }));
      assert.equal(
        inPageOrder(pages).map(({ name }) => name),
        safe.map((name) => `${before}${name}${after}`),
      );
    }
  });
  check('keys of long names and of nothing but digits are short', () => {
    for (const piece of PIECES) assert.ok(sortKey(piece.repeat(5000)).length <= 256);
  });
});

const SPREADS: readonly (readonly string[])[] = [
  ['01', '02', '0304', '05', '10'],
  ['S/01', 'S/0203', 'S/04', 'T/02', 'T/03'],
  ['p001', 'p002003', 'p004'],
  ['x 01', 'x 0203_spread', 'x 04'],
  ['01', '02', '03', '0203', '0304'],
  ['0001', '0002', '0102', '0304'],
  ['01', '02', '05', '0305'],
  ['1', '2', '12', '34'],
];

block('spreads in page order', (check) => {
  for (const order of SPREADS)
    check(order.join(' < '), () =>
      assert.equal(
        inPageOrder([...order].reverse().map((name) => ({ name: `${name}.jpg` }))).map(({ name }) => name),
        order.map((name) => `${name}.jpg`),
      ),
    );
});
