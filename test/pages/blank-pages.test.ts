// Pages that show nothing: documents without an image in an EPUB of images.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { mediaOfBytes, sizeOfBytes } from '../../workers/image-head.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

const BOOK = 'fixed-with-blank-document.epub';
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
