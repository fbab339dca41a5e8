// Titles that programs write into a PDF by themselves are none: then the name of the file is the title.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPdfInfo } from '../../workers/metadata/pdf.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const PLACEHOLDERS = [
  ...[
    'Microsoft Word - Kapitel 3.docx',
    'Microsoft Word - Kapitel 3',
    'Microsoft PowerPoint - x.ppt [Compatibility Mode]',
  ],
  ...['C:\\Users\\x\\book.indd', 'file:///home/x/book.html', 'about:blank', 'QuarkXPress(tm): book.qxd', 'book.indd'],
  ...['scan0001.pdf', 'IMG_001.JPG', 'Saga 01.cbr', 'untitled', 'Untitled-1', 'UNTITLED (2)', 'Document1', 'Layout 1'],
  ...['Slide 1', 'PowerPoint Presentation', '(anonymous)', 'none', 'Unknown', 'Sin título', 'Sans titre', 'Unbenannt'],
  ...[
    'Unbenannt-2',
    'Без названия',
    '無題',
    '无标题',
    '제목 없음',
    'Full page photo',
    'Scan 20190102030405',
    'Adobe Photoshop PDF',
  ],
];

const TITLES = [
  ...[
    'Watchmen: Deluxe Edition',
    'Dr. No',
    'The Untitled',
    'Unknown Soldier',
    'Untitled Ape Epic Adventures',
    'Document of Fear',
  ],
  ...[
    'Microsoft',
    'Saga Vol. 1.5',
    'Mr. Print',
    'Print the Legend 2',
    '無題の本',
    'No. 5',
    'R.I.P.D',
    'A.D.: After Death',
    'Scanlines',
  ],
];

const packet = (title: string): Uint8Array =>
  Buffer.from(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li>${title}</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`,
  );

const pdfWith = (title: string): string => {
  const hex = Buffer.from(`\ufeff${title}`, 'utf16le').swap16().toString('hex');
  return [
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 80]>>endobj',
    `4 0 obj<</Title<${hex}>/Author(Jane Doe)>>endobj\ntrailer<</Size 5/Root 1 0 R/Info 4 0 R>>\n%%EOF`,
  ].join('\n');
};

const folder = mkdtempSync(join(tmpdir(), 'longbox-titles-'));

block(
  'placeholder titles of PDF documents',
  (check) => {
    for (const title of PLACEHOLDERS)
      check(`“${title}” is no title`, () => {
        assert.is(readPdfInfo({ title }, null)?.book.title ?? null, null);
        assert.is(readPdfInfo({}, packet(title))?.book.title ?? null, null);
      });
    for (const title of TITLES)
      check(`“${title}” is a title`, () => {
        assert.is(readPdfInfo({ title }, null)?.book.title, title);
        assert.is(readPdfInfo({}, packet(title))?.book.title, title);
      });
    check('another source in the file has the title', () => {
      assert.is(readPdfInfo({ title: 'Untitled-1' }, packet('Saga One'))?.book.title, 'Saga One');
      assert.is(readPdfInfo({ title: 'Saga Two' }, packet('book.indd'))?.book.title, 'Saga Two');
    });
    check('in a document; the rest is still read', async () => {
      for (const [title, expected] of [
        ['Microsoft Word - Übel.doc', null],
        ['Übel', 'Übel'],
      ] as const) {
        const path = join(folder, 'book.pdf');
        writeFileSync(path, pdfWith(title));
        const { metadata, fault } = await analysed(path);
        assert.equal(
          [fault, metadata?.book.title ?? null, metadata?.book.authors.map(({ name }) => name)],
          [null, expected, ['Jane Doe']],
        );
      }
    });
  },
  { after: () => rmSync(folder, { recursive: true }) },
);
