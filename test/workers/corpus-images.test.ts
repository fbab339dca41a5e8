// Every image of other people, as a page of a book, has the size and the fault its facts state.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { PageTable } from '../../core/model/page-table.js';
import { FACTS, type Facts, fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

let folder = '';

/** An image as the second page of a book whose first page is sound. */
const asPage = async (facts: Facts): Promise<{ readonly size: string; readonly fault: number }> => {
  const path = join(folder, 'book.cbz');
  const extension = facts.file.slice(facts.file.lastIndexOf('.'));
  const sound = fixture('images/jpeg-baseline.jpg');
  writeFileSync(
    path,
    writeZip([
      { name: '1.jpg', bytes: readFileSync(sound) },
      { name: `2${extension}`, bytes: readFileSync(facts.path ?? '') },
    ]),
  );
  const found = await analysed(path);
  assert.ok(found.pageTable);
  const entry = new PageTable(found.pageTable).entry(1);
  return { size: `${entry?.width}x${entry?.height}`, fault: entry?.fault ?? 0 };
};

/** An AVIF turned by `irot` is stated as its decoder shows it; EXIF orientation is stated unturned. */
const turnedSize = (facts: Facts): string => {
  const isTurned = /exif-[5678]/.test(facts.file);
  return isTurned ? facts.page1.split('x').reverse().join('x') : facts.page1;
};

/** 225 megapixels are below the limit; the GIF's header names a small screen, only its frame is huge, and decoding refuses that. */
const SMALL_HEADERS = /15000|gif-bomb/;

/** Faults that only decoding shows: headers are whole, so the page is listed and fails when it is asked for. */
const FOUND_LATER = new Set([
  'images/jpeg-truncated.jpg',
  'images/png-truncated.png',
  'images/jpeg-corrupt-header.jpg',
]);

block(
  'images from other projects',
  (check) => {
    for (const facts of FACTS.filter(({ file }) => file.startsWith('images/'))) {
      check(`${facts.file} is ${facts.expect.join(' or ')}`, async () => {
        const { size, fault } = await asPage(facts);
        if (facts.file.endsWith('.svg')) assert.is.not(fault, 0);
        else if (facts.expect.includes('image-corrupt') && !FOUND_LATER.has(facts.file)) assert.is.not(fault, 0);
        else if (facts.expect.includes('image-bomb')) assert.is(fault !== 0, !SMALL_HEADERS.test(facts.file));
        else if (facts.page1 !== '' && !FOUND_LATER.has(facts.file))
          assert.equal([size, fault], [turnedSize(facts), 0]);
      });
    }
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-images-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
    deadlineS: 30,
  },
);
