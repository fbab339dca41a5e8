// PDF documents that are cut off: the pages that are in the file are shown, in its order, even without the page tree.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { PageEntry } from '../../core/model/jobs.js';
import { faultNumber, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { drawPage } from '../../workers/formats/mupdf.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';

const CUT_OFF =
  'The PDF document is cut off: its end, which says where its pages are, is missing. Copy or download the file again.';
let folder = '';
let path = '';

const read = (bytes: Uint8Array): Promise<Analysis> => {
  writeFileSync(path, bytes);
  return analysed(path);
};

const entriesOf = ({ pageTable }: Analysis): PageEntry[] => {
  if (pageTable === null) return [];
  const table = new PageTable(pageTable);
  return Array.from({ length: table.pageCount }, (_, at) => table.entry(at)).filter((one) => one !== undefined);
};

const soundOf = (analysis: Analysis): PageEntry[] => entriesOf(analysis).filter(({ fault }) => fault === 0);

const remarkOf = ({ notes }: Analysis): string => notes[0]?.message ?? '';

/** Whole documents of three pages, and the objects of each page in the order of the file: the page, its content, its image. */
const BOOKS: readonly (readonly [string, readonly (readonly number[])[]])[] = [
  [
    'pdf-by-img2pdf',
    [
      [12, 13, 14],
      [1, 2, 3],
      [4, 5, 6],
    ],
  ],
  [
    'pdf-by-mutool',
    [
      [1, 2, 3],
      [4, 5, 6],
      [12, 13, 14],
    ],
  ],
];

const endOf = (bytes: Buffer, object: number): number => {
  const start = Math.max(bytes.indexOf(`\n${object} 0 obj`), 0);
  return bytes.indexOf('endobj', start) + 6;
};

/** Each page is a rectangle of another width. */
const pageObject = (number: number, width: number, more = ''): string =>
  `${number} 0 obj\n<</Type/Page/MediaBox[0 0 ${width} 100]/Parent 90 0 R/Resources<<>>/Contents ${number + 1} 0 R${more}>>\nendobj\n` +
  `${number + 1} 0 obj\n<</Length 24>>stream\n1 0 0 rg 0 0 ${width} 100 re f\nendstream\nendobj\n`;

const widthsOf = (analysis: Analysis): number[] => soundOf(analysis).map(({ width }) => Math.round((width * 72) / 150));

const HEAD = '%PDF-1.5\n';
const PAGES = pageObject(9, 50) + pageObject(4, 60) + pageObject(21, 70);

const checkEveryCut = async (name: string, pages: readonly (readonly number[])[]): Promise<void> => {
  const bytes = readFileSync(fixture(`cases/${name}.pdf`));
  for (let length = 100; length < bytes.length - 20; length += 487) {
    const analysis = await read(bytes.subarray(0, length));
    const complete = pages.filter((objects) => objects.every((object) => endOf(bytes, object) <= length)).length;
    if (complete === 0 && analysis.fault !== null) assert.is(analysis.fault.message, CUT_OFF, `${length}`);
    else assert.is(soundOf(analysis).length, complete, `${length}`);
    if (analysis.fault === null) assert.match(remarkOf(analysis), /has no end mark/, `${length}`);
  }
};

block(
  'PDF documents that are cut off',
  (check) => {
    for (const [name, pages] of BOOKS)
      check(`${name}: all complete pages are shown wherever it is cut`, () => checkEveryCut(name, pages));
    check('a cut within the last object leaves the pages before it', async () => {
      const bytes = readFileSync(fixture('cases/pdf-by-ghostscript.pdf'));
      for (let length = Math.floor(bytes.length * 0.86); length < bytes.length - 8; length += 101)
        assert.is(soundOf(await read(bytes.subarray(0, length))).length, 3, `${length}`);
    });
    check('pages come in the order of the file, not of their numbers', async () => {
      for (const rest of [
        '',
        '90 0 obj\n<</Type/Pages/Kids[9 0 R 4 0',
        '90 0 obj\n<<',
        '1 0 obj\n<</Type/Catalog/Pages 90 0 R>>\nendobj\n',
      ]) {
        const analysis = await read(Buffer.from(HEAD + PAGES + rest));
        assert.equal(widthsOf(analysis), [50, 60, 70], rest);
        assert.match(remarkOf(analysis), /has no end mark/);
      }
    });
    check('they can be drawn, and the file stays as it is', async () => {
      const bytes = Buffer.from(HEAD + PAGES);
      await read(bytes);
      const file = openBookFile(path);
      const { bytes: pixels } = drawPage(file, 2, { width: 70, height: null });
      file.close();
      assert.equal([...pixels.subarray(0, 3)], [255, 0, 0]);
      assert.equal(readFileSync(path), bytes);
    });
    check('pages in an object stream are found', async () => {
      const one = '<</Type/Page/MediaBox[0 0 80 100]/Resources<<>>/Contents 10 0 R>>';
      const packed = deflateSync(`30 0 31 ${one.length + 1} ${one} ${one.replace('80', '90')} `);
      const first = `30 0 31 ${one.length + 1} `.length;
      const container = Buffer.concat([
        Buffer.from(`40 0 obj\n<</Type/ObjStm/N 2/First ${first}/Filter/FlateDecode/Length ${packed.length}>>stream\n`),
        packed,
        Buffer.from('\nendstream\nendobj\n41 0 obj\n<</A'),
      ]);
      assert.equal(widthsOf(await read(Buffer.concat([Buffer.from(HEAD + PAGES), container]))), [50, 60, 70, 80, 90]);
    });
    check('of a page that was changed later, the last version is shown', async () => {
      const changed = HEAD + PAGES + pageObject(4, 65);
      assert.equal(widthsOf(await read(Buffer.from(changed))), [50, 70, 65]);
    });
    check('a page whose content, images or size are missing is damaged', async () => {
      const lost = [
        '60 0 obj\n<</Type/Page/MediaBox[0 0 9 9]/Resources<<>>/Contents 99 0 R>>\nendobj\n',
        '60 0 obj\n<</Type/Page/MediaBox[0 0 9 9]/Resources<<>>/Contents[10 0 R 99 0 R]>>\nendobj\n',
        '60 0 obj\n<</Type/Page/MediaBox[0 0 9 9]/Resources 98 0 R/Contents 10 0 R>>\nendobj\n',
        '60 0 obj\n<</Type/Page/MediaBox[0 0 9 9]/Resources<</XObject<</I 97 0 R>>>>/Contents 10 0 R>>\nendobj\n',
        '60 0 obj\n<</Type/Page/MediaBox[0 0 9 9]/Resources<</XObject 97 0 R>>/Contents 10 0 R>>\nendobj\n',
        '60 0 obj\n<</Type/Page/Resources<<>>/Contents 10 0 R/Parent 96 0 R>>\nendobj\n',
        '60 0 obj\n<</Type/Page/MediaBox[0 0 9 9]/Resources<<>>/Contents 61 0 R>>\nendobj\n61 0 obj\n<</Length 30>>stream\n1 0 0',
      ];
      for (const object of lost) {
        const analysis = await read(Buffer.from(HEAD + PAGES + object));
        assert.equal(
          entriesOf(analysis).map(({ fault }) => fault),
          [0, 0, 0, faultNumber('damaged')],
          object,
        );
      }
    });
    check('all pages are found in a complete document whose table of objects leaves them out', async () => {
      const whole = readFileSync(fixture('cases/pdf-by-mutool.pdf')).toString('latin1');
      const [objects, trailer] = [
        whole.slice(0, whole.lastIndexOf('xref\n0')),
        whole.slice(whole.lastIndexOf('trailer')),
      ];
      const [root, tree] = [/\/Root (\d+) 0 R/, /\/Pages (\d+) 0 R/].map((one) => one.exec(whole)?.[1] ?? '');
      for (const text of [objects, objects.replaceAll(/endobj\s+(?=\d)/g, 'endobj ')]) {
        const rowOf = (number: string | undefined): string =>
          `${number} 1\n${String(text.search(new RegExp(`\\b${number} 0 obj`))).padStart(10, '0')} 00000 n \n`;
        for (const rows of ['', rowOf(root), rowOf(root) + rowOf(tree)]) {
          const end = trailer.replace(/startxref\s+\d+/, `startxref\n${text.length}`);
          const made = `${text}xref\n0 1\n0000000000 65535 f \n${rows}${end}`;
          const analysis = await read(Buffer.from(made, 'latin1'));
          assert.equal([soundOf(analysis).length, analysis.fault, remarkOf(analysis)], [3, null, ''], rows);
        }
      }
    });
    check('an empty page is not damaged', async () => {
      const empty = '60 0 obj\n<</Type/Page/MediaBox[0 0 9 9]>>\nendobj\n';
      assert.equal(widthsOf(await read(Buffer.from(HEAD + PAGES + empty))), [50, 60, 70, 9]);
    });
    check('a document that claims a million objects is read within the deadline', async () => {
      assert.equal(widthsOf(await read(Buffer.from(`${HEAD}${PAGES}1000000 0 obj\n<<>>\nendobj\n`))), [50, 60, 70]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-pdf-cut-off-'));
      path = join(folder, 'made.pdf');
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
