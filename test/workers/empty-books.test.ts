// Archives without pages, and books of which some pages cannot be shown: each says what is wrong with what.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import { faultOfPages, joinedByType, notesOfPages } from '../../core/model/page-findings.js';
import { faultNumber, METHOD, type PageFault, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { hasCommand } from '../commands.js';
import { assert, block } from '../kit.js';
import { writeOddZip, writeRar4 } from '../odd-archives.js';
import { writeTar } from '../tar-writer.js';
import { type Analysis, analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const NONE = 'The archive contains no images';
let folder = '';

const analysedBytes = (bytes: Uint8Array, name: string): Promise<Analysis> => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return analysed(path);
};

/** What is in an archive, and what its error says. No content is that of an image. */
const EMPTY: readonly (readonly [what: string, names: readonly string[], message: string])[] = [
  ['text alone', ['readme.txt', 'ComicInfo.xml'], `${NONE}.`],
  [
    'drawings of a paint program',
    ['1.psd', '2.PSD', 'art/3.kra'],
    `${NONE} that can be pages. Images left out: 3; 3 of a type that cannot be shown (psd, kra). Convert psd, kra files to JPEG or PNG to show them as pages.`,
  ],
  [
    'companions of images alone',
    ['__MACOSX/._1.jpg', '._2.jpg'],
    `${NONE} that can be pages. Files with macOS metadata, which contain no images: 2 (._1.jpg, ._2.jpg).`,
  ],
  [
    'thumbnails of a NAS alone',
    ['@eaDir/1.jpg/SYNOPHOTO_THUMB_M.jpg', '@eaDir/2.jpg/SYNOPHOTO_THUMB_M.jpg'],
    `${NONE} that can be pages. Images left out: 2; 2 in system folders (@eaDir).`,
  ],
  [
    'other books',
    ['Batman 1.cbz', 'Batman 2.cbz', 'extra/Batman.pdf', 'note.txt'],
    `${NONE} that can be pages. Archives and books inside: 3 (cbz, pdf); unpack the file, and add each of them as a book.`,
  ],
];

const page = (fault: PageFault) => ({ fault: faultNumber(fault), method: METHOD.stored });
const messagesOf = (faults: readonly PageFault[]): readonly string[] =>
  notesOfPages(faults.map(page)).map(({ message }) => message);

block(
  'what is said of books without pages, and of bad pages',
  (check) => {
    for (const [what, names, message] of EMPTY)
      check(`${what}: the error says what was left out, in zip and RAR`, async () => {
        const entries = names.map((name) => ({ name: Buffer.from(name), bytes: Buffer.from(`no image: ${name}`) }));
        for (const [bytes, file] of [
          [writeOddZip(entries), 'empty.cbz'],
          [writeRar4(entries), 'empty.cbr'],
        ] as const) {
          const { fault } = await analysedBytes(bytes, file);
          assert.equal([fault?.kind, fault?.message], ['EmptyBook', message], file);
        }
      });
    const packed = 'the same of an archive that another tool made';
    if (!hasCommand('python3', '--version')) check.skip(packed, 'it needs python3');
    else
      check(packed, async () => {
        const source = join(folder, 'made');
        mkdirSync(source);
        for (const name of ['page.psd', 'more.tga']) writeFileSync(join(source, name), 'no image');
        const path = join(folder, 'made.cbz');
        execFileSync('python3', ['-m', 'zipfile', '-c', path, join(source, 'page.psd'), join(source, 'more.tga')]);
        assert.match((await analysed(path)).fault?.message ?? '', /left out: 2; 2 of a type .*\(psd, tga\)/);
      });
    check('pages that cannot be shown are named by their reason', () => {
      assert.equal(messagesOf(['none', 'none']), []);
      assert.equal(messagesOf(['none', 'damaged']), ['1 of 2 pages cannot be shown. Page 2: The image is damaged.']);
      assert.equal(messagesOf(['damaged', 'none', 'encrypted', 'cutOff', 'damaged']), [
        '4 of 5 pages cannot be shown. Pages 1, 5: The image is damaged. Page 3: The page is encrypted. Page 4: The page is cut off: the file ends in the middle of it.',
      ]);
      const many = Array.from({ length: 12 }, (): PageFault => 'empty');
      assert.equal(messagesOf(['none', ...many]), [
        '12 of 13 pages cannot be shown. Pages 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and more: The page is empty.',
      ]);
    });
    check('a book without a readable page says why of each page, once where all have one reason', () => {
      const messageOf = (...faults: readonly PageFault[]): string | undefined =>
        faultOfPages(faults.map(page))?.message;
      assert.is(messageOf('damaged', 'none'), undefined);
      assert.is(messageOf('damaged'), 'The only page cannot be read. The image is damaged.');
      assert.is(messageOf('empty', 'empty'), 'None of the 2 pages can be read. The page is empty.');
      assert.is(
        messageOf('empty', 'damaged'),
        'None of the 2 pages can be read. Page 1: The page is empty. Page 2: The image is damaged.',
      );
    });
    check('a book has one remark of each type: what is said of one type stands together', async () => {
      const [one, two] = ['The first.', 'The second.'].map((message) => ({ type: 'parser', message }) as const);
      assert.ok(one && two);
      assert.equal(joinedByType([one, { type: 'other', message: 'Else.' }, two]), [
        { type: 'parser', message: 'The first. The second.' },
        { type: 'other', message: 'Else.' },
      ]);
      const items: readonly ZipItem[] = [
        { name: '1.png', bytes: IMAGE },
        { name: '2.png', bytes: Buffer.from('no image') },
        { name: '3.png', bytes: IMAGE.subarray(0, -40) },
      ];
      const { notes, fault } = await analysedBytes(writeZip(items), 'both.cbz');
      assert.is(fault, null);
      const found = notes.filter(({ type }) => type === 'page_extraction').map(({ message }) => message);
      assert.is(found.length, 1);
      assert.match(
        found[0] ?? '',
        /1 of 3 pages cannot be shown\. Page 2: .* is not an image\. .* end too early.*: 3\./,
      );
    });
    check(
      'an image from the input of a zip program is a page, although it is marked as a pipe; a pipe without content is none',
      async () => {
        const pipe = { system: 3, attributes: 0o010600 << 16 };
        const read = async (name: string, bytes: Uint8Array): Promise<unknown> => {
          const { pageTable } = await analysedBytes(
            writeOddZip([{ name: Buffer.from(name), bytes, ...pipe }]),
            'pipe.cbz',
          );
          return pageTable === null ? null : new PageTable(pageTable).entry(0)?.fault;
        };
        assert.equal([await read('-', IMAGE), await read('1.png', IMAGE)], [faultNumber('none'), faultNumber('none')]);
        assert.is(await read('2.png', new Uint8Array()), faultNumber('notAFile'));
      },
    );
    check('archives and books next to pages are named in a remark, those of macOS are not', async () => {
      const cover = { name: 'cover.png', bytes: IMAGE };
      const inner = { name: 'chapters/Ch1.ZIP', bytes: writeZip([cover]) };
      const junk = { name: '__MACOSX/._Ch1.zip', bytes: Buffer.from('x') };
      const message = 'Archives and books inside: 1 (zip); unpack the file, and add each of them as a book.';
      for (const [bytes, name] of [
        [writeZip([cover, inner, junk]), 'mixed.cbz'],
        [writeTar([cover, inner, junk]), 'mixed.cbt'],
      ] as const) {
        const { fault, pageCount, notes } = await analysedBytes(bytes, name);
        assert.equal([fault, pageCount, notes], [null, 1, [{ type: 'other', message }]]);
      }
      assert.equal((await analysedBytes(writeZip([cover, junk]), 'plain.cbz')).notes, []);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-empty-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
