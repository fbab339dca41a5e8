// Pages that show nothing: documents without an image in an EPUB of images.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { fixture } from '../../fixtures/index.js';
import { mediaOfBytes, sizeOfBytes } from '../../workers/image-head.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

const BOOK = 'fixed-with-blank-document.epub';
const CELL = { width: 160, height: 240 };
let shelf: StockedShelf;
let id = '';

const image = async (path: string) => {
  const { status, bytes } = await shelf.api('GET', path);
  assert.is(status, 200);
  const media = mediaOfBytes(bytes);
  return media === undefined ? undefined : sizeOfBytes(bytes, media);
};

block(
  'blank pages',
  (check) => {
    check('the list of pages has it, with the size of the page before it', async () => {
      const pages = (await shelf.api('GET', `/books/${id}/pages`)).json;
      assert.is(pages.length, 4);
      assert.equal([pages[2].width, pages[2].height], [pages[1].width, pages[1].height]);
    });
    check('it is sent as an image, resized and converted too', async () => {
      const { json } = await shelf.api('GET', `/books/${id}/pages`);
      const { width, height } = json[2];
      assert.equal(await image(`/books/${id}/pages/3`), { media: 'png', width, height });
      assert.is((await image(`/books/${id}/pages/3?width=20`))?.width, 20);
      assert.is((await image(`/books/${id}/pages/3?format=jpeg`))?.media, 'jpeg');
    });
    check('its cell of the overview is white, between those of its neighbours', async () => {
      const sheet = await shelf.api('GET', `/books/${id}/pages/overview`);
      assert.is(sheet.status, 200);
      const pixel = { left: 2 * CELL.width + CELL.width / 2, top: CELL.height / 2, width: 1, height: 1 };
      const [red, green, blue, opacity] = await sharp(sheet.bytes).ensureAlpha().extract(pixel).raw().toBuffer();
      assert.ok([red, green, blue].every((part) => (part ?? 0) > 250));
      assert.is(opacity, 255);
    });
    check('apps of another comic server list it and get it as the type that it says', async () => {
      const ask = (path: string) => shelf.temp.call('GET', `/komga/api/v1${path}`, { token: shelf.token });
      const books = (await ask('/books?unpaged=true')).json.content;
      const book = books.find(({ url }: { url: string }) => url.endsWith(BOOK));
      assert.is(book.media.pagesCount, 4);
      const pages = (await ask(`/books/${book.id}/pages`)).json;
      assert.equal(
        pages.map(({ number }: { number: number }) => number),
        [1, 2, 3, 4],
      );
      for (const query of ['', '?convert=jpeg']) {
        const sent = await ask(`/books/${book.id}/pages/3${query}`);
        const type = query === '' ? pages[2].mediaType : 'image/jpeg';
        assert.equal([sent.status, sent.header('content-type')], [200, type]);
        const { width, height } = sizeOfBytes(sent.bytes, mediaOfBytes(sent.bytes) ?? 'png') ?? {};
        assert.equal([width, height], [pages[2].width, pages[2].height]);
      }
      assert.is((await ask(`/books/${book.id}/pages/3/thumbnail`)).status, 200);
    });
    check('catalogues stream it like any other page', async () => {
      const ask = (path: string) => shelf.temp.call('GET', path, { token: shelf.token });
      const { json } = await shelf.api('GET', `/books/${id}`);
      const feed = (await ask(`/opds/v1.2/series/${json.seriesId}`)).bytes.toString();
      const link = /<link[^>]*opds-pse\/stream[^>]*>/.exec(feed)?.[0] ?? '';
      assert.is(/pse:count="(\d+)"/.exec(link)?.[1], '4');
      const href = new URL((/href="([^"]+)"/.exec(link)?.[1] ?? '').replaceAll('&amp;', '&'), 'http://any');
      const at = (page: number): string =>
        `${decodeURIComponent(href.pathname)}${decodeURIComponent(href.search)}`
          .replace('{pageNumber}', String(page))
          .replace('{maxWidth}', '30');
      for (const page of [1, 2, 3]) {
        const sent = await ask(at(page));
        assert.is(sent.status, 200, at(page));
        assert.ok((sizeOfBytes(sent.bytes, mediaOfBytes(sent.bytes) ?? 'png')?.width ?? 99) <= 30);
      }
      assert.is((await ask(at(4))).status, 404);
    });
    check('the book is one of images everywhere, and its manifest for comics has all pages', async () => {
      const { json } = await shelf.api('GET', `/books/${id}`);
      assert.equal([json.epubKind, json.pageCount], ['images', 4]);
      const manifest = (await shelf.api('GET', `/books/${id}/manifest`)).json;
      assert.is(manifest.readingOrder.length, 4);
    });
  },
  {
    before: async () => {
      shelf = await stockedShelf([]);
      writeFileSync(join(shelf.temp.shelf, 'Comics', BOOK), readFileSync(fixture(`cases/${BOOK}`)));
      await shelf.api('POST', `/libraries/${shelf.libraryId}/scan`);
      await until('the book is read', async () => (await shelf.bookOf(BOOK))?.pageCount === 4);
      id = (await shelf.bookOf(BOOK)).id;
    },
    after: () => shelf.temp.close(),
  },
);
