// Books and pages in the order of their numbers, and the numbers found in names and ComicInfo, through the real engine and analysis.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { BY_FILE_NAMES, PIXEL, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { analysed } from '../workers/analysed.js';

interface Shown {
  readonly path: string;
  readonly volume: number | null;
  readonly chapter: number | null;
  readonly number: number | null;
  readonly analyzed: boolean;
}

let temp: TempApp;

const call = async (method: string, path: string, body?: unknown) =>
  (await temp.call(method, `/api/v1${path}`, { token: await temp.tokenOf('admin'), body })).json;

/** The books of a library in the order of their numbers, without the folder and the extension. */
const booksOf = async (
  name: string,
  rules: Readonly<Record<string, unknown>>,
): Promise<readonly (Shown & { readonly name: string })[]> => {
  const { id } = await call('POST', '/libraries', {
    name,
    path: join(temp.shelf, name),
    scanImmediately: true,
    ...BY_FILE_NAMES,
    ...rules,
  });
  const books = async (): Promise<readonly Shown[]> =>
    (await call('GET', `/books?libraryId=${id}&sort=number&pageSize=100`)).data;
  await until('all is analysed', async () => {
    const all = await books();
    return temp.app.scans.active().length === 0 && all.length > 0 && all.every(({ analyzed }) => analyzed);
  });
  return (await books()).map((book) => ({ ...book, name: basename(book.path).replace(/\.cb[zr]$/, '') }));
};

const unpack = (file: string, name: string): void => {
  mkdirSync(join(temp.shelf, name), { recursive: true });
  execFileSync('tar', ['-xzf', fixture(`cases/${file}.tar.gz`), '-C', join(temp.shelf, name)]);
};

const ORDERS: readonly (readonly [file: string, order: readonly string[]])[] = [
  ['order-fractions', ['0', '½', '1', '1½', '2', '10', '11', '12'].map((number) => `Wizard ${number}`)],
  ['order-kanji-numbers', ['一', '二', '三', '四', '五', '十', '十一'].map((number) => `第${number}話`)],
  ['order-first-last-volume', ['作品 上巻', '作品 中巻', '作品 下巻']],
  ['order-half-chapter-cjk', ['第129話', '第129.5話', '第130話']],
];

/** Books written here, so that other names and another writer are tried, too. */
const VARIANTS: readonly (readonly [name: string, order: readonly string[]])[] = [
  ['fractions', ['X ¼', 'X .5', 'X ¾', 'X 1', 'X １½', 'X 2', 'X ٣', 'X 10', 'X 10²', 'X 11']],
  ['numerals', ['第壱話', '第二話', '第九十九話', '第百話', '第一百二十话', '第千話']],
  ['parts', ['本 1 上', '本 1 下', '本 2 上', '本（前編）', '本（中編）', '本（後編）']],
  ['halves', ['c042_a', 'c042_b', 'c042.5_a', 'c043_a']],
  ['roman', ['R Ⅰ', 'R Ⅳ', 'R Ⅸ', 'R Ⅹ', 'R ⅩⅣ']],
];

const engine = {
  before: async (): Promise<void> => {
    temp = await tempApp();
  },
  after: (): Promise<void> => temp.close(),
};

