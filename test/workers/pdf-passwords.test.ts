// PDF documents by several programs that anyone may open, although they are encrypted: their JPEG pages are sent, and make the cover.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { AppError } from '../../core/model/errors.js';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readPdfImage } from '../../workers/formats/pdf-jpeg.js';
import { readImage } from '../../workers/formats/read-page.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from './analysed.js';

/** Each has two pages, JPEG images of 60 by 90 and 61 by 91 pixels. */
const OPEN_TO_ALL = [
  ...['qpdf-aes256', 'qpdf-rc4-128-objstm', 'pdftk-128', 'mutool-rc4', 'gs-rc4'].map(
    (name) => `owner-password-${name}`,
  ),
  ...['qpdf-aes128-clearmeta', 'qpdf-aes256-linear-objstm', 'mutool-aes128', 'mutool-aes256'].map(
    (name) => `empty-password-${name}`,
  ),
];

const sizesAsSent = async (path: string): Promise<string[]> => {
  const table = new PageTable((await analysed(path)).pageTable ?? new Uint8Array());
  const file = openBookFile(path);
  const sizes: string[] = [];
  try {
    for (let index = 0; index < table.pageCount; index += 1) {
      const page = table.entry(index);
      assert.is(page?.method, METHOD.pdfImage);
      if (page === undefined) continue;
      const { width, height, type } = imageSize(
        await readImage(file, page, { limits: LIMITS, check: () => undefined }),
      );
      sizes.push(`${type} ${width}x${height}`);
    }
  } finally {
    file.close();
  }
  return sizes;
};

const AES_256 = 'cases/pdf-owner-password-qpdf-aes256.pdf';

/** Of the pages of this document. */
const imagesOf = async (path: string): Promise<{ object: number; size: number }[]> => {
  const table = new PageTable((await analysed(path)).pageTable ?? new Uint8Array());
  return Array.from({ length: table.pageCount }, (_, index) => table.entry(index)).flatMap((page) =>
    page?.address.in === 'document' ? [{ object: page.address.object, size: page.size }] : [],
  );
};

const failure = (body: () => unknown): string => {
  try {
    body();
  } catch (thrown) {
    return thrown instanceof AppError ? `${thrown.kind}: ${thrown.message}` : String(thrown);
  }
  return 'none';
};

block('the image of a page of an encrypted document', (check) => {
  check('that is not as it was analysed is damaged if the file is the same', async () => {
    const path = fixture(AES_256);
    const [image] = await imagesOf(path);
    assert.ok(image !== undefined);
    const file = openBookFile(path);
    assert.is(
      failure(() => readPdfImage(file, { ...image, size: 4 })),
      `CorruptPage: The page is damaged: its image has ${image.size} bytes instead of 4.`,
    );
    assert.is(
      failure(() => readPdfImage(file, { ...image, object: 1 })),
      'CorruptPage: The page is damaged: its image is missing.',
    );
    assert.is(readPdfImage(file, image).length, image.size);
    file.close();
  });
  check('is another one after the file has been replaced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-replaced-'));
    const path = join(folder, 'book.pdf');
    writeFileSync(path, readFileSync(fixture(AES_256)));
    const [image] = await imagesOf(path);
    assert.ok(image !== undefined);
    const file = openBookFile(path);
    writeFileSync(path, readFileSync(fixture('cases/pdf-owner-password-pdftk-128.pdf')));
    assert.match(
      failure(() => readPdfImage(file, { ...image, size: 4 })),
      /^FileChanged/,
    );
    rmSync(path);
    writeFileSync(join(folder, 'other.pdf'), readFileSync(fixture(AES_256)));
    const other = openBookFile(join(folder, 'other.pdf'));
    rmSync(other.path);
    assert.match(
      failure(() => readPdfImage(other, image)),
      /^FileUnreadable/,
    );
    file.close();
    other.close();
    rmSync(folder, { recursive: true });
  });
  check('is sent although its stated length goes beyond the end of the file', async () => {
    const bytes = readFileSync(fixture(AES_256)).toString('latin1');
    assert.match(bytes, /\/Length 480 /);
    const folder = mkdtempSync(join(tmpdir(), 'longbox-length-'));
    const path = join(folder, 'long.pdf');
    writeFileSync(path, bytes.replace('/Length 480 ', '/Length 999 '), 'latin1');
    const images = await imagesOf(path);
    assert.is(images.length, 2);
    const file = openBookFile(path);
    assert.equal(
      images.map((image) => readPdfImage(file, image).length),
      images.map(({ size }) => size),
    );
    file.close();
    rmSync(folder, { recursive: true });
  });
});

block('encrypted PDF documents', (check) => {
  for (const name of OPEN_TO_ALL)
    check(`${name}: pages and cover are there without a password, and nothing is remarked`, async () => {
      const path = fixture(`cases/pdf-${name}.pdf`);
      const { cover, fault, notes } = await analysed(path);
      assert.equal([fault, notes, cover?.width, cover?.height], [null, [], 60, 90]);
      assert.equal(await sizesAsSent(path), ['jpg 60x90', 'jpg 61x91']);
    });
  check('one that asks for a password says so', async () => {
    const { fault } = await analysed(fixture('cases/pdf-user-password-mutool.pdf'));
    assert.is(fault?.kind, 'EncryptedArchive');
    assert.match(fault?.message ?? '', /protected by a password; save it without one/);
  });
  check('one that was linear before it was rewritten is complete until it is cut', async () => {
    const bytes = readFileSync(fixture('cases/pdf-owner-password-mutool-rc4.pdf'));
    assert.match(bytes.subarray(0, 2048).toString('latin1'), /\/Linearized 1\.?0?\/L 2928/);
    const folder = mkdtempSync(join(tmpdir(), 'longbox-linear-'));
    const path = join(folder, 'cut.pdf');
    writeFileSync(path, bytes.subarray(0, -12));
    assert.match(JSON.stringify(await analysed(path)), /cut off/);
    rmSync(folder, { recursive: true });
  });
});
