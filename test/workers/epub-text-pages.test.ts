// EPUBs of images with a little text: a copyright page, a table of contents, headings; and books of text with many images.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import { type Book, bookOf as bookIn, type Doc, IMAGE_ITEMS, picture, readBook, SENTENCE } from './made-epub.js';

let folder = '';
const bookOf = (docs: readonly Doc[], book: Book = {}): string => bookIn(folder, docs, book);

const pictures = (count: number, text = ''): Doc[] =>
  Array.from({ length: count }, (_, at) => picture('abc'.charAt(at % 3), text));
/** About 42 letters each. */
const sentences = (count: number): Doc => ({ body: SENTENCE.repeat(count) });
const COLOPHON = sentences(20);
const SPREAD = { body: '<img src="b.png"/><img src="c.png"/>' };
const GUIDE = (href: string): string => `<guide><reference type="toc" title="Contents" href="${href}"/></guide>`;

const DECLARED: readonly (readonly [fact: string, book: Book])[] = [
  ['by rendition:layout', { meta: '<meta property="rendition:layout">pre-paginated</meta>' }],
  ['as the Kindle and Kobo do', { meta: '<meta name="fixed-layout" content="true"/>' }],
  ['by no means', {}],
];

interface Case {
  readonly fact: string;
  readonly docs: readonly Doc[];
  readonly book?: Book;
  readonly blank: readonly number[];
}

const FIXED = { meta: '<meta name="fixed-layout" content="true"/>' };

const OF_IMAGES: readonly Case[] = [
  {
    fact: 'three pages of text among twenty of a fixed layout',
    docs: [...pictures(20), COLOPHON, COLOPHON, COLOPHON],
    book: FIXED,
    blank: [21, 22, 23],
  },
  { fact: 'one page of text among four of a fixed layout', docs: [COLOPHON, ...pictures(3)], book: FIXED, blank: [1] },
  {
    fact: 'a heading before every eighth page',
    docs: Array.from({ length: 4 }, (_, at) => [{ body: `<h1>Chapter ${at}</h1>` }, ...pictures(8)]).flat(),
    blank: [1, 10, 19, 28],
  },
  {
    fact: 'a long table of contents that nothing declares',
    docs: [picture('a'), sentences(24), ...pictures(29)],
    blank: [2],
  },
  {
    fact: 'a table of contents that the guide declares',
    docs: [picture('a'), sentences(90), ...pictures(5)],
    book: { guide: GUIDE('./d1.xhtml') },
    blank: [],
  },
];

const TEXT: readonly (readonly [fact: string, docs: readonly Doc[], book?: Book])[] = [
  ['an art book with an essay', [...pictures(60), sentences(80)]],
  ['an art book with an essay in parts', [...pictures(60), ...Array.from({ length: 5 }, () => sentences(20))]],
  ['a fixed art book with an essay', [...pictures(60), sentences(80)], FIXED],
  ['a picture book whose story follows its pictures', [...pictures(12), sentences(40)]],
  ['a picture book with a line on the page beside each picture', pictures(6).flatMap((one) => [one, sentences(1)])],
  ['a picture book with a line below each picture', pictures(30, SENTENCE)],
  ['a picture book with a paragraph below one picture', [...pictures(30), picture('a', SENTENCE.repeat(6))]],
  [
    'a novel with illustrations',
    [picture('a'), sentences(200), picture('b'), sentences(200), picture('c'), sentences(200)],
  ],
  ['a gallery with several pictures in each document', Array.from({ length: 6 }, () => SPREAD)],
  [
    'a book that begins with its table of contents and goes on in the same document',
    [...pictures(8), sentences(90)],
    { guide: GUIDE('d8.xhtml#toc') },
  ],
];

block(
  'EPUBs of images with pages of text',
  (check) => {
    for (const [fact, book] of DECLARED)
      check(`a copyright page of 800 letters is a blank page with a remark, in a layout declared ${fact}`, async () => {
        const path = bookOf([...pictures(40), COLOPHON], book);
        const { kind, count, names, blank } = await readBook(path);
        assert.equal([kind, count, names.length, blank], ['images', 41, 41, [41]]);
        const { notes } = await analysed(path);
        assert.equal(notes, [
          {
            type: 'page_extraction',
            message: 'These pages are text in the book and blank here: 41. Apps that open EPUB files show the text.',
          },
        ]);
      });
    for (const { fact, docs, book, blank } of OF_IMAGES)
      check(`${fact}: a book of images`, async () => {
        const read = await readBook(bookOf(docs, book));
        assert.equal([read.kind, read.count, read.blank], ['images', read.names.length, blank]);
      });
    for (const [fact, docs, book] of TEXT)
      check(`${fact} is text`, async () => {
        assert.is((await readBook(bookOf(docs, book))).kind, book === FIXED ? 'fixed' : 'reflowable');
      });
    check('both images of a spread are pages, in order', async () => {
      const { kind, count, names } = await readBook(bookOf([...pictures(9), SPREAD], { items: IMAGE_ITEMS }));
      assert.equal([kind, count, names.slice(8)], ['images', 11, ['c.png', 'b.png', 'c.png']]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
