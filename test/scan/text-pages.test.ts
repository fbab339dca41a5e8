// A page of text among pages of images is one page wherever the book is shown: every surface counts and lists the same pages.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { type Book, bookOf, type Doc, picture, SENTENCE } from '../workers/made-epub.js';
import { withChangingShelf } from './changing-shelf.js';

const PICTURES: readonly Doc[] = Array.from({ length: 20 }, (_, at) => picture('abc'.charAt(at % 3)));
const TEXT = { body: SENTENCE.repeat(20) };
const SPREAD = { body: '<img src="b.png"/><img src="c.png"/>' };
const FIXED = { meta: '<meta property="rendition:layout">pre-paginated</meta>' };
const COVER = {
  items: '<item id="cover" href="cover.png" media-type="image/png" properties="cover-image"/>',
  files: { 'cover.png': readFileSync(fixture('images/png-palette-alpha.png')) },
};

const BOOKS: readonly (readonly [fact: string, docs: readonly Doc[], pages: number, book?: Book])[] = [
  ['a copyright page at the end', [...PICTURES, TEXT], 21],
  ['three pages of text in a fixed layout', [TEXT, ...PICTURES, TEXT, TEXT], 23, FIXED],
  ['a page of text and a spread', [...PICTURES, SPREAD, TEXT], 23],
  ['a page of text, and a cover that no document shows', [TEXT, ...PICTURES], 22, COVER],
];

block('pages of text on every surface', (check) => {
  for (const [fact, docs, pages, made] of BOOKS)
    check(`a comic with ${fact} has ${pages} pages`, () =>
      withChangingShelf(async (shelf) => {
        const { temp } = shelf;
        shelf.put('Comic/Comic 1.epub', readFileSync(bookOf(temp.folder, docs, made)));
        await shelf.scan();
        const token = await temp.tokenOf('admin');
        const get = (path: string) => temp.call('GET', path, { token, headers: { host: 'books.example' } });
        const { id, seriesId } = await shelf.book('Comic 1.epub');
        const komga = `/komga/api/v1/books/${id.replaceAll('-', '')}`;
        const manifest = JSON.parse((await get(`/api/v1/books/${id}/manifest`)).bytes.toString());
        const feed = (await get(`/opds/v1.2/series/${seriesId}`)).bytes.toString();
        assert.equal(
          {
            book: (await get(`/api/v1/books/${id}`)).json.pageCount,
            pages: (await get(`/api/v1/books/${id}/pages`)).json.length,
            komga: (await get(komga)).json.media.pagesCount,
            komgaPages: (await get(`${komga}/pages`)).json.length,
            opds: Number(/pse:count="(\d+)"/.exec(feed)?.[1]),
            manifest: manifest.readingOrder.length,
          },
          { book: pages, pages, komga: pages, komgaPages: pages, opds: pages, manifest: pages },
        );
        for (let page = 1; page <= pages; page += 1)
          assert.is((await get(`/api/v1/books/${id}/pages/${page}`)).status, 200, String(page));
        assert.is((await get(`/api/v1/books/${id}/pages/${pages + 1}`)).status, 404);
      }),
    );
});
