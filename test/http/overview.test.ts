// Sheets of small pages over the API: how many are on one, where each lies, and that a sheet is made once.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import sharp from 'sharp';
import { writeZip } from '../../bench/zip-writer.js';
import { type Answer, until } from '../app.js';
import { assert, block } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

const CELL = { width: 160, height: 240 };
const COLUMNS = 6;

let shelf: StockedShelf;

const overview = async (name: string, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
  shelf.api('GET', `/books/${(await shelf.bookOf(name)).id}/pages/overview${query}`, { headers });

/** Red and opacity of the pixel in the middle of a cell, or as far from it as is told. */
const pixelOf = async ({ bytes }: Answer, cell: number, move: readonly [x: number, y: number] = [0, 0]) => {
  const left = (cell % COLUMNS) * CELL.width + CELL.width / 2 + move[0];
  const top = Math.floor(cell / COLUMNS) * CELL.height + CELL.height / 2 + move[1];
  const [red = 0, , , opacity = 0] = await sharp(bytes)
    .ensureAlpha()
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer();
  return { red, opacity };
};

/** Pages of one colour each, so that the cells tell which page is where. */
const writeColours = async (path: string, sides: readonly (readonly [width: number, height: number])[]) => {
  const items = sides.map(async ([width, height], page) => ({
    name: `${String(page).padStart(3, '0')}.png`,
    bytes: await sharp({ create: { width, height, channels: 3, background: { r: 5 * page, g: 80, b: 80 } } })
      .png()
      .toBuffer(),
  }));
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, writeZip(await Promise.all(items)));
};

const isNear = (value: number, wanted: number): void => assert.ok(Math.abs(value - wanted) < 8, `${value} ${wanted}`);

block(
  'sheets of small pages',
  (check) => {
    check('twenty-four pages are on one, in their order, six in a row', async () => {
      const [first, second] = [await overview('colours'), await overview('colours', '?sheet=2')];
      assert.equal([first.status, first.header('content-type')], [200, 'image/webp']);
      const { width, height } = imageSize(first.bytes);
      assert.equal([width, height], [960, 960]);
      for (const cell of [0, 1, 5, 6, 23]) isNear((await pixelOf(first, cell)).red, 5 * cell);
      for (const cell of [0, 5]) isNear((await pixelOf(second, cell)).red, 5 * (24 + cell));
      assert.is((await pixelOf(second, 6)).opacity, 0, 'there are thirty pages');
    });
    check('a page is whole and in the middle of its cell; what lies around it is empty', async () => {
      const wide = await overview('shapes');
      assert.equal([(await pixelOf(wide, 0)).opacity, (await pixelOf(wide, 0, [0, 60])).opacity], [255, 0]);
      assert.equal([(await pixelOf(wide, 1)).opacity, (await pixelOf(wide, 1, [70, 0])).opacity], [255, 0]);
    });
    check('of a strip the top fills the cell', async () => {
      const sheet = await overview('shapes');
      for (const move of [
        [-79, -119],
        [78, 118],
      ] as const)
        assert.is((await pixelOf(sheet, 2, move)).opacity, 255);
    });
    check('the cell of a page that cannot be shown is empty, its neighbours are there', async () => {
      const sheet = await overview('bad-pages');
      assert.equal([(await pixelOf(sheet, 1)).opacity, (await pixelOf(sheet, 2)).opacity], [0, 255]);
    });
    check('pages of any format are on sheets', async () => {
      for (const name of ['four-pages.pdf', 'comic-fxl-rtl.epub', 'rar5-solid.cbr', 'huge-page']) {
        const sheet = await overview(name);
        assert.is(sheet.status, 200, name);
        assert.is((await pixelOf(sheet, 1)).opacity, 255, name);
      }
    });
    check('a sheet is made once, and not sent again to whoever has it', async () => {
      const [first, again] = [await overview('colours'), await overview('colours')];
      assert.ok(first.bytes.equals(again.bytes));
      const tag = first.header('etag') ?? '';
      assert.is((await overview('colours', '', { 'if-none-match': tag })).status, 304);
      assert.ok(tag !== (await overview('colours', '?sheet=2')).header('etag'));
      assert.match((await overview('colours', '?v=1')).header('cache-control') ?? '', /immutable/);
      const kept = shelf.temp.app.blobs.list(0, 1000).filter(({ key }) => key.startsWith('sheet/'));
      assert.is(new Set(kept.map(({ key }) => key)).size, kept.length);
    });
    check('a sheet that the book does not have is 404, and what is no number 400', async () => {
      const outside = await overview('colours', '?sheet=3');
      assert.equal([outside.status, outside.json.message], [404, 'This book has sheets 1 to 2.']);
      assert.is((await overview('toc-5000.epub')).status, 404);
      for (const query of ['?sheet=0', '?sheet=-1', '?sheet=first'])
        assert.is((await overview('colours', query)).status, 400);
    });
  },
  {
    before: async () => {
      shelf = await stockedShelf([
        'bad-pages',
        'four-pages.pdf',
        'comic-fxl-rtl.epub',
        'rar5-solid.cbr',
        'huge-page',
        'toc-5000.epub',
      ]);
      const folder = join(shelf.temp.shelf, 'Comics');
      await writeColours(
        join(folder, 'colours.cbz'),
        Array.from({ length: 30 }, () => [320, 480]),
      );
      await writeColours(join(folder, 'shapes.cbz'), [
        [800, 400],
        [100, 200],
        [300, 3000],
      ]);
      await shelf.api('POST', `/libraries/${shelf.libraryId}/scan`);
      await until('the books are known', async () => (await shelf.bookOf('shapes'))?.pageCount === 3);
    },
    after: () => shelf.temp.close(),
  },
);
