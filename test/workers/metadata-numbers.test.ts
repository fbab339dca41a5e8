// Numbers and dates in the fields of metadata follow the rule for names, whatever the format and the script.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { volumeIn } from '../../core/catalog/rules/numbers.js';
import type { BookFacts } from '../../core/model/metadata.js';
import { numberOfText } from '../../core/model/numbers.js';
import { fixture } from '../../fixtures/index.js';
import { countOf, dateOf, volumeOf, yearOf } from '../../workers/metadata/values.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import { commentedCbz } from './commented-cbz.js';
import { bookOf, COMIC } from './made-epub.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));

const factsOf = async (path: string): Promise<Partial<BookFacts>> => {
  const { metadata, fault } = await analysed(path);
  assert.is(fault, null);
  return metadata?.book ?? {};
};

let folder = '';

const cbz = (name: string, text: string, comment = ''): Promise<Partial<BookFacts>> => {
  return factsOf(commentedCbz(folder, { image: IMAGE, name, text, comment }));
};

block('numbers in metadata', (check) => {
  for (const text of [
    'one',
    'Part Two',
    '全12巻',
    '1/2/2020',
    '1e5',
    '0x10',
    '3!',
    '',
    '上',
    'Vol.',
    '第話',
    '12345678901',
  ])
    check(`${JSON.stringify(text)} is none`, () => assert.is(numberOfText(text), null));
  const NUMBERS: readonly (readonly [text: string, number: number])[] = [
    ['第3話', 3],
    ['第３話', 3],
    ['第十二話', 12],
    ['第 3.5 话', 3.5],
    ['3巻', 3],
    ['제3화', 3],
    ['Vol. 2', 2],
    ['Tome 5', 5],
    ['Глава 12', 12],
    ['Chapter 12.5', 12.5],
    ['Issue #4', 4],
    ['No. 7', 7],
    ['2 of 5', 2],
    ['12 (of 20)', 12],
    ['2/5', 2],
    ['12-13', 12],
    ['1/2', 0.5],
    ['#1/2', 0.5],
    ['1⁄2', 0.5],
    ['1 1/2', 1.5],
    ['第½話', 0.5],
    ['٣', 3],
    ['१२', 12],
    ['Ⅻ', 12],
    ['-1', -1],
    ['12A', 12],
    ['1,000', 1000],
  ];
  for (const [text, number] of NUMBERS) check(`${text} is ${number}`, () => assert.is(numberOfText(text), number));
  check('words and counters mean the same in names and in fields', () => {
    for (const text of ['第3巻', '第三卷', '3권', 'Vol. 3', 'v3', 'Tome 3', 'Том 3', '３冊'])
      assert.equal([numberOfText(text), volumeOf(text), volumeIn(`X ${text}`)], [3, 3, 3], text);
  });
  check('fields of whole numbers take no others', () => {
    assert.equal(['-1', '1.5', '½', 'many', '100000', '第2.5巻'].map(volumeOf), [null, null, null, null, null, null]);
    assert.equal(['99', '20190', '0', '令和2年', '2020年度'].map(yearOf), [null, null, null, null, null]);
    assert.equal(['全12巻', '１,２００', '全 3 冊', '0', '1,20'].map(countOf), [12, 1200, 3, null, null]);
    assert.equal(['2020年', '２０２０', '二〇二〇年', '२०२०', '2020년'].map(yearOf), [2020, 2020, 2020, 2020, 2020]);
  });
  const DATES: readonly (readonly [text: string, date: readonly (number | null)[]])[] = [
    ['2020年2月31日', [2020, 2, null]],
    ['2020年13月', [2020, null, null]],
    ['2020年5月3日', [2020, 5, 3]],
    ['２０２０年０５月', [2020, 5, null]],
    ['2020년 5월 3일', [2020, 5, 3]],
    ['2020/05/03', [2020, 5, 3]],
    ['2020年', [2020, null, null]],
    ['٢٠٢٠-٠٥', [2020, 5, null]],
  ];
  for (const [text, date] of DATES)
    check(`the date ${text}`, () => {
      const found = dateOf(text);
      assert.equal([found.year, found.month, found.day], date);
    });
});

block(
  'numbers in whole books',
  (check) => {
    check('ComicInfo', async () => {
      const book = await cbz(
        'ComicInfo.xml',
        `<ComicInfo><Number>第3話</Number><Volume>第2巻</Volume><Count>全12巻</Count>
        <Year>2020年</Year><Month>５月</Month><Day>3日</Day><PageCount>٢٠</PageCount></ComicInfo>`,
      );
      assert.equal([book.number, book.chapter, book.volume, book.count, book.pageCount], ['第3話', 3, 2, 12, 20]);
      assert.equal([book.year, book.month, book.day], [2020, 5, 3]);
    });
    check('CoMet, MetronInfo, ComicBookInfo and a package', async () => {
      const comet = await cbz(
        'CoMet.xml',
        '<comet><issue>第3話</issue><volume>２巻</volume><date>2020年5月</date></comet>',
      );
      assert.equal([comet.chapter, comet.volume, comet.year, comet.month], [3, 2, 2020, 5]);
      const metron = await cbz(
        'MetronInfo.xml',
        '<MetronInfo><Series><Name>S</Name><Volume>第2巻</Volume></Series><Number>1/2</Number></MetronInfo>',
      );
      assert.equal([metron.chapter, metron.volume, metron.number], [0.5, 2, '1/2']);
      const info = { issue: '第3話', volume: '第2巻', publicationYear: '2020年', publicationMonth: '5月' };
      const inComment = await cbz('note.txt', 'x', JSON.stringify({ 'ComicBookInfo/1.0': info }));
      assert.equal([inComment.chapter, inComment.volume, inComment.year, inComment.month], [3, 2, 2020, 5]);
      const series =
        '<meta name="calibre:series" content="S"/><meta name="calibre:series_index" content="第3巻"/><date>2020年</date>';
      const packaged = await factsOf(bookOf(folder, COMIC, { meta: series }));
      assert.equal([packaged.number, packaged.seriesPosition, packaged.year], ['第3巻', 3, 2020]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-numbers-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