block(
  'numbers in the names of real files',
  (check) => {
    for (const [file, order] of ORDERS)
      check(`${file}: ${order.join(', ')}`, async () => {
        unpack(file, file);
        assert.equal(
          (await booksOf(file, {})).map(({ name, number }) => [name, number]),
          order.map((name, at) => [name, at + 1]),
        );
      });
    for (const [name, order] of VARIANTS)
      check(`${name}: ${order.join(', ')}`, async () => {
        for (const one of [...order].reverse()) writeBook(join(temp.shelf, name, 'S', `${one}.cbz`), 1, one);
        assert.equal(
          (await booksOf(name, {})).map((book) => book.name),
          order,
        );
      });
    check('chapters are looked for after the name of the series', async () => {
      unpack('chapter-after-series-number', 'zom');
      for (const [at, one] of ['Area 51 - 01', 'Area_51_02', '[G] Area 51 3 (2020)'].entries())
        writeBook(join(temp.shelf, 'zom', 'Area 51', `${one}.cbz`), 1, `area ${at}`);
      const books = await booksOf('zom', { seriesStrategy: 'series_volume_chapter', numberStrategy: 'filename' });
      assert.equal(
        books.map(({ chapter, number }) => [chapter, number]).sort(),
        [1, 1, 2, 2, 3, 3].map((one) => [one, one]),
      );
    });
    check('issue -1 and versions of releases, by name and by file order', async () => {
      const names = ['Flash #-1', 'Flash #0', 'Flash #1', 'Sup −1', 'Sup 0', 'Sup 1', 'Ver Ch.001 (v2)', 'Ver Ch.002'];
      names.push('Ver Ch.003 [v3]', 'Ver Ch.004v2', 'Vol03 v03 #021', 'Vol03 v04 #023', 'Xmen -1 (1997)', 'Xmen 000');
      for (const library of ['minus', 'minus again', 'minus in order'])
        for (const name of names)
          writeBook(join(temp.shelf, library, name.split(' ')[0] ?? '', `${name}.cbz`), 1, name);
      for (const [library, numberStrategy] of [
        ['minus', 'filename'],
        ['minus again', 'smart'],
      ] as const) {
        const books = await booksOf(library, { numberStrategy });
        const found = books.map(({ name, number, volume, chapter }) => [name, number, volume, chapter]);
        assert.equal(found.sort(), [
          ['Flash #-1', -1, null, null],
          ['Flash #0', 0, null, null],
          ['Flash #1', 1, null, null],
          ['Sup 0', 0, null, null],
          ['Sup 1', 1, null, null],
          ['Sup −1', -1, null, null],
          ['Ver Ch.001 (v2)', 1, null, 1],
          ['Ver Ch.002', 2, null, 2],
          ['Ver Ch.003 [v3]', 3, null, 3],
          ['Ver Ch.004v2', 4, null, 4],
          ['Vol03 v03 #021', 21, 3, null],
          ['Vol03 v04 #023', 23, 4, null],
          ['Xmen -1 (1997)', -1, null, null],
          ['Xmen 000', 0, null, null],
        ]);
      }
      const inOrder = await booksOf('minus in order', {});
      for (const [first, second] of [
        ['Flash #-1', 'Flash #0'],
        ['Sup −1', 'Sup 0'],
        ['Xmen -1 (1997)', 'Xmen 000'],
      ])
        assert.equal(
          [first, second].map((name) => inOrder.find((book) => book.name === name)?.number),
          [1, 2],
        );
    });
    check('numbers in ComicInfo', async () => {
      mkdirSync(join(temp.shelf, 'info', 'S'), { recursive: true });
      for (const file of ['number-080-bey', 'number-dot-5', 'number-12-now'])
        copyFileSync(fixture(`cases/${file}.cbz`), join(temp.shelf, 'info', 'S', `${file}.cbz`));
      for (const [name, number] of [
        ['a', '1AU'],
        ['b', '1,000,000'],
        ['c', '−1'],
        ['d', '1½'],
      ])
        writeBook(join(temp.shelf, 'info', 'S', `${name}.cbz`), 1, name ?? '', [
          { name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo><Number>${number}</Number></ComicInfo>`) },
        ]);
      const books = await booksOf('info', { numberStrategy: 'metadata' });
      assert.equal(books.map(({ name, chapter, number }) => [name, chapter, number]).sort(), [
        ['a', 1, 1],
        ['b', 1_000_000, 1_000_000],
        ['c', -1, -1],
        ['d', 1.5, 1],
        ['number-080-bey', 80, 80],
        ['number-12-now', 12, 12],
        ['number-dot-5', 0.5, 0],
      ]);
    });
  },
  engine,
);

const folder = mkdtempSync(join(tmpdir(), 'longbox-spreads-'));

block(
  'spreads in the pages of real files',
  (check) => {
    const pagesOf = async (path: string): Promise<readonly string[]> => {
      const { pageTable } = await analysed(path);
      return pageTable === null ? [] : new PageTable(pageTable).names();
    };
    check('0304 comes between 02 and 05', async () => {
      assert.equal(
        await pagesOf(fixture('cases/order-spread-0304.cbz')),
        ['01', '02', '0304', '05', '10'].map((name) => `${name}.jpg`),
      );
    });
    check('in a folder, with three digits and a note, written in another way', async () => {
      const names = [
        'Ch 1/p001.png',
        'Ch 1/p002003 spread.png',
        'Ch 1/p004.png',
        'Ch 2/p003.png',
        'Ch 2/p004.png',
        'Ch 2/p0506.png',
      ];
      const path = join(folder, 'three.cbz');
      writeFileSync(path, writeZip([...names].reverse().map((name) => ({ name, bytes: PIXEL, isDeflated: true }))));
      assert.equal(await pagesOf(path), names);
    });
    check('0102 is page 102 where its halves exist', async () => {
      const names = ['01.png', '02.png', '03.png', '0102.png'];
      const path = join(folder, 'number.cbz');
      writeFileSync(path, writeZip([...names].reverse().map((name) => ({ name, bytes: PIXEL }))));
      assert.equal(await pagesOf(path), names);
    });
  },
  { after: () => rmSync(folder, { recursive: true }) },
);
