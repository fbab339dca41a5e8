// Generated names as real files: books in a folder, pages in zip, tar and RAR archives, titles in lists. All have the same total order, and no
// page is lost to its name.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../../bench/corpus.js';
import { writeRar } from '../../bench/rar-writer.js';
import { writeZip } from '../../bench/zip-writer.js';
import { sortNaturally } from '../../core/model/natural-order.js';
import { BY_FILE_NAMES, PIXEL, tempApp, until, writeBook } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';
import { writeTar } from '../tar-writer.js';

const PIECES = [
  ...[
    'Vol',
    'c',
    'é',
    'Ж',
    'ß',
    '漫画',
    '第',
    '話',
    '巻',
    '上',
    '下',
    '화',
    'ガ',
    'का',
    '😀',
    ' ',
    '_',
    '-',
    ' - ',
    '.',
    ',',
    '(',
    '#',
    '&',
  ],
  ...[
    "'",
    '−',
    '0',
    '1',
    '01',
    '1.5',
    '.5',
    '1,5',
    '10',
    '99',
    '007',
    '½',
    '٣',
    '๑๐',
    '１２',
    'Ⅸ',
    '①',
    '一',
    '十二',
    '百',
  ],
];
const BYTES_MAX = 60;
const COUNT = IS_FULL ? 400 : 60;

/** Names that every file system here takes, and that are not hidden. */
const makeNames = (next: () => number): readonly string[] => {
  const names = new Set<string>();
  while (names.size < COUNT) {
    const parts = Array.from(
      { length: 1 + Math.floor(next() * 6) },
      () => PIECES[Math.floor(next() * PIECES.length)] ?? '',
    );
    const name = parts.join('').normalize('NFC').trim();
    if (/^[^.]/.test(name) && !name.endsWith('.') && Buffer.byteLength(name) <= BYTES_MAX) names.add(name);
  }
  return [...names];
};

const FORMATS = {
  cbz: (items: readonly { readonly name: string; readonly bytes: Uint8Array }[]) => writeZip([...items]),
  cbr: (items: readonly { readonly name: string; readonly bytes: Uint8Array }[]) =>
    writeRar([...items], { isPacked: false, isSolid: false }),
  cbt: (items: readonly { readonly name: string; readonly bytes: Uint8Array }[]) => writeTar([...items]),
} as const;

block('order on disk', (check) => {
  check('books of a folder, their titles, and pages of every kind of archive have one order', async () => {
    const seed = Number(process.env.LONGBOX_TEST_SEED ?? 20261128);
    const names = makeNames(seeded(seed));
    const order = sortNaturally(names, (name) => name);
    const temp = await tempApp();
    try {
      for (const name of names) writeBook(join(temp.shelf, 'Series', `${name}.cbz`), 1, name);
      mkdirSync(join(temp.shelf, 'Pages'));
      const items = names.map((name) => ({ name: `${name}.png`, bytes: PIXEL }));
      for (const [format, write] of Object.entries(FORMATS))
        writeFileSync(join(temp.shelf, 'Pages', `as ${format}.${format}`), write(items));
      const token = await temp.tokenOf('admin');
      const get = async (path: string) => (await temp.call('GET', `/api/v1${path}`, { token })).json;
      const library = await temp.call('POST', '/api/v1/libraries', {
        token,
        body: { name: 'S', path: temp.shelf, ...BY_FILE_NAMES },
      });
      await temp.call('POST', `/api/v1/libraries/${library.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const { data: series } = await get('/series');
      const idOf = (title: string): string => series.find((one: { title: string }) => one.title === title).id;
      const filesIn = async (query: string): Promise<string[]> =>
        (await get(query)).data.map(({ path }: { path: string }) => path.slice(path.lastIndexOf('/') + 1));
      const inSeries = await filesIn(`/books?seriesId=${idOf('Series')}&pageSize=500&sort=number,asc`);
      assert.equal(
        inSeries,
        order.map((name) => `${name}.cbz`),
        `seed ${seed}: books`,
      );
      const byTitle = await filesIn(`/books?seriesId=${idOf('Series')}&pageSize=500&sort=title,asc`);
      assert.equal(
        byTitle,
        order.map((name) => `${name}.cbz`),
        `seed ${seed}: titles`,
      );
      const books = (await get(`/books?seriesId=${idOf('Pages')}`)).data;
      assert.is(books.length, 3);
      for (const { id, fileFormat } of books) {
        const pages = await get(`/books/${id}/pages`);
        const shown = pages.map(({ fileName }: { fileName: string }) => fileName);
        assert.equal(
          shown,
          order.map((name) => `${name}.png`),
          `seed ${seed}: ${fileFormat}`,
        );
      }
    } finally {
      await temp.close();
    }
  });
});
