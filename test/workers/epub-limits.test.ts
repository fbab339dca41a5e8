// EPUBs that name the same file many times, or use very long paths: each file is read once, and what is kept is limited.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { zipped } from '../../workers/formats/zipped.js';
import { assert, block } from '../kit.js';
import { LIMITS, NO_BUDGET } from '../limits.js';
import { type Analysis, analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const MIB = 2 ** 20;
const LONG = 'x'.repeat(60_000);
let folder = '';

interface Made {
  readonly items: string;
  readonly refs: string;
  readonly files: readonly ZipItem[];
  readonly opf?: string;
}

const text = (name: string, content: string): ZipItem => ({ name, bytes: Buffer.from(content), isDeflated: true });
const times = (count: number, one: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => one(at)).join('');
const item = (id: string, href: string, rest = ''): string =>
  `<item id="${id}" href="${href}" media-type="application/xhtml+xml" ${rest}/>`;

const written = ({ items, refs, files, opf = 'p.opf' }: Made): string => {
  const path = join(folder, 'book.epub');
  const container = `<container><rootfiles><rootfile full-path="${opf}"/></rootfiles></container>`;
  const book = `<package><metadata><title>T</title></metadata><manifest>${items}</manifest><spine>${refs}</spine></package>`;
  const a = { name: 'a.png', bytes: IMAGE };
  const b = { name: 'b.png', bytes: IMAGE };
  writeFileSync(path, writeZip([text('META-INF/container.xml', container), text(opf, book), ...files, a, b]));
  return path;
};

const namesOf = ({ pageTable, fault }: Analysis): readonly string[] => {
  assert.ok(pageTable, fault?.message);
  return new PageTable(pageTable).names();
};

const jsonOf = ({ outline }: Analysis): string => {
  assert.ok(outline);
  return inflateRawSync(outline).toString();
};

const CHAPTER = text('c.xhtml', `${'<img src="a.png"/>'.repeat(500)}<img src="b.png"/>`.padEnd(MIB));

block(
  'limits of EPUBs',
  (check) => {
    const repeated = {
      items: `${item('c', 'c.xhtml')}${item('d', 'C.xhtml')}`,
      refs: '<itemref idref="c"/><itemref idref="d"/>'.repeat(1500),
      files: [{ ...CHAPTER, isDeflated: false }],
    };
    check('a document is read once, however often the reading order names it', async () => {
      const file = openBookFile(written(repeated));
      let bytesRead = 0;
      const read = (position: number, length: number): Buffer => {
        bytesRead += length;
        return file.read(position, length);
      };
      try {
        const container = await zipped.open(
          { ...file, read },
          { limits: LIMITS, check: () => undefined, room: NO_BUDGET },
        );
        assert.equal(
          container.pages.map(({ name }) => name),
          ['a.png', 'b.png'],
        );
        assert.ok(bytesRead < 2 * file.size, `${bytesRead} of ${file.size} bytes were read`);
      } finally {
        file.close();
      }
    });
    check('a document is in the reading order once', async () => {
      const found = await analysed(written(repeated));
      assert.equal([JSON.parse(jsonOf(found)).spine.length, found.pageCount, found.notes], [1, 1024, []]);
    });
    check('a table of contents of long paths is cut, with a remark', async () => {
      const links = times(400, (at) => `<li><a href="#${at}">t</a></li>`);
      const name = `${LONG}.xhtml`;
      const files = [text(name, `<html><nav type="toc"><ol>${links}</ol></nav><img src="a.png"/></html>`)];
      const found = await analysed(
        written({ items: item('n', name, 'properties="nav"'), refs: '<itemref idref="n"/>', files }),
      );
      assert.ok(jsonOf(found).length < 9_000_000);
      assert.equal([found.fault, namesOf(found)], [null, ['a.png']]);
      assert.match(found.notes[0]?.message ?? '', /table of contents is too long/);
    });
    check('a manifest in a folder with a long name is cut, with a remark', async () => {
      const items = item('c', '../c.xhtml') + times(400, (at) => item(`i${at}`, `${at}.xhtml`));
      const refs = `<itemref idref="c"/>${times(400, (at) => `<itemref idref="i${at}"/>`)}`;
      const found = await analysed(written({ items, refs, files: [CHAPTER], opf: `${LONG}/p.opf` }));
      assert.equal([found.fault, namesOf(found)], [null, ['a.png', 'b.png']]);
      assert.match(found.notes[0]?.message ?? '', /lists too many files; only its beginning is read/);
    });
    for (const [what, shown] of [
      ['images', (at: number) => `<img src="${at}.png"/>`],
      ['films', (at: number) => `<object data="${at}.mp4"/>`],
    ] as const)
      check(`${what} named from a folder with a long name are searched up to a limit, with a remark`, async () => {
        const name = `${LONG}/c.xhtml`;
        const files = [text(name, `<img src="../a.png"/>${times(1200, shown)}<img src="../b.png"/>`)];
        const found = await analysed(written({ items: item('c', name), refs: '<itemref idref="c"/>', files }));
        assert.equal([found.fault, namesOf(found)], [null, ['a.png']]);
        assert.match(found.notes[0]?.message ?? '', /name too many images/);
      });
    check('documents are searched up to a number of bytes, with a remark', async () => {
      const bytes = Buffer.from('<img src="a.png"/>'.padEnd(4 * MIB));
      const files = Array.from({ length: 65 }, (_, at) => ({ name: `${at}.xhtml`, bytes, isDeflated: true }));
      const items = times(65, (at) => item(`i${at}`, `${at}.xhtml`));
      const found = await analysed(written({ items, refs: times(65, (at) => `<itemref idref="i${at}"/>`), files }));
      assert.equal([found.fault, namesOf(found)], [null, ['a.png']]);
      assert.match(found.notes[0]?.message ?? '', /documents are too long/);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-limits-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
