// EPUBs made for the purpose: how addresses of images are written, and where the package lies.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
let folder = '';

interface Made {
  readonly body: string | Uint8Array;
  readonly images: readonly string[];
  readonly chapter?: string;
  readonly fullPath?: string;
}

const opfOf = (chapter: string): string =>
  `<package version="3.0"><metadata><title>T</title></metadata><manifest><item id="c" href="${chapter}" media-type="${chapter.endsWith('.svg') ? 'image/svg+xml' : 'application/xhtml+xml'}"/></manifest><spine><itemref idref="c"/></spine></package>`;

const svg = (inner: string): string =>
  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inner}</svg>`;

const DRAWINGS: Readonly<Record<string, string>> = {
  'O/two.svg': '<image xlink:href="a.png"/><g><image href="./b.png"/></g>',
  'O/loop.svg': '<image href="loop.svg"/><image href="two.svg"/>',
  'O/none.svg': '<path d="M0 0"/>',
};

/** Names of the pages of an EPUB with one chapter. */
const pagesOf = async ({
  body,
  images,
  chapter = 'c.xhtml',
  fullPath = 'O/p.opf',
}: Made): Promise<readonly string[]> => {
  const path = join(folder, 'book.epub');
  const bytes = typeof body === 'string' ? Buffer.from(`<html><body>${body}</body></html>`) : body;
  writeFileSync(
    path,
    writeZip([
      { name: 'mimetype', bytes: Buffer.from('application/epub+zip') },
      {
        name: 'META-INF/container.xml',
        bytes: Buffer.from(`<container><rootfiles><rootfile full-path="${fullPath}"/></rootfiles></container>`),
      },
      { name: 'O/p.opf', bytes: Buffer.from(opfOf(chapter)) },
      { name: `O/${chapter}`, bytes },
      ...Object.entries(DRAWINGS).map(([name, inner]) => ({ name, bytes: Buffer.from(svg(inner)) })),
      ...images.map((name) => ({ name, bytes: IMAGE })),
    ]),
  );
  const { pageTable, fault } = await analysed(path);
  assert.ok(pageTable, fault?.message);
  return new PageTable(pageTable).names();
};

const BODIES: readonly (readonly [fact: string, body: string, pages: readonly string[]])[] = [
  ['plain', '<img src="a.png"/>', ['O/a.png']],
  ['a larger-than sign in another attribute', '<img alt="a > b" src="a.png"/>', ['O/a.png']],
  ['a character reference', '<img src="&#97;.png"/>', ['O/a.png']],
  ['a comment', '<!-- <img src="b.png"/> --><img src="a.png"/>', ['O/a.png']],
  ['another attribute that ends in src', '<img not-src="b.png" src="a.png"/>', ['O/a.png']],
  ['an image that a script loads, and its placeholder', '<img src="a.png" data-src="b.png"/>', ['O/b.png']],
  ['an image of SVG', `<svg:image width="1" xlink:href='a.png'/>`, ['O/a.png']],
  [
    'a page that is an image of SVG',
    '<svg viewBox="0 0 9 9"><image width="9" height="9" xlink:href="a.png"></image></svg>',
    ['O/a.png'],
  ],
  [
    'an image of SVG 2, and one whose prefix is another',
    '<image href="b.png"/><image ns0:href="a.png"/>',
    ['O/b.png', 'O/a.png'],
  ],
  [
    'a use of a drawing inside of the document',
    '<svg><image id="i" xlink:href="a.png"/><use xlink:href="#i"/></svg>',
    ['O/a.png'],
  ],
  ['an image in the address itself', '<image xlink:href="data:image/png;base64,AAAA"/>', []],
  ['a file of SVG that shows images', '<img src="two.svg"/><img src="b.png"/>', ['O/a.png', 'O/b.png']],
  ['the same file as an object, twice', '<object data="two.svg"/><embed src="two.svg"/>', ['O/a.png', 'O/b.png']],
  ['an object that is an image, and one that is none', '<object data="b.png"/><object data="film.mp4"/>', ['O/b.png']],
  ['a file of SVG that shows itself, or none', '<img src="loop.svg"/><img src="none.svg"/>', []],
  ['percent signs and another case', '<img src="%61.PNG"/>', ['O/a.png']],
  ['the same image twice', '<img src="a.png"/><img src="./a.png"/><img src="b.png"/>', ['O/a.png', 'O/b.png']],
  [
    'places outside, which end at the root as in a URL',
    '<img src="../../../x.png"/><img src="http://localhost/a.png"/>',
    ['x.png'],
  ],
  ['a place from the root of the book', '<img src="/O/a.png"/><img src="//O//b.png"/>', ['O/a.png', 'O/b.png']],
  ['backslashes', '<img src=".\\a.png"/><img src="..\\O\\b.png"/>', ['O/a.png', 'O/b.png']],
  ['a query and a fragment', '<img src="a.png?x=1&amp;y#z"/><img src="b.png#xywh=1"/>', ['O/a.png', 'O/b.png']],
  ['an invalid escape', '<img src="a%2Epng"/><img src="100%/../b.png"/>', ['O/a.png', 'O/b.png']],
  ['a base', '<base href="../"/><img src="O/a.png"/><img src="x.png"/>', ['O/a.png', 'x.png']],
  ['the largest of several sizes', '<img srcset="x.png 1x, a.png 3x, b.png 2x"/>', ['O/a.png']],
  [
    'a picture whose image is missing',
    '<picture><source srcset="b.png 2x"/><img src="no.png"/></picture>',
    ['O/b.png'],
  ],
  [
    'a picture with a source of another type',
    '<picture><source srcset="b.png"/><img src="a.png"/></picture>',
    ['O/a.png'],
  ],
];

block(
  'images of EPUBs',
  (check) => {
    for (const [fact, body, pages] of BODIES)
      check(fact, async () => assert.equal(await pagesOf({ body, images: ['O/a.png', 'O/b.png', 'x.png'] }), pages));
    check('a document that is an SVG file', async () => {
      const body = Buffer.from(svg('<image xlink:href="b.png"/><image xlink:href="two.svg"/>'));
      assert.equal(await pagesOf({ body, images: ['O/a.png', 'O/b.png'], chapter: 'c.svg' }), ['O/b.png', 'O/a.png']);
    });
    check('a document in UTF-16', async () => {
      const body = Buffer.from('\ufeff<html><body><img src="a.png"/></body></html>', 'utf16le');
      assert.equal(await pagesOf({ body, images: ['O/a.png'] }), ['O/a.png']);
    });
    check('entries with names like URLs', async () => {
      const images = ['O/an%20image.png'];
      assert.equal(await pagesOf({ body: '<img src="an%20image.png"/>', images, chapter: 'a%20b.xhtml' }), images);
    });
    check('a package path that begins with a slash', async () =>
      assert.equal(await pagesOf({ body: '<img src="a.png"/>', images: ['O/a.png'], fullPath: '/O/p.opf' }), [
        'O/a.png',
      ]),
    );
    check('a megabyte of open quotes is read in bounded time', async () => {
      const body = '<img a="'.repeat(130_000);
      assert.equal(await pagesOf({ body, images: ['O/a.png'] }), []);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
