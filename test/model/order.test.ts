// Order and names as text: natural order, sort keys, what a file name says.

import { chapterIn, volumeIn } from '../../core/catalog/rules/numbers.js';
import { formatOf, stemOf } from '../../core/model/formats.js';
import { sortNaturally } from '../../core/model/natural-order.js';
import { sortKey, sortKeyOf } from '../../core/model/sort-key.js';
import { assert, block } from '../kit.js';

const ORDERS: readonly (readonly string[])[] = [
  ['page1', 'page2', 'page10'],
  ['1', '02', '3', '010'],
  ['01', '1'],
  ['A.jpg', 'b.jpg', 'C.jpg'],
  ['Vol 1/Ch 2/1', 'Vol 1/Ch 10/1', 'Vol 2/Ch 1/1', 'Vol 10/1'],
  ['001.jpg/a.png', '003.png'],
  ['9007199254740993', '90071992547409930'],
  ['a', 'a1', 'a b'],
  ['Vol 1', 'Vol 1 - Extra', 'Vol 1-2', 'Vol 1.5', 'Vol 2', 'Vol 10'].map((name) => `${name}.cbz`),
  ['S/Vol 1.cbz', 'S/Vol 1 - Extra.pdf', 'S/Vol 1.5.cbr'],
  ['001.jpg', '001 b.jpg', '001-2.jpg', '001.5.jpg', '002.jpg'],
  ['a/1.jpg', 'a/1-2.jpg', 'a-b/1.jpg'],
  ['1.jpg', '1.png', '1a.jpg'],
  ['Vol 1/x', 'Vol 1.5/x', 'Vol 1.10/x'],
  ['.jpg', '1.jpg'],
  ...[
    ['Vol 1', 'Vol 1 - Extra', 'Vol 1_x', 'Vol 1話', 'Vol 1.5', 'Vol 1½ x', 'Vol 2'],
    ['第129話', '第129.5話', '第130話'],
    ['第129話', '第129,5話', '第130話'],
    ['12화', '12.5화', '13화'],
    ['c042[b]', 'c042_a', 'c042.5_a', 'c043'],
    ['0', '½', '1', '1½', '2', '10'],
    ['x 1', 'x 1¼', 'x 1.5', 'x 1¾', 'x 2'],
    ['x .5', 'x 1'],
    ['Vol.5', 'Vol.6'],
    ['n. 01 - Agente', 'n.02', 'N. 3', 'n.10'],
    ['n. 45 - x', 'N.46 - x', 'n.47', 'n. 48'],
    ['Том. 1', 'Том.2', 'Том. 10'],
    ['Mr. 5', 'Mr. Big'],
    ['Saga – 01', 'Saga - 02', 'Saga — 03', 'Saga ‐ 04', 'Saga ― 05', 'Saga － 06', 'Saga - 10'],
    ['1 .jpg', ' 2.jpg', '   3.jpg', '4.jpg', ' a.jpg', 'b.jpg'],
    ['x/1', 'x/ 2', 'x/  3', 'x/10'],
    ['x -1 (1997)', 'x 0', 'x 1'],
    ['x −1', 'x 0'],
    ['x -1', 'x -2', 'x -10'],
    ['x #-10', 'x #-2', 'x #-1', 'x #0', 'x #1'],
    ['x #−1', 'x #0', 'x #1'],
    ['x_-1_(1997)', 'x_000', 'x_001'],
    ['x 0', 'x - 1', 'x - 5'],
    ['x 01', 'x 01 - 05', 'x 02'],
    ['x 9', 'x 10', 'x 10²', 'x 10³', 'x 11', 'x 102'],
    ['Ⅰ', 'Ⅳ', 'Ⅸ', 'Ⅹ', 'ⅻ', 'ⅩⅢ'],
    ['①', '⑩', '⑳', '㉑'],
    ['x ٩', 'x ١٠', 'x 11'],
    ['x ۹', 'x ۱۰'],
    ['x ९', 'x १०'],
    ['x ๙', 'x ๑๐'],
    ['x 𝟗', 'x 𝟏𝟎'],
    ['x ９', 'x １０', 'x １０．５', 'x １１'],
    ['第一話', '第2話', '第三話', '第十話', '第十一話', '第二十話', '第百話', '第百二十三話', '第二〇〇話'],
    ['壱', '弐', '参', '拾', '百'],
    ['作品 第弐巻', '作品 第3巻', '作品 第拾巻'],
    ['三国志 1', '三国志 2', '三国志 10'],
    ['作品 上巻', '作品 中巻', '作品 下巻'],
    ['作品（上）', '作品（中）', '作品（下）'],
    ['作品上', '作品中', '作品下'],
    ['作品 前編', '作品 中編', '作品 後編'],
    ['作品 1 上 [x]', '作品 1 下 [x]', '作品 2 上 [x]'],
    ['1.2.3', '1.2.10', '1.10.1'],
    ['2020.01.05', '2020.01.10', '2020.12.01', '2021.01.01'],
    ['#999', '#1,000', '#1,001', '#1,000,000'],
    ['9999999999', '9999999999x', '12345678901'],
    ['Batman 2', 'Batman & Robin 1'],
    ['elan 1', 'Élan 2', 'elan 3', 'emma'],
    ['か', 'が', 'き'],
    ['का', 'कि', 'की'],
  ].map((order) => order.map((name) => `S/${name}`)),
];

