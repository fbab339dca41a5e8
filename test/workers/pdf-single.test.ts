// A page of a PDF as a document of its own: it is drawn as the page in its book is, whatever the document is like.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { openPdf } from '../../workers/formats/mupdf.js';
import { readPdfPage } from '../../workers/formats/pdf-page.js';
import { singlePage } from '../../workers/formats/pdf-single.js';
import { assert, block } from '../kit.js';

const MAX_BYTES = 64 * 1024 * 1024;
const BOX = { width: 90, height: 90 };

let folder = '';

const drawn = (path: string, index: number) => {
  const file = openBookFile(path);
  try {
    const source = readPdfPage(file, index, BOX);
    if (source.kind !== 'pixels') throw new Error('the page is an image');
    return source;
  } finally {
    file.close();
  }
};

const extracted = (path: string, index: number, maxBytes = MAX_BYTES): string => {
  const file = openBookFile(path);
  try {
    const target = join(folder, `${readdirSync(folder).length}.pdf`);
    writeFileSync(target, singlePage(file, index, maxBytes));
    return target;
  } finally {
    file.close();
  }
};

const pagesOf = (path: string): number => {
  const file = openBookFile(path);
  const pdf = openPdf(file);
  try {
    return pdf.document.countPages();
  } finally {
    pdf.close();
    file.close();
  }
};

/** Pages of documents that are rotated, of several sizes, without their table of objects, encrypted, in layers, of one image. */
const PAGES: readonly (readonly [name: string, index: number])[] = [
  ['books/four-pages.pdf', 2],
  ['books/rotate-inherited.pdf', 0],
  ['books/rotate-mixed.pdf', 1],
  ['books/boxes-rotate.pdf', 0],
  ['books/mixed-sizes.pdf', 1],
  ['books/comic-image-only.pdf', 4],
  ['books/scan-jbig2.pdf', 0],
  ['books/pdf-xref-missing.pdf', 0],
  ['books/pdf-bad-offsets.pdf', 0],
  ['books/hybrid-xref.pdf', 0],
  ['books/enc-r5-owner-only.pdf', 0],
  ['cases/pdf-hidden-layer-image.pdf', 0],
  ['cases/pdf-layers-qpdf-aes256-any-off.pdf', 0],
  ['cases/pdf-layers-qpdf-objstm-all-on.pdf', 0],
  ['books/pages-400.pdf', 399],
];

block(
  'pages of a PDF as documents',
  (check) => {
    for (const [name, index] of PAGES)
      check(`page ${index + 1} of ${name} looks as it does in its book`, () => {
        const whole = fixture(name);
        const single = extracted(whole, index);
        assert.is(pagesOf(single), 1);
        const [inBook, alone] = [drawn(whole, index), drawn(single, 0)];
        assert.equal([alone.width, alone.height], [inBook.width, inBook.height]);
        assert.ok(Buffer.from(alone.bytes).equals(inBook.bytes));
      });

    check('what other pages need is left out', () => {
      const whole = fixture('books/comic-image-only.pdf');
      const sizes = [0, 1, 2, 3, 4, 5].map((index) => readFileSync(extracted(whole, index)).length);
      const sum = sizes.reduce((total, size) => total + size, 0);
      assert.ok(sum < readFileSync(whole).length * 1.1, `${sum}`);
    });

    check('a page that the document does not have, or that is too large, is an error', () => {
      const whole = fixture('books/four-pages.pdf');
      assert.throws(() => extracted(whole, 4), /The page cannot be loaded/);
      assert.throws(() => extracted(whole, 0, 100), /more than 100 bytes/);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'single-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
