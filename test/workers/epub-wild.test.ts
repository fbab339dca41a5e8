// EPUBs as programs really write them: names, references and covers that the standard does not foresee.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import {
  type Book,
  bookOf as bookIn,
  COMIC,
  containerFor,
  type Doc,
  type Files,
  IMAGE,
  IMAGE_ITEMS,
  madeOf as madeIn,
  picture,
  readBook,
  readCase,
  SENTENCE,
} from './made-epub.js';

let folder = '';
const bookOf = (docs: readonly Doc[], book: Book = {}): string => bookIn(folder, docs, book);
const madeOf = (files: Files): string => madeIn(folder, files);

const PATHS = ['backslash-names', 'dot-slash', 'in-folder', 'manifest-backslash', 'container-backslash'];
const PACKED: readonly (readonly [fact: string, rename: (name: string) => string])[] = [
  ['two folders around everything', (name) => `Books/One/${name}`],
  ['a leading slash', (name) => `/${name}`],
  ['doubled slashes and another case', (name) => name.replace('META-INF/', 'meta-inf//')],
  ['a folder, a dot and backslashes', (name) => `.\\Book\\${name.replaceAll('/', '\\')}`],
];

const paths = (check: (fact: string, run: () => Promise<void>) => void): void => {
  for (const name of PATHS)
    check(`epub-${name} is a book of three images`, async () => {
      const { kind, count, names, title } = await readCase(`epub-${name}`);
      assert.equal([kind, count, names.length, title], ['images', 3, 3, 'Path Test']);
    });
  for (const [fact, rename] of PACKED)
    check(`a book packed with ${fact}`, async () => {
      const path = madeOf({
        [rename('mimetype')]: 'application/epub+zip',
        [rename('META-INF/container.xml')]: containerFor('O/p.opf'),
        [rename('O/p.opf')]:
          `<package><metadata><title>T</title></metadata><manifest><item id="d" href="./d.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="d"/></spine></package>`,
        [rename('O/d.xhtml')]: '<html><body><img src="/O/a.png"/></body></html>',
        [rename('O/a.png')]: IMAGE,
      });
      const { kind, count, names } = await readBook(path);
      assert.equal([kind, count, names.length], ['images', 1, 1]);
      assert.match(names[0] ?? '', /O\/a\.png$/);
    });
  for (const [name, written] of [
    ['My Book #1 (é).opf', 'My Book #1 (é).opf'],
    ['100% ?.opf', '100% ?.opf'],
    ['a%20b.opf', 'a%20b.opf'],
    ['a b.opf', 'a%20b.opf'],
    ['My Book #1.opf', 'My%20Book%20%231.opf'],
  ] as const)
    for (const at of ['', 'O/'])
      check(`the package document ${at}${name}, named as ${written}`, async () => {
        const path = madeOf({
          'META-INF/container.xml': containerFor(`${at}${written}`),
          [`${at}${name}`]:
            '<package><manifest><item id="d" href="d.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="d"/></spine></package>',
          [`${at}d.xhtml`]: '<html><body><img src="a.png"/></body></html>',
          [`${at}a.png`]: IMAGE,
        });
        assert.equal((await readBook(path)).names, [`${at}a.png`]);
      });
  check('images that styles give as the content of elements', async () => {
    const contents = [
      '<style>.a:before{content:url(i0.png)}</style><div class="a"></div>',
      '<style>#b::after { display: block; content: url("i1.png") }</style><div id="b"></div>',
      '<img style="background: none; content: url(\'i2.png\')"/>',
    ];
    const path = madeOf({
      'META-INF/container.xml': containerFor('p.opf'),
      'p.opf': `<package><manifest>${contents.map((_, at) => `<item id="d${at}" href="d${at}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${contents.map((_, at) => `<itemref idref="d${at}"/>`).join('')}</spine></package>`,
      ...Object.fromEntries(
        contents.flatMap((text, at) => [
          [`d${at}.xhtml`, `<html><body>${text}</body></html>`],
          [`i${at}.png`, IMAGE],
        ]),
      ),
    });
    const { kind, names } = await readBook(path);
    assert.equal([kind, names], ['images', ['i0.png', 'i1.png', 'i2.png']]);
  });
  check('a slash may mean the folder of the package, where the root has no such file', async () => {
    const documents = ['//text//d0.xhtml', '\\text\\d1.xhtml', ' %2Ftext/d2.xhtml', '/d3.xhtml'];
    const path = madeOf({
      'META-INF/container.xml': containerFor('O/p.opf'),
      'O/p.opf': `<package><manifest>${documents.map((href, at) => `<item id="d${at}" href="${href}" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${documents.map((_, at) => `<itemref idref="d${at}"/>`).join('')}</spine></package>`,
      'O/text/d0.xhtml': '<img src="/a.png"/>',
      'O/text/d1.xhtml': '<img src="/pictures/b.png"/>',
      'O/text/d2.xhtml': '<div style="background: url(/pictures/c.png)"/>',
      'O/d3.xhtml': '<p>not this one</p>',
      'd3.xhtml': '<img src="/O/pictures/c.png"/>',
      'O/a.png': 'the root has another',
      'a.png': IMAGE,
      'O/pictures/b.png': IMAGE,
      'O/pictures/c.png': IMAGE,
    });
    const { kind, names, blank } = await readBook(path);
    assert.equal(
      [kind, names, blank],
      ['images', ['a.png', 'O/pictures/b.png', 'O/pictures/c.png', 'O/pictures/c.png'], []],
    );
  });
  check('rootfile-pdf-first is the package after the PDF', async () => {
    assert.equal((await readCase('rootfile-pdf-first')).count, 3);
  });
  check('the first package that exists counts', async () => {
    const path = bookOf(COMIC, {
      files: {
        'META-INF/container.xml': `<container><rootfiles><rootfile full-path="no.opf"/><rootfile full-path="a.png"/><rootfile full-path="p.opf"/></rootfiles></container>`,
      },
    });
    assert.equal((await readBook(path)).count, 3);
  });
  for (const [fact, first] of [
    ['empty', ''],
    ['a document', '<html><body><p>no package</p></body></html>'],
    ['no XML', 'version: 3'],
    ['cut off before its element', '<?xml version="1.0"?><pack'],
  ] as const)
    check(`a package that is ${fact} gives way to the next`, async () => {
      const rootfiles = ['first.opf', 'p.opf'].map(
        (name) => `<rootfile full-path="${name}" media-type="application/oebps-package+xml"/>`,
      );
      const container = `<container><rootfiles>${rootfiles.join('')}</rootfiles></container>`;
      const path = bookOf(COMIC, { files: { 'META-INF/container.xml': container, 'first.opf': first } });
      assert.equal((await readBook(path)).count, 3);
    });
  check('an archive of images with a folder of an EPUB in it is no EPUB', async () => {
    const path = madeOf({ 'x/META-INF/container.xml': containerFor('p.opf'), '1.png': IMAGE });
    assert.equal((await analysed(path)).format, 'cbz');
  });
};

const WRONG: readonly (readonly [fact: string, files: Files, message: RegExp])[] = [
  ['no container', { mimetype: 'application/epub+zip', 'p.opf': '<package/>' }, /container\.xml is missing/],
  ['neither mimetype nor container', { 'p.opf': '<package/>', 'd.xhtml': '<html/>' }, /container\.xml is missing/],
  ['no package', { 'META-INF/container.xml': containerFor('no.opf') }, /package document no\.opf is missing/],
  [
    'an empty spine',
    { 'META-INF/container.xml': containerFor('p.opf'), 'p.opf': '<package><spine/></package>' },
    /spine\) is empty, .*[^.]\. Make it again, .* downloading the same file again does not help\.$/,
  ],
  [
    'no spine',
    { 'META-INF/container.xml': containerFor('p.opf'), 'p.opf': '<package><manifest/></package>' },
    /has no reading order \(spine\)\. Make it again/,
  ],
  [
    'a spine of unknown ids',
    {
      'META-INF/container.xml': containerFor('p.opf'),
      'p.opf':
        '<package><manifest><item id="D" href="d.xhtml"/></manifest><spine><itemref idref="d"/><itemref/></spine></package>',
      'd.xhtml': '<p/>',
    },
    /names 2 documents, but none that its list of files \(manifest\) contains\. Make it again/,
  ],
  [
    'a container that names nothing',
    { 'META-INF/container.xml': '<container><rootfiles/></container>' },
    /names no package document\. Make it again/,
  ],
  [
    'a spine of missing documents',
    {
      'META-INF/container.xml': containerFor('p.opf'),
      'p.opf':
        '<package><manifest><item id="d" href="no.xhtml"/></manifest><spine><itemref idref="d"/></spine></package>',
    },
    /none of the documents in its reading order.* Copy or download the file again\.$/,
  ],
];

const DAMAGED_ITEM = '<item id="z" href="Cover.png" media-type="image/png"/>';
const DAMAGED: Files = { 'd2.xhtml': '<html><body><img src="Cover.png"/></body></html>', 'Cover.png': 'no image' };

const COVERS: readonly (readonly [fact: string, book: Book])[] = [
  ['by its path', { meta: '<meta name="cover" content="./c.png"/>', items: IMAGE_ITEMS }],
  [
    'by its id before the guide',
    {
      meta: '<meta name="cover" content="c"/>',
      items: IMAGE_ITEMS,
      guide: '<guide><reference type="cover" href="b.png"/></guide>',
    },
  ],
  ['by the guide', { items: IMAGE_ITEMS, guide: '<guide><reference type="Cover" href="c.png"/></guide>' }],
  [
    'by a landmark before the guide',
    {
      items: `${IMAGE_ITEMS}<item id="n" href="n.xhtml" properties="nav" media-type="application/xhtml+xml"/>`,
      guide: '<guide><reference type="cover" href="b.png"/></guide>',
      files: {
        'n.xhtml':
          '<html><body><nav epub:type="landmarks"><ol><li><a epub:type="cover" href="c.png">C</a></li></ol></nav></body></html>',
      },
    },
  ],
  [
    'by a document with the property',
    {
      items: `${IMAGE_ITEMS}<item id="v" href="v.xhtml" media-type="application/xhtml+xml" properties="cover-image"/>`,
      files: { 'v.xhtml': '<html><img src="c.png"/></html>' },
    },
  ],
  [
    'by the name of its file, without a type',
    {
      items: '<item id="z" href="Front_Cover.png" media-type="application/octet-stream"/>',
      files: { 'Front_Cover.png': IMAGE },
    },
  ],
];

/** Which of the pages a.png, b.png, c.png and c.png is the cover. */
const FRONTS: readonly (readonly [fact: string, book: Book, front: number | null])[] = [
  ['the meta names the third page', { meta: '<meta name="cover" content="c"/>', items: IMAGE_ITEMS }, 2],
  [
    'the property names the second page',
    { items: IMAGE_ITEMS.replace('id="b"', 'id="b" properties="cover-image"') },
    1,
  ],
  [
    'the guide names the document of the second page',
    { guide: '<guide><reference type="cover" href="d1.xhtml"/></guide>' },
    1,
  ],
  ['the meta names the first page', { meta: '<meta name="cover" content="a"/>', items: IMAGE_ITEMS }, null],
  ['the meta names nothing', { meta: '<meta name="cover" content="x"/>', items: IMAGE_ITEMS }, null],
  [
    'a declared cover that is damaged is none',
    { meta: '<meta name="cover" content="z"/>', items: DAMAGED_ITEM, files: DAMAGED },
    null,
  ],
  ['a later page is only called a cover', { items: DAMAGED_ITEM, files: { ...DAMAGED, 'Cover.png': IMAGE } }, null],
];

const covers = (check: (fact: string, run: () => Promise<void>) => void): void => {
  for (const name of ['meta-is-file-name', 'svg-property', 'octet-stream'])
    check(`cover-${name} has its cover first`, async () => {
      const { names, sizes } = await readCase(`cover-${name}`);
      assert.equal([names[0], sizes[0]], ['OEBPS/Images/cover.jpg', '66x99']);
    });
  check('an image whose id has "cover" inside of a word is no cover', async () => {
    assert.ok(!(await readCase('cover-id-contains-cover')).names.some((name) => /discover/i.test(name)));
  });
  for (const [fact, book] of COVERS)
    check(`a cover named ${fact} is the first page`, async () => {
      const [first] = (await readBook(bookOf([{ body: `${SENTENCE}<img src="a.png"/>` }], book))).names;
      assert.equal(first, fact.startsWith('by the name') ? 'Front_Cover.png' : 'c.png');
    });
  for (const [fact, book, front] of FRONTS)
    check(`of a book of images, ${fact}`, async () => {
      const read = await readBook(bookOf([...COMIC, picture('c')], book));
      assert.equal(
        [read.kind, read.names, read.front],
        ['images', ['a.png', 'b.png', book.files === undefined ? 'c.png' : 'Cover.png', 'c.png'], front],
      );
    });
};

block(
  'EPUBs in the wild',
  (check) => {
    paths(check);
    for (const [fact, files, message] of WRONG)
      check(`an EPUB with ${fact} says so`, async () => {
        assert.match((await analysed(madeOf(files))).fault?.message ?? '', message);
      });
    covers(check);
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
