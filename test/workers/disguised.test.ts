// Files under names of other formats: a book is read as what it is, and anything else is named, whatever the name promises.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRar } from '../../bench/rar-writer.js';
import { writeZip } from '../../bench/zip-writer.js';
import { BOOK_FORMATS, type BookFormat, FORMATS } from '../../core/model/formats.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { writeRar4 } from '../odd-archives.js';
import { type Analysis, analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const PAGES = [1, 2, 3].map((page) => ({ name: `${page}.png`, bytes: IMAGE }));
const bookOf = (name: string): Buffer => readFileSync(fixture(`books/${name}`));

const BOOKS: readonly (readonly [what: string, bytes: () => Buffer, format: BookFormat])[] = [
  ['a zip archive', () => writeZip(PAGES), 'cbz'],
  [
    'a zip archive after a program',
    () => Buffer.concat([Buffer.from('MZ'), Buffer.alloc(5000, 0x90), writeZip(PAGES)]),
    'cbz',
  ],
  ['a RAR 5 archive', () => writeRar(PAGES, { isPacked: true, isSolid: false }), 'cbr'],
  ['a RAR 4 archive', () => writeRar4(PAGES.map(({ name, bytes }) => ({ name: Buffer.from(name), bytes }))), 'cbr'],
  ['an EPUB of images', () => bookOf('comic-fxl-rtl.epub'), 'epub'],
  ['an EPUB of text', () => bookOf('alice-no-cover.epub'), 'epub'],
  ['a PDF document', () => bookOf('four-pages.pdf'), 'pdf'],
  [
    'a PDF document after other bytes',
    () => Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), bookOf('four-pages.pdf')]),
    'pdf',
  ],
];

/** The same bytes in each run: a linear congruential generator. */
const noise = (length: number, seed: number): Buffer => {
  let state = seed;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state >>> 24;
    }),
  );
};

let folder = '';

const read = (bytes: Uint8Array, ending: string): Promise<Analysis> => {
  const path = join(folder, `book.${ending}`);
  writeFileSync(path, bytes);
  return analysed(path);
};

const messageOf = async (bytes: Uint8Array, ending: string): Promise<string> => {
  const { fault } = await read(bytes, ending);
  assert.ok(fault, ending);
  return `${fault.kind}: ${fault.message}`;
};

block(
  'files under names of other formats',
  (check) => {
    for (const [what, bytes, format] of BOOKS)
      check(`${what} is read under every ending, with a remark where it is another`, async () => {
        const content = bytes();
        for (const ending of BOOK_FORMATS) {
          const { fault, notes, format: found, pageCount } = await read(content, ending);
          assert.equal([fault, found, pageCount > 0], [null, format, true], ending);
          const remarks = notes.filter(({ type }) => type === 'format_detection').map(({ message }) => message);
          const remark = `The file is named .${ending} but is ${FORMATS[format].described}; it is read as such.`;
          assert.equal(remarks, ending === format ? [] : [remark], ending);
        }
      });
    check('an empty file is called empty', async () => {
      for (const ending of BOOK_FORMATS)
        assert.match(
          await messageOf(Buffer.alloc(0), ending),
          /^CorruptArchive: The file is empty \(0 bytes\)\..*again/,
        );
    });
    check('random bytes are none of the formats, however many they are', async () => {
      for (const ending of BOOK_FORMATS)
        for (const length of [40, 1100, 70_000])
          assert.match(
            await messageOf(Buffer.concat([Buffer.from([0xc3]), noise(length, length)]), ending),
            /^CorruptArchive: By its content, this is not a zip, RAR, tar, EPUB or PDF file.*(?:copy or download|download).*again/i,
            `${ending} ${length}`,
          );
    });
    check('a zip archive of which only the beginning of the first page is left says that it is cut off', async () => {
      const archive = writeZip(PAGES);
      for (const ending of BOOK_FORMATS)
        for (const length of [10, 33, 38, 200])
          assert.match(
            await messageOf(archive.subarray(0, length), ending),
            /^CorruptArchive: (?:The zip archive is damaged: .*(?:cut off|too short)|The only page .* The page is cut off)/,
            `${ending} ${length}`,
          );
    });
    check('a zip archive that is cut off later shows the pages before, under every ending', async () => {
      const archive = writeZip(PAGES);
      const length = archive.indexOf(Buffer.from('3.png')) + 30;
      for (const ending of BOOK_FORMATS) {
        const { fault, format, notes } = await read(archive.subarray(0, length), ending);
        assert.equal([fault, format], [null, 'cbz'], ending);
        const messages = notes.map(({ message }) => message).join(' ');
        assert.match(messages, /pages at the end may be missing\. Copy or download the file again\./);
        assert.match(messages, /1 of 3 pages cannot be shown\. Page 3: The page is cut off/);
      }
    });
    check('a RAR archive that is cut off in its first page says so', async () => {
      const archive = writeRar(PAGES, { isPacked: true, isSolid: false });
      for (const ending of BOOK_FORMATS)
        assert.match(
          await messageOf(archive.subarray(0, 25), ending),
          /^CorruptArchive: The RAR archive is damaged: .*again/,
        );
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-disguised-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
