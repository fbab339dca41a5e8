// Pages compressed with Deflate64: those that lie or are damaged have a fault; the others are served as they are, resized, and as a cover.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readZipDirectory } from '../../workers/formats/zip-directory.js';
import { assert, block } from '../kit.js';
import { stockedShelf } from '../shelf.js';
import { analysed } from '../workers/analysed.js';

const BOOK = fixture('books/zip-deflate64.cbz');
const CASE = fixture('cases/deflate64-comicinfo.cbz');

const entries = () => {
  const file = openBookFile(BOOK);
  try {
    return readZipDirectory(file, 100).entries;
  } finally {
    file.close();
  }
};

/** What becomes of the first page when the bytes of the archive are changed. */
const firstFault = async (change: (zip: Buffer) => void): Promise<string | null> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-deflate64-'));
  try {
    const zip = readFileSync(BOOK);
    change(zip);
    const path = join(folder, 'changed.cbz');
    writeFileSync(path, zip);
    const { pageTable } = await analysed(path);
    assert.ok(pageTable);
    return PAGE_FAULTS[new PageTable(pageTable).entry(0)?.fault ?? 0] ?? null;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const CENTRAL = 'PK\u0001\u0002';

block('Deflate64', (check) => {
  const damaged = 'The image is damaged.';
  check('a page that unpacks to more than it declares is refused', async () =>
    assert.is(await firstFault((zip) => zip.writeUInt32LE(1000, zip.indexOf(CENTRAL) + 24)), damaged),
  );
  check('a page that unpacks to less than it declares is refused', async () =>
    assert.is(await firstFault((zip) => zip.writeUInt32LE(400_000, zip.indexOf(CENTRAL) + 24)), damaged),
  );
  check('a page that declares too much is refused before it is unpacked', async () =>
    assert.is(
      await firstFault((zip) => zip.writeUInt32LE(1_000_000_000, zip.indexOf(CENTRAL) + 24)),
      'The page exceeds the size limit.',
    ),
  );
  check('a page whose compressed data is nonsense is damaged', async () =>
    assert.is(await firstFault((zip) => zip.fill(0xff, 60, 400)), damaged),
  );
  check('a page without its header is damaged', async () =>
    assert.is(await firstFault((zip) => zip.fill(0xff, entries()[0]?.offset, 4)), damaged),
  );
  check('metadata compressed with it is read', async () => {
    const { metadata, fault } = await analysed(CASE);
    assert.is(fault, null);
    assert.match(JSON.stringify(metadata), /Sixty-Four Windows/);
  });
  check('pages are served as they are, resized, and as a cover', async () => {
    const { temp, api, bookOf } = await stockedShelf(['zip-deflate64']);
    try {
      const { id, pageCount } = await bookOf('zip-deflate64');
      assert.is(pageCount, 3);
      for (const [index, { crc, size }] of entries().entries())
        for (const _ of ['unpacked', 'cached']) {
          const { status, bytes } = await api('GET', `/books/${id}/pages/${index + 1}`);
          assert.equal([status, bytes.length, crc32(bytes)], [200, size, crc]);
        }
      const small = await api('GET', `/books/${id}/pages/1?width=32&format=jpeg`);
      assert.equal([small.status, small.header('content-type')], [200, 'image/jpeg']);
      assert.is((await api('GET', `/books/${id}/thumbnail`)).status, 200);
    } finally {
      await temp.close();
    }
  });
});
