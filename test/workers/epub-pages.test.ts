// Which EPUBs are books of images, and which of their documents are pages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, block } from '../kit.js';
import {
  type Book,
  bookOf as bookIn,
  COMIC,
  type Doc,
  type Files,
  picture,
  readBook,
  readCase,
  SENTENCE,
} from './made-epub.js';

let folder = '';
const bookOf = (docs: readonly Doc[], book: Book = {}): string => bookIn(folder, docs, book);

/** A book whose reading order is d0, d1 … in this order. */
const inOrder = (docs: readonly Doc[], ids: readonly string[], items = ''): string => {
  const refs = ids.map((id) => `<itemref idref="${id}"/>`).join('');
  const manifest = docs
    .map((_, at) => `<item id="d${at}" href="d${at}.xhtml" media-type="application/xhtml+xml"/>`)
    .join('');
  const opf = `<package><metadata><title>T</title></metadata><manifest>${manifest}${items}</manifest><spine>${refs}</spine></package>`;
  return bookOf(docs, { files: { 'p.opf': opf } });
};

const LAYOUTS: readonly (readonly [fact: string, book: Book, docs: readonly Doc[]])[] = [
  ['rendition:layout', { meta: '<meta property="rendition:layout">pre-paginated</meta>' }, COMIC],
  ['each itemref', {}, COMIC.map((doc) => ({ ...doc, ref: 'properties="rendition:layout-pre-paginated"' }))],
  [
    "Apple's options",
    {
      files: {
        'META-INF/com.apple.ibooks.display-options.xml':
          '<display_options><platform name="*"><option name="fixed-layout">true</option></platform></display_options>',
      },
    },
    COMIC,
  ],
  [
    "Kobo's options",
    {
      files: {
        'META-INF/com.kobobooks.display-options.xml':
          '<display_options><platform name="*"><option name="fixed-layout"> TRUE </option></platform></display_options>',
      },
    },
    COMIC,
  ],
  ['fixed-layout of the Kindle', { meta: '<meta name="fixed-layout" content="true"/>' }, COMIC],
  ['book-type comic', { meta: '<meta name="book-type" content="comic"/>' }, COMIC],
];

const kinds = (check: (fact: string, run: () => Promise<void>) => void): void => {
  check('images in undeclared documents are a book of images', async () => {
    const { kind, count } = await readCase('image-epub-not-declared-fixed');
    assert.equal([kind, count], ['images', 3]);
  });
  check("Apple's declaration is one of a fixed layout", async () => {
    assert.equal((await readCase('fixed-by-apple-options')).kind, 'images');
  });
  check('a blank document is a blank page, as large as the page before it', async () => {
    const { kind, count, blank, sizes } = await readCase('fixed-with-blank-document');
    assert.equal([kind, count, blank], ['images', 4, [3]]);
    assert.equal(sizes[2], sizes[1]);
  });
  check('a first blank document takes the size of the next page, and an image used twice is two pages', async () => {
    const { kind, names, sizes, blank } = await readBook(bookOf([{}, picture('a'), picture('b'), picture('a')]));
    assert.equal([kind, names], ['images', ['d0.xhtml', 'a.png', 'b.png', 'a.png']]);
    assert.equal(blank, [1]);
    assert.equal(sizes[0], sizes[1]);
  });
  check('a document that the reading order names again is a page again, also a blank one', async () => {
    const repeated = await readBook(inOrder(COMIC, ['d0', 'd1', 'd2', 'd1']));
    assert.equal([repeated.kind, repeated.count, repeated.names], ['images', 4, ['a.png', 'b.png', 'c.png', 'b.png']]);
    const blank = await readBook(inOrder([...COMIC, {}], ['d0', 'd3', 'd1', 'd3', 'd2']));
    assert.equal([blank.kind, blank.count, blank.blank], ['images', 5, [2, 4]]);
    assert.equal(blank.names, ['a.png', 'd3.xhtml', 'b.png', 'd3.xhtml', 'c.png']);
  });
  check(
    'two items for one file are the same page again; a reading order of mostly repeats shows each once',
    async () => {
      const item = '<item id="x" href="./D1.xhtml" media-type="application/xhtml+xml"/>';
      const same = await readBook(inOrder(COMIC, ['d0', 'd1', 'x', 'd2'], item));
      assert.equal(same.names, ['a.png', 'b.png', 'b.png', 'c.png']);
      const often = await readBook(inOrder(COMIC, ['d0', 'd1', 'd2', 'd0', 'd1', 'd2', 'd0']));
      assert.equal([often.kind, often.names], ['images', ['a.png', 'b.png', 'c.png']]);
    },
  );
  check('in a text a document that is named again counts once', async () => {
    const text = [{ body: SENTENCE.repeat(99) }, { body: SENTENCE.repeat(99) }];
    const [once, again] = [await readBook(bookOf(text)), await readBook(inOrder(text, ['d0', 'd1', 'd0']))];
    assert.equal([again.kind, again.count], ['reflowable', once.count]);
  });
  for (const [fact, book, docs] of LAYOUTS)
    check(`a fixed layout by ${fact} may have words on its images`, async () => {
      const worded = docs.map((doc) => ({ ...doc, body: `${doc.body ?? ''}${SENTENCE.repeat(9)}` }));
      const { kind, count } = await readBook(bookOf(worded, book));
      assert.equal([kind, count], ['images', 3]);
    });
  check('a picture book with a sentence on each page is text', async () => {
    const { kind } = await readBook(bookOf(['a', 'b', 'c'].map((name) => picture(name, SENTENCE))));
    assert.equal(kind, 'reflowable');
  });
  check('the same written in character references is text', async () => {
    const { kind } = await readBook(bookOf(['a', 'b', 'c'].map((name) => picture(name, '&#28450;'.repeat(40)))));
    assert.equal(kind, 'reflowable');
  });
  check('a poem without images is text, and so is a fixed layout of text', async () => {
    assert.equal((await readBook(bookOf([{ body: 'O rose' }]))).kind, 'reflowable');
    const fixed = { meta: '<meta property="rendition:layout">pre-paginated</meta>' };
    assert.equal((await readBook(bookOf([picture('a'), { body: SENTENCE.repeat(9) }, {}], fixed))).kind, 'fixed');
  });
  check(
    'numbers of pages, a colophon and a table of contents in the spine do not make a comic a book of text',
    async () => {
      const colophon = { body: `<p>${'Printed by somebody somewhere. '.repeat(4)}</p>` };
      const nav = { body: `<nav>${SENTENCE.repeat(20)}</nav>`, properties: 'nav', ref: 'linear="no"' };
      const pages = Array.from({ length: 12 }, (_, at) => picture('abc'.charAt(at % 3), `<p>Page ${at + 1}</p>`));
      const { kind, count, blank } = await readBook(bookOf([nav, ...pages, colophon]));
      assert.equal([kind, count, blank], ['images', 13, [13]]);
    },
  );
  check('a document with two images is no page of a book that does not say that it is fixed', async () => {
    assert.equal(
      (await readBook(bookOf([picture('a'), { body: '<img src="b.png"/><img src="c.png"/>' }]))).kind,
      'reflowable',
    );
  });
};

