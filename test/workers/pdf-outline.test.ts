// The table of contents of a PDF is kept up to a number of entries, however they are nested.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { Outline, OutlineEntry } from '../../core/model/outline.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

let folder = '';

const CATALOG = 1;
const PAGES = 2;
const PAGE = 3;
const OUTLINES = 4;
const FIRST_CHAPTER = 5;

/** A document of one page with chapters of so many sections each. It has no cross-reference table, so mupdf searches for its objects. */
const pdfOf = (chapters: number, sections: number): string => {
  const chapterAt = (at: number): number => FIRST_CHAPTER + at * (sections + 1);
  const last = (count: number, at: number, next: number): string => (at === count - 1 ? '' : `/Next ${next} 0 R`);
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
  const objects = [
    `${CATALOG} 0 obj<</Type/Catalog/Pages ${PAGES} 0 R/Outlines ${OUTLINES} 0 R>>endobj`,
    `${PAGES} 0 obj<</Type/Pages/Count 1/Kids[${PAGE} 0 R]>>endobj`,
    `${PAGE} 0 obj<</Type/Page/Parent ${PAGES} 0 R/MediaBox[0 0 90 90]>>endobj`,
    `${OUTLINES} 0 obj<</First ${chapterAt(0)} 0 R/Last ${chapterAt(chapters - 1)} 0 R>>endobj`,
    ...numbers(chapters).flatMap((at) => {
      const own = chapterAt(at);
      const down = `/First ${own + 1} 0 R/Last ${own + sections} 0 R`;
      return [
        `${own} 0 obj<</Title(C)/Parent ${OUTLINES} 0 R${down}${last(chapters, at, chapterAt(at + 1))}>>endobj`,
        ...numbers(sections).map(
          (one) => `${own + 1 + one} 0 obj<</Title(S)/Parent ${own} 0 R${last(sections, one, own + 2 + one)}>>endobj`,
        ),
      ];
    }),
  ];
  return `%PDF-1.4\n${objects.join('\n')}\ntrailer<</Root ${CATALOG} 0 R/Size ${chapterAt(chapters)}>>\n%%EOF\n`;
};

const countOf = (entries: readonly OutlineEntry[]): number =>
  entries.reduce((sum, { children }) => sum + 1 + countOf(children), 0);

const kept = async (chapters: number, sections: number): Promise<readonly [number, readonly string[]]> => {
  const path = join(folder, 'book.pdf');
  writeFileSync(path, pdfOf(chapters, sections));
  const { outline, notes, fault } = await analysed(path);
  assert.is(fault, null);
  assert.ok(outline);
  const { toc } = JSON.parse(inflateRawSync(outline).toString()) as Outline;
  return [countOf(toc), notes.map(({ message }) => message)];
};

block(
  'tables of contents of PDFs',
  (check) => {
    check('a short one is kept whole', async () => assert.equal(await kept(3, 4), [15, []]));
    check('one of many entries on two levels is cut, with a remark', async () =>
      assert.equal(await kept(3, 9000), [20_000, ['Its table of contents is too long; only the beginning is kept.']]),
    );
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-outline-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
