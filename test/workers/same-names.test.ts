// Zip entries with the same name: the last counts, as for tar, and a remark says so. Nothing is lost whose names only look the same.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { writeOddZip } from '../odd-archives.js';
import { analysed } from './analysed.js';

const OLD = readFileSync(fixture('images/png-interlaced.png'));
/** Bytes after the end of an image do not matter. */
const NEW = Buffer.concat([OLD, Buffer.from('newer')]);

let folder = '';
const HOOKS = {
  before: () => {
    folder = mkdtempSync(join(tmpdir(), 'longbox-same-names-'));
  },
  after: () => rmSync(folder, { recursive: true, force: true }),
};

const entry = (name: string, bytes: Buffer, extra?: Buffer) => ({
  name: Buffer.from(name, 'latin1'),
  bytes,
  ...(extra && { extra }),
});

const pagesOf = async (archive: Uint8Array) => {
  const path = join(folder, 'book.cbz');
  writeFileSync(path, archive);
  const { pageTable, notes } = await analysed(path);
  const table = pageTable === null ? null : new PageTable(pageTable);
  const file = openBookFile(path);
  try {
    const pages: [string, boolean][] = [];
    for (const [at, name] of (table?.names() ?? []).entries()) {
      const page = table?.entry(at);
      assert.ok(page);
      const bytes = await readImage(file, page, { limits: LIMITS, check: () => undefined });
      pages.push([name, NEW.equals(bytes)]);
    }
    return { pages, notes: JSON.stringify(notes) };
  } finally {
    file.close();
  }
};

/** The name as UTF-8 in a field of its own (Info-ZIP Unicode Path). */
const unicodeField = (raw: string, name: string): Buffer => {
  const text = Buffer.from(name);
  const field = Buffer.alloc(9 + text.length);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + text.length, 2);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(crc32(Buffer.from(raw, 'latin1')), 5);
  text.copy(field, 9);
  return field;
};

block(
  'zip entries of the same name',
  (check) => {
    check('the last counts, with a remark', async () => {
      const { pages, notes } = await pagesOf(
        writeOddZip([entry('1.png', OLD), entry('2.png', OLD), entry('1.png', NEW)]),
      );
      assert.equal(pages, [
        ['1.png', true],
        ['2.png', false],
      ]);
      assert.match(notes, /same name: 1\.png\. The last of each is shown; older ones: 1\./);
    });
    check('no remark when the bytes are the same', async () => {
      const { pages, notes } = await pagesOf(
        writeOddZip([entry('1.png', OLD), entry('1.png', OLD), entry('2.png', OLD)]),
      );
      assert.equal(
        pages.map(([name]) => name),
        ['1.png', '2.png'],
      );
      assert.is(notes, '[]');
    });
    check('also without a directory; a last one that is cut off does not count', async () => {
      const whole = writeOddZip([entry('1.png', OLD), entry('2.png', OLD), entry('2.png', NEW), entry('1.png', NEW)]);
      const { pages } = await pagesOf(whole.subarray(0, whole.lastIndexOf(NEW) + 100));
      assert.equal(pages, [
        ['1.png', false],
        ['2.png', true],
      ]);
    });
    check('ComicInfo, too', async () => {
      const info = (title: string) =>
        entry('ComicInfo.xml', Buffer.from(`<ComicInfo><Title>${title}</Title></ComicInfo>`));
      const path = join(folder, 'info.cbz');
      writeFileSync(path, writeOddZip([info('old'), entry('1.png', OLD), info('new')]));
      assert.match(JSON.stringify((await analysed(path)).metadata), /"new"/);
    });
    check('names of the same bytes that a field tells apart are different', async () => {
      const archive = writeOddZip([
        entry('__.png', OLD, unicodeField('__.png', '一.png')),
        entry('__.png', OLD, unicodeField('__.png', '二.png')),
        entry('3.png', OLD),
        entry('3.png', NEW),
      ]);
      assert.equal((await pagesOf(archive)).pages.length, 3);
    });
    check('two spellings of a path are different', async () => {
      assert.equal((await pagesOf(writeOddZip([entry('a/1.png', OLD), entry('a//1.png', OLD)]))).pages.length, 2);
    });
  },
  HOOKS,
);
