// The page that ComicInfo marks as the front cover is the cover: in new books, in those analysed before, and never against a user's choice.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { bytesOfUuid } from '../../core/model/ids.js';
import { encodePageTable, PageTable } from '../../core/model/page-table.js';
import { pagesOf } from '../../core/model/stored-pages.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { fixture } from '../../fixtures/index.js';
import { frontPagesOf } from '../../workers/metadata/comicinfo.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { analysed } from '../workers/analysed.js';

const CASE = fixture('cases/comicinfo-front-cover.cbz');
const pagesIn = (inner: string): readonly number[] =>
  frontPagesOf(new TextEncoder().encode(`<ComicInfo><Pages>${inner}</Pages></ComicInfo>`));
const info = (pages: string) => [
  { name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo><Pages>${pages}</Pages></ComicInfo>`) },
];

block('pages marked as the front cover', (check) => {
  check('are read in any case, among several types, in order', () => {
    assert.equal(pagesIn('<Page Image="0" Type="Story"/><Page Image="2" Type="frontcover"/>'), [2]);
    assert.equal(pagesIn('<Page Type="InnerCover FrontCover" Image="1"/><Page Image="3" Type="FrontCover"/>'), [1, 3]);
    assert.equal(pagesIn('<Page Image="-1" Type="FrontCover"/><Page Image="x" Type="FrontCover"/>'), []);
    assert.equal(pagesIn('<Page Image="0" Type="BackCover"/>'), []);
  });
  check('decide the cover of the book', async () => {
    const { pageTable, cover } = await analysed(CASE);
    assert.is(new PageTable(pageTable ?? new Uint8Array()).front, 1);
    assert.is.not(cover, null);
  });
  const covers: readonly (readonly [what: string, named: string, comicInfo: string, front: number | null])[] = [
    ['the file that CoMet names', '3.PNG', '', 2],
    ['with its folder', 'Book\\2.png', '', 1],
    ['one that does not exist', 'cover.jpg', '', null],
    ['after what ComicInfo marks', '3.png', '<Page Image="1" Type="FrontCover"/>', 1],
    ['in place of a mark on a page that does not exist', '3.png', '<Page Image="9" Type="FrontCover"/>', 2],
  ];
  for (const [what, named, pages, front] of covers)
    check(`the cover: ${what}`, async () => {
      const temp = await tempApp();
      try {
        const path = join(temp.folder, 'named.cbz');
        const comet = Buffer.from(`<comet><title>T</title><coverImage>${named}</coverImage></comet>`);
        writeBook(path, 3, what, [...info(pages), { name: 'CoMet.xml', bytes: comet }]);
        assert.is(new PageTable((await analysed(path)).pageTable ?? new Uint8Array()).front, front);
      } finally {
        await temp.close();
      }
    });
  check('pages marked as deleted are shown', async () => {
    const temp = await tempApp();
    try {
      const path = join(temp.folder, 'deleted.cbz');
      writeBook(path, 3, 'deleted', info('<Page Image="0" Type="Deleted"/><Page Image="2" Type="Deleted"/>'));
      assert.is(new PageTable((await analysed(path)).pageTable ?? new Uint8Array()).names().length, 3);
    } finally {
      await temp.close();
    }
  });
  const marks: readonly (readonly [what: string, pages: string, front: number | null])[] = [
    ['the first page needs no mark', '<Page Image="0" Type="FrontCover"/>', null],
    ['an index beyond the pages is ignored', '<Page Image="9" Type="FrontCover"/>', null],
    ['the first that exists counts', '<Page Image="9" Type="FrontCover"/><Page Image="2" Type="FrontCover"/>', 2],
  ];
  for (const [what, pages, front] of marks)
    check(what, async () => {
      const temp = await tempApp();
      try {
        const path = join(temp.folder, 'marked.cbz');
        writeBook(path, 3, what, info(pages));
        assert.is(new PageTable((await analysed(path)).pageTable ?? new Uint8Array()).front, front);
      } finally {
        await temp.close();
      }
    });
});

let temp: TempApp;
let token: string;
let book: { readonly id: string };

const coverOf = async () => {
  const { bytes, header } = await temp.call('GET', `/api/v1/books/${book.id}/thumbnail`, { token });
  return { bytes: bytes.toString('base64'), tag: header('etag'), size: imageSize(bytes) };
};

/** As an earlier release stored it. */
const forget = (): Promise<unknown> =>
  temp.app.db.write(SYSTEM, 'background', async (tx) => {
    const [row] = await tx.all<{ id: number; blob: Buffer }>(
      'SELECT b.id, p.page_table AS blob FROM book b JOIN book_pages p ON p.book_id = b.id WHERE b.uuid = ?',
      [bytesOfUuid(book.id)],
    );
    const table = new PageTable(row?.blob ?? Buffer.alloc(0));
    await tx.run('UPDATE book_pages SET page_table = ? WHERE book_id = ?', [
      Buffer.from(encodePageTable(table.format, pagesOf(table))),
      row?.id ?? 0,
    ]);
    tx.report(updated('book', [row?.id ?? 0], ASPECTS.content | ASPECTS.cover));
  });

block(
  'covers of marked pages as they are served',
  (check) => {
    check('a book that was analysed before gets its cover when it is analysed again', async () => {
      const marked = await coverOf();
      await forget();
      await temp.app.pages.makeCover(book.id, new AbortController().signal);
      const first = await coverOf();
      assert.is.not(first.bytes, marked.bytes);
      assert.is.not(first.tag, marked.tag);
      const asked = await temp.call('POST', `/api/v1/books/${book.id}/analyze`, { token });
      assert.ok(asked.status < 300, String(asked.status));
      await until('the mark is known again', async () => (await coverOf()).tag === marked.tag);
      assert.is((await coverOf()).bytes, marked.bytes);
    });
    check('the same cover for reader apps', async () => {
      const { bytes } = await temp.call('GET', `/komga/api/v1/books/${book.id}/thumbnail`, { token });
      assert.is(bytes.toString('base64'), (await coverOf()).bytes);
    });
    check("a user's choice stays", async () => {
      const chosen = await temp.call('PATCH', `/api/v1/books/${book.id}/cover/source`, {
        token,
        body: { source: 'page:1' },
      });
      assert.is(chosen.status, 200);
      const { bytes } = await coverOf();
      await temp.call('POST', `/api/v1/books/${book.id}/analyze`, { token });
      assert.is((await coverOf()).bytes, bytes);
    });
    check('links of a book are shown to reader apps', async () => {
      const path = '/komga/api/v1/books?unpaged=true&search=Linked';
      const [linked] = (await temp.call('GET', path, { token })).json.content;
      assert.equal(linked.metadata.links, [
        { label: 'comicvine.gamespot.com', url: 'https://www.comicvine.gamespot.com/4000-1/' },
        { label: 'example.org', url: 'http://example.org/a?b=1' },
        { label: 'example.net', url: 'https://example.net/' },
      ]);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      mkdirSync(join(temp.shelf, 'Ads'), { recursive: true });
      copyFileSync(CASE, join(temp.shelf, 'Ads', 'Ads 1.cbz'));
      const web =
        'https://www.comicvine.gamespot.com/4000-1/ http://example.org/a?b=1,https://example.net/ javascript:alert(1)';
      const text = `<ComicInfo><Title>Linked</Title><Web>${web}</Web></ComicInfo>`;
      writeBook(join(temp.shelf, 'Linked', 'Linked 1.cbz'), 1, 'l', [
        { name: 'ComicInfo.xml', bytes: Buffer.from(text) },
      ]);
      const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
      await temp.call('POST', '/api/v1/libraries', { token, body });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const { data } = (await temp.call('GET', '/api/v1/books', { token })).json;
      book = data.find((one: { path: string }) => one.path.endsWith('Ads 1.cbz'));
    },
    after: () => temp.close(),
  },
);