const BACKGROUNDS: readonly (readonly [fact: string, doc: Doc, css: string, files?: Files])[] = [
  ['an attribute', { body: '<div style="background: #fff url(&quot;b.png&quot;) no-repeat"></div>' }, ''],
  [
    'a style element',
    {
      head: '<style>/* x */ .p { color: red } #q, .p { background-image: url(b.png) }</style>',
      body: '<div class="x p"/>',
    },
    '',
  ],
  [
    'a style sheet, by id',
    { head: '<link rel="stylesheet" href="s.css"/>', body: '<div class="r"><p id="one"></p></div>' },
    'p{margin:0}#two{background:url(a.png)}.r #one{background:url("b.png")}',
  ],
  [
    'a style sheet within a condition',
    { head: '<link href="s.css" type="text/css" rel="Stylesheet"/>', body: '<div class="r"/>' },
    "@media screen { div.r { background-image : url( './b.png' ) } }",
  ],
  [
    'the first rule after a statement',
    { head: '<link href="s.css" rel="stylesheet"/>', body: '<div class="r"/>' },
    '@charset "utf-8";\n@namespace x "http://example/x"; .r{background:url(b.png)}',
  ],
  [
    'a style sheet that another one imports, through a third',
    { head: '<link href="s.css" rel="stylesheet"/>', body: '<div class="r"/>' },
    '@charset "utf-8"; @import url("css/t.css") screen; p{margin:0}',
    { 'css/t.css': "@import 'u.css';", 'css/u.css': '@import url(u.css);.r{background:url(../b.png)}' },
  ],
  [
    'a style sheet that a style element imports',
    { head: '<style>@import url(t.css);</style>', body: '<div class="r"/>' },
    '',
    { 't.css': '.r{background:url(b.png)}' },
  ],
];

const images = (check: (fact: string, run: () => Promise<void>) => void): void => {
  for (const name of ['page-css-background', 'page-img-backslash', 'page-img-query'])
    check(`${name} has one page`, async () => {
      const { kind, count, names } = await readCase(name);
      assert.equal([kind, count, names], ['images', 1, ['OEBPS/Images/001.jpg']]);
    });
  for (const [fact, doc, css, files = {}] of BACKGROUNDS)
    check(`a background by ${fact} is a page`, async () => {
      const { kind, names } = await readBook(bookOf([picture('a'), doc], { files: { 's.css': css, ...files } }));
      assert.equal([kind, names], ['images', ['a.png', 'b.png']]);
    });
  check('style sheets that import each other, or many others, take bounded time', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `s${at}.css`);
    const every = names.map((name) => `@import "${name}";`).join('');
    const files = {
      ...Object.fromEntries(names.map((name) => [name, every])),
      's.css': `${every}${'@import '.repeat(100_000)}${'@a '.repeat(200_000)}.a{background:url(b.png)}`,
    };
    const doc = { head: '<link rel="stylesheet" href="s.css"/>', body: '<p class="a"/>' };
    assert.is((await readBook(bookOf([picture('a'), doc, picture('c')], { files }))).kind, 'images');
  });
  check('a style sheet of 50 MB is not read, and many rules take bounded time', async () => {
    const docs = [
      picture('a'),
      ...Array.from({ length: 2 }, () => ({
        head: '<link rel="stylesheet" href="s.css"/><link rel="stylesheet" href="t.css"/>',
        body: '<p class="a"/>',
      })),
    ];
    const files = {
      's.css': '.a{background:url(b.png)}'.repeat(2_000_000),
      't.css': `${'['.repeat(300_000)}${'p.x{background:url(b.png)}'.repeat(20_000)}`,
    };
    assert.equal((await readBook(bookOf(docs, { files }))).names, ['a.png']);
  });
};

block(
  'EPUBs made of images',
  (check) => {
    kinds(check);
    images(check);
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