block('natural order', (check) => {
  for (const order of ORDERS)
    check(order.join(' < '), () =>
      assert.equal(
        sortNaturally([...order].reverse(), (name) => name),
        [...order],
      ),
    );
  check('equal names keep their order', () => {
    const items = [
      { name: 'a', n: 1 },
      { name: 'a', n: 2 },
    ];
    assert.equal(
      sortNaturally(items, ({ name }) => name).map(({ n }) => n),
      [1, 2],
    );
  });
});

block('sort keys', (check) => {
  const pairs: readonly (readonly [lower: string, higher: string])[] = [
    ['The Apple', 'Banana'],
    ['Vol 2', 'Vol 10'],
    ['Élan', 'Emma'],
    ['an Ant', 'bee'],
    ['Ørsted', 'Otter'],
    ['Łódź', 'London Z'],
    ['Ａｌｐｈａ', 'beta'],
  ];
  for (const [lower, higher] of pairs)
    check(`${lower} comes before ${higher}`, () => assert.ok(sortKey(lower) < sortKey(higher)));
  check('Hangul stays whole', () => assert.is(sortKey('나무'), '나무'));
  check('a title given to be sorted by keeps its article; a blank one is none', () =>
    assert.equal(
      [sortKeyOf('The Zoo', 'Zoo'), sortKeyOf(' ', 'The Zoo'), sortKeyOf(null, 'The Zoo')],
      ['the zoo', 'zoo', 'zoo'],
    ),
  );
  check('a title that is only an article stays', () => assert.is(sortKey('The'), 'the'));
  check('64 kB of digits give a short key', () => assert.ok(sortKey('9'.repeat(65_536)).length <= 256));
});

block('file names', (check) => {
  const cases: readonly (readonly [name: string, volume: number | null, chapter: number | null])[] = [
    ['Alpha v01.cbz', 1, null],
    ['Alpha Vol. 12 c003.5.cbz', 12, 3.5],
    ['Alpha - Chapter 7 [x].cbz', null, 7],
    ['[v2] Alpha.cbz', 2, null],
    ['Alpha v1.5.cbz', null, null],
    ['Nov 3.cbz', null, null],
    ['ac12.cbz', null, null],
    ['Alpha_ch10.cbz', null, 10],
  ];
  for (const [name, volume, chapter] of cases) {
    check(`${name} is volume ${volume}, chapter ${chapter}`, () => {
      const stem = stemOf(name);
      assert.equal([volumeIn(stem), chapterIn(stem)], [volume, chapter]);
    });
  }
  check('a format is told by the last extension, in any case', () =>
    assert.equal(['a.CBZ', 'b.tar.cbr', 'c.zip', '.cbz'].map(formatOf), ['cbz', 'cbr', undefined, 'cbz']),
  );
});
