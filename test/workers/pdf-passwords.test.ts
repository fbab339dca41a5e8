// PDF documents by several programs that anyone may open, although they are encrypted: their JPEG pages are sent, and make the cover.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from './analysed.js';

/** Each has two pages, JPEG images of 60 by 90 and 61 by 91 pixels. */
const OPEN_TO_ALL = ['qpdf-aes256', 'qpdf-rc4-128-objstm', 'pdftk-128', 'mutool-rc4', 'gs-rc4'];

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

block('encrypted PDF documents', (check) => {
  for (const name of OPEN_TO_ALL)
    check(`${name}: pages and cover are there without a password, and nothing is remarked`, async () => {
      const path = fixture(`cases/pdf-owner-password-${name}.pdf`);
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
