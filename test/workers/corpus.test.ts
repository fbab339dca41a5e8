// Every fixture has the outcome its facts state: pages, or a fault in words. Runs the analysis in this process, without threads.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import type { Analysis } from '../../core/model/jobs.js';
import { PageTable } from '../../core/model/page-table.js';
import { FACTS, type Facts } from '../../fixtures/index.js';
import { analyze } from '../../workers/jobs/analyze.js';
import { runJob } from '../../workers/run.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';

const analysed = (path: string): Promise<Analysis> =>
  runJob(
    analyze,
    { path, limits: LIMITS, thumbnail: { side: 200, quality: 80 } },
    { cancel: new SharedArrayBuffer(4), deadlineMs: Date.now() + 30_000 },
    [],
  );

const READABLE = new Set(['ok', 'ok-partial', 'hostile', 'unsupported', 'mislabelled']);
const UNREADABLE: Readonly<Record<string, readonly string[]>> = {
  'no-pages': ['EmptyBook', 'CorruptArchive'],
  encrypted: ['EncryptedArchive'],
  corrupt: ['CorruptArchive', 'UnsupportedFormat'],
  unsupported: ['CorruptArchive'],
  mislabelled: ['UnsupportedFormat'],
  'multi-volume': ['UnsupportedFormat'],
  hostile: ['EmptyBook', 'CorruptArchive'],
  'ok-partial': ['CorruptArchive'],
  // The end record of this file claims part 57,054 of an archive.
  'zip-huge-directory-size': ['UnsupportedFormat'],
};

const sizesOf = (table: PageTable): string[] =>
  Array.from({ length: table.pageCount }, (_, index) => {
    const entry = table.entry(index);
    return entry === undefined || entry.fault !== 0 ? '-' : `${entry.width}x${entry.height}`;
  });

const checkPages = (facts: Facts, found: Analysis): void => {
  assert.ok(found.pageTable, `no page table: ${found.fault?.message}`);
  const table = new PageTable(found.pageTable);
  const [low, high] = facts.pages ?? [1, Number.POSITIVE_INFINITY];
  assert.ok(table.pageCount >= low && table.pageCount <= high, `${table.pageCount} pages`);
  if (facts.first !== '') assert.is(table.names()[0], facts.first);
  if (facts.last !== '') assert.is(table.names().at(-1), facts.last);
  // A size is stated as stored; page 4 of image-zoo is turned by EXIF and shown 600x450.
  const turned = facts.file.endsWith('image-zoo.cbz')
    ? facts.sizes.map((size) => (size === '450x600' ? '600x450' : size))
    : facts.sizes;
  if (
    facts.sizes.length === table.pageCount &&
    !facts.expect.some((word) => word === 'ok-partial' || word === 'unsupported')
  )
    assert.equal(
      sizesOf(table).filter((size) => size !== '-'),
      turned.filter((size) => size !== '-' && size !== '18000x18000'),
    );
};

const checkMetadata = (facts: Facts, found: Analysis): void => {
  if (facts.title !== '') assert.is(found.metadata?.book.title, facts.title);
  if (facts.series !== '') assert.is(found.metadata?.book.series, facts.series);
  if (facts.number !== '') assert.is(found.metadata?.book.number, facts.number);
  if (facts.direction !== '') assert.is(found.metadata?.series.readingDirection, facts.direction);
  if (/^\d+$/.test(facts.volume)) assert.is(found.metadata?.book.volume, Number(facts.volume));
};

const checkBook = async (facts: Facts): Promise<void> => {
  const found = await analysed(facts.path);
  if (found.fault === null) {
    assert.ok(
      facts.expect.some((word) => READABLE.has(word)),
      `was read, expected ${facts.expect.join(' or ')}`,
    );
    checkPages(facts, found);
    checkMetadata(facts, found);
    return;
  }
  const name = facts.file.replace(/^books\/|\.cbz$/g, '');
  const allowed = [...facts.expect, name].flatMap((word) => UNREADABLE[word] ?? []);
  assert.ok(allowed.includes(found.fault.kind), `${found.fault.kind}: ${found.fault.message}`);
  assert.ok(found.fault.message.length > 20, 'the sentence says what is wrong');
};

block(
  'books of other people',
  (check) => {
    for (const facts of FACTS.filter(({ file }) => file.startsWith('books/')))
      check(`${facts.file} is ${facts.expect.join(' or ')}`, () => checkBook(facts));
    check('nothing a book names is read from outside', async () => {
      const found = await analysed(FACTS.find(({ file }) => file.endsWith('comicinfo-xxe.cbz'))?.path ?? '');
      assert.not.ok(JSON.stringify(found.metadata).includes('root:'));
    });
  },
  { deadlineS: 30 },
);

let folder = '';

/** An image as the second page of a book whose first page is sound. */
const asPage = async (facts: Facts): Promise<{ readonly size: string; readonly fault: number }> => {
  const path = join(folder, 'book.cbz');
  const extension = facts.file.slice(facts.file.lastIndexOf('.'));
  const sound = FACTS.find(({ file }) => file.endsWith('jpeg-baseline.jpg'))?.path ?? '';
  writeFileSync(
    path,
    writeZip([
      { name: '1.jpg', bytes: readFileSync(sound) },
      { name: `2${extension}`, bytes: readFileSync(facts.path) },
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
  'images of other people',
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
