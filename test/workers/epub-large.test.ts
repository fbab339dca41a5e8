// Package documents that are too long, too deep, or declare entities: a sentence that says so, or the book as far as it is read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PageTable } from '../../core/model/page-table.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';
import { containerFor, type Files, IMAGE, madeOf } from './made-epub.js';

let folder = '';

const DOCUMENT = '<html><body><img src="a.png"/></body></html>';
const ITEM = '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>';
const REF = '<itemref idref="c"/>';
const times = (count: number, one: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => one(at)).join('');
const packageOf = (items: string, refs: string, more = ''): string =>
  `<package><metadata><title>T</title>${more}</metadata><manifest>${items}</manifest><spine>${refs}</spine></package>`;

const read = (opf: string, files: Files = {}): Promise<Analysis> =>
  analysed(
    madeOf(folder, {
      'META-INF/container.xml': containerFor('p.opf'),
      'p.opf': opf,
      'c.xhtml': DOCUMENT,
      'a.png': IMAGE,
      ...files,
    }),
  );

const pagesIn = ({ pageTable, fault }: Analysis): readonly string[] => {
  assert.is(fault, null);
  return pageTable === null ? [] : new PageTable(pageTable).names();
};

block(
  'large and hostile package documents',
  (check) => {
    const unused = (at: number): string => `<item id="u${at}" href="${at}.css" media-type="text/css"/>`;
    for (const [what, items] of [
      ['of a hundred thousand files', times(100_000, unused)],
      [
        'of as many, each with an end tag and on its own line',
        times(100_000, (at) => `${unused(at).replace('/>', '>')}</item>\n`),
      ],
      [
        'of long addresses',
        times(4_100, (at) => `<item id="u${at}" href="${'x'.repeat(1000)}${at}" media-type="text/css"/>`),
      ],
    ] as const)
      check(`a manifest ${what}, before the reading order: a limit is exceeded`, async () => {
        const { fault } = await read(packageOf(items, REF));
        assert.is(fault?.kind, 'LimitExceeded');
        assert.match(
          fault?.message ?? '',
          /package document of the EPUB book is too long.*reading order.*Split the book/,
        );
      });
    check('a package document of more bytes than are read of one: a limit is exceeded', async () => {
      const { fault } = await read(packageOf(ITEM, REF, ' '.repeat(17 * 2 ** 20)));
      assert.is(fault?.kind, 'LimitExceeded');
      assert.match(fault?.message ?? '', /p\.opf of the EPUB book is 18 MB long; at most 16 MB are read/);
    });
    check('an empty reading order of a short document is still named as such', async () => {
      assert.match((await read(packageOf(ITEM, ''))).fault?.message ?? '', /its reading order \(spine\) is empty/);
    });
    check('a reading order of ninety thousand references is read', async () => {
      const found = await read(
        packageOf(
          ITEM,
          times(90_000, () => REF),
        ),
      );
      assert.equal(pagesIn(found), ['a.png']);
      assert.match(found.notes[0]?.message ?? '', /repeats documents very often/);
    });
    check('a reading order beyond the limit is read up to it, with a remark', async () => {
      const found = await read(
        packageOf(
          ITEM,
          times(110_000, () => REF),
        ),
      );
      assert.equal(pagesIn(found), ['a.png']);
      assert.match(found.notes[0]?.message ?? '', /package document is too long.*only its beginning is read/);
    });
    const deep = (inner: string): string => `${'<a>'.repeat(50_000)}${inner}${'</a>'.repeat(50_000)}`;
    check('deep nesting costs nothing but itself', async () => {
      assert.equal(pagesIn(await read(packageOf(ITEM, REF, deep('x')))), ['a.png']);
      const document = `<html><body>${deep('<img src="a.png"/>')}</body></html>`;
      assert.equal(pagesIn(await read(packageOf(ITEM, REF), { 'c.xhtml': document })), ['a.png']);
      const { fault } = await read(deep(packageOf(ITEM, REF)));
      assert.equal([fault?.kind, /package document/.test(fault?.message ?? '')], ['CorruptArchive', true]);
      const container = await read(packageOf(ITEM, REF), { 'META-INF/container.xml': deep(containerFor('p.opf')) });
      assert.match(container.fault?.message ?? '', /container\.xml names no package document/);
    });
    const LAUGHS = `<!DOCTYPE x [<!ENTITY a "${'ha'.repeat(100)}">${times(9, (at) => `<!ENTITY ${'bcdefghij'[at]} "${`&${'abcdefghi'[at]};`.repeat(10)}">`)}]>`;
    check('entities that a document declares are not used, wherever they are', async () => {
      const found = await read(LAUGHS + packageOf(ITEM, REF, '<creator>&j;</creator>'), {
        'META-INF/container.xml': LAUGHS + containerFor('p.opf'),
        'c.xhtml': `${LAUGHS}<html><body><p>&j;&j;</p><img src="a.png"/></body></html>`,
      });
      assert.equal(pagesIn(found), ['a.png']);
      assert.equal([found.metadata?.book.title, found.metadata?.book.authors], ['T', []]);
    });
    check('an entity that names a file brings nothing of it', async () => {
      const outside = '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/passwd">]>';
      const found = await read(outside + packageOf(ITEM, REF, '<publisher>&file;</publisher>'));
      assert.equal([pagesIn(found), found.metadata?.book.publisher], [['a.png'], null]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-large-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
