// Compressed pages are unpacked into memory: one that claims more than any real page is refused, by the analysis and by every reader.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import type { PageEntry } from '../../core/model/jobs.js';
import { COMPRESSED_PAGE_MAX_BYTES } from '../../core/model/large-pages.js';
import { encodePageTable, METHOD, PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { SYSTEM } from '../../core/store/feed.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from './analysed.js';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** An image with much behind it, of which each part has its own noise: packed, it is not small enough for a bomb. */
const imageOf = (bytes: number): Buffer => {
  const image = Buffer.alloc(bytes);
  PIXEL.copy(image);
  let state = 1;
  for (let at = PIXEL.length; at < bytes; at += 100) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    image[at] = state >>> 24;
  }
  return image;
};

/** The table as it was before there was a limit. */
const withoutFaults = async (path: string): Promise<Uint8Array> => {
  const table = new PageTable((await analysed(path)).pageTable ?? new Uint8Array());
  const pages = table.names().map((name, at) => ({ ...entryOf(table, at), name, fault: 0 }));
  return encodePageTable(table.format, pages);
};

const entryOf = (table: PageTable, index: number): PageEntry => {
  const entry = table.entry(index);
  assert.ok(entry);
  return entry as PageEntry;
};

let folder = '';
let book = '';

block(
  'pages larger than any real one',
  (check) => {
    check('a compressed one has a fault; the same stored uncompressed has none', async () => {
      const { pageTable } = await analysed(book);
      assert.ok(pageTable);
      const table = new PageTable(pageTable);
      assert.equal(
        [0, 1, 2].map((at) => PAGE_FAULTS[table.entry(at)?.fault ?? 0]),
        [null, 'The page exceeds the size limit.', null],
      );
    });
    check('a table of an earlier analysis does not make a job read it', async () => {
      const table = new PageTable((await analysed(book)).pageTable ?? new Uint8Array());
      const file = openBookFile(book);
      try {
        for (const method of [METHOD.deflated, METHOD.rar, METHOD.solid]) {
          const page = { ...entryOf(table, 1), method, fault: 0 };
          const refusal = await readImage(file, page, { limits: LIMITS, check: () => undefined }).catch(
            (thrown) => thrown,
          );
          assert.equal([method, refusal.kind], [method, 'LimitExceeded']);
        }
      } finally {
        file.close();
      }
    });
    check('nor does it make the server send it, or shrink it', async () => {
      const temp = await tempApp();
      try {
        mkdirSync(join(temp.shelf, 'Series'));
        copyFileSync(book, join(temp.shelf, 'Series', 'Large.cbz'));
        const token = await temp.tokenOf('admin');
        const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
        await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        const [{ id }] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
        const earlier = await withoutFaults(book);
        await temp.app.db.write(SYSTEM, 'interactive', (tx) =>
          tx.run('UPDATE book_pages SET page_table = ?', [earlier]),
        );
        for (const [page, error] of [
          ['2', 'LimitExceeded'],
          ['2?width=100', 'LimitExceeded'],
          ['1', undefined],
        ] as const) {
          const answer = await temp.call('GET', `/api/v1/books/${id}/pages/${page}`, { token });
          assert.equal([page, answer.status, answer.json?.error], [page, error === undefined ? 200 : 422, error]);
        }
      } finally {
        await temp.close();
      }
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-large-'));
      book = join(folder, 'Large.cbz');
      const large = imageOf(COMPRESSED_PAGE_MAX_BYTES + 1);
      const items = [
        { name: '1.png', bytes: PIXEL, isDeflated: true },
        { name: '2.png', bytes: large, isDeflated: true },
        { name: '3.png', bytes: large },
      ];
      writeFileSync(book, writeZip(items));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
