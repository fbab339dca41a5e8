// EPUBs made of images whose documents name images that are not in the file, or write HTML as no XML parser would accept it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import { type Book, bookOf as bookIn, COMIC, type Doc, IMAGE_ITEMS, picture, readBook } from './made-epub.js';

const MISSING = 'The image that the page shows is missing from the file.';
let folder = '';
const bookOf = (docs: readonly Doc[], book: Book = {}): string => bookIn(folder, docs, book);

const faultsOf = async (path: string): Promise<readonly (string | null | undefined)[]> => {
  const { pageTable } = await analysed(path);
  const table = new PageTable(pageTable ?? new Uint8Array());
  return table.names().map((_, at) => PAGE_FAULTS[table.entry(at)?.fault ?? -1]);
};

const LOST: readonly (readonly [fact: string, doc: Doc, book?: Book])[] = [
  ['an image', { body: '<div><img src="images/9.jpg" alt=""/></div>' }],
  ['an image in SVG, with a number below it', { body: '<svg><image x:href="9.png"/></svg><p>Page 2</p>' }],
  ['a drawing', { body: '<object data="9.svg"/>' }],
  [
    'the image in a drawing',
    { body: '<img src="d.svg"/>' },
    { files: { 'd.svg': '<svg><image href="9.png"/></svg>' } },
  ],
  ['a background', { body: '<div style="background: url(9.png)"/>' }],
  ['an image in a fixed layout', { body: '<img src=9.png>' }, { meta: '<meta name="fixed-layout" content="true"/>' }],
  ['an image outside the linear order', { body: '<img src="9.png"/>', ref: 'linear="no"' }],
];

const lost = (check: (fact: string, run: () => Promise<void>) => void): void => {
  for (const [fact, doc, book] of LOST)
    check(`a page that shows ${fact} that is not in the file is a damaged one, with a remark`, async () => {
      const path = bookOf([picture('a'), doc, {}, picture('c')], book);
      assert.equal(await faultsOf(path), [null, MISSING, null, null]);
      const { epubKind, pageCount, fault, notes } = await analysed(path);
      assert.equal([epubKind, pageCount, fault], ['images', 4, null]);
      assert.equal(
        notes.map(({ message }) => message),
        [`1 of 4 pages cannot be shown. Page 2: ${MISSING}`],
      );
    });
  check('one image that exists is enough, and a table of contents is no page', async () => {
    const either = { body: '<object data="9.png"><img src="b.png"/></object>' };
    const contents = { body: '<img src="9.png"/>', properties: 'nav' };
    assert.equal(await faultsOf(bookOf([contents, picture('a'), either])), [null, null]);
  });
  check('a book in which most images are missing shows the others, and one without any says so', async () => {
    const none = { body: '<img src="9.png"/>' };
    assert.equal(await faultsOf(bookOf([none, none, picture('c'), none])), [MISSING, MISSING, null, MISSING]);
    const { fault } = await analysed(bookOf([none, none]));
    assert.is(fault?.message, `None of the 2 pages can be read. ${MISSING}`);
  });
};

const SOUP: readonly (readonly [fact: string, doc: Doc])[] = [
  ['without quotes', { body: '<p><img src=b.png><br>' }],
  ['without quotes before a slash', { body: '<img src=b.png/>' }],
  [
    'without quotes, among others, over several lines',
    { body: '<IMG\nalt=it\'s width=20%\nSRC =\n./b.png class="x">' },
  ],
  ['after a value that looks like it', { body: `<img alt="not src=a.png" title='src="c.png"' src=b.png>` }],
  ['after values without spaces between them', { body: `<img alt="a"title='b'src="b.png">` }],
  ['after an empty one', { body: '<img src="" alt src=b.png>' }],
  ['after a lone quote', { body: '<img alt=5" src=b.png><p>' }],
  ['without quotes, of an object', { body: '<object type=image/png data=b.png></object>' }],
  ['of several sizes', { body: '<img srcset=b.png>' }],
  ['in SVG', { body: '<svg><image xlink:href=b.png /></svg>' }],
  ['of a background without quotes', { body: '<div id=page style=background:url(b.png)></div>' }],
  ['in a style sheet, all without quotes', { head: '<link rel=stylesheet href=s.css>', body: '<div class=p></div>' }],
];

const soup = (check: (fact: string, run: () => Promise<void>) => void): void => {
  for (const [fact, doc] of SOUP)
    check(`an address ${fact} is a page`, async () => {
      const path = bookOf([picture('a'), doc, picture('c')], { files: { 's.css': '.p{background:url(b.png)}' } });
      const { kind, names, blank } = await readBook(path);
      assert.equal([kind, names, blank], ['images', ['a.png', 'b.png', 'c.png'], []]);
    });
  check('attributes made to be slow take bounded time', async () => {
    const odd = ['a="b=', 'a=\'b="', 'src=', '= ', '" \'', 'a =\n', '/'].map((part) => ({
      body: `<img ${part.repeat(16_000 / part.length)}>`.repeat(100),
    }));
    assert.is((await readBook(bookOf([...COMIC, ...odd], { items: IMAGE_ITEMS }))).names[0], 'a.png');
  });
};

block(
  'EPUBs with missing images and with loose HTML',
  (check) => {
    lost(check);
    soup(check);
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
