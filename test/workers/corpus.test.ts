// Every book of other people has the outcome its facts state: pages, sizes, metadata, or a fault in words. Runs the analysis in this process,
// without threads. Large files are in no repository: LONGBOX_CORPUS names a folder that has them.

import { inflateRawSync } from 'node:zlib';
import type { Outline } from '../../core/model/outline.js';
import { PageTable } from '../../core/model/page-table.js';
import { FACTS, type Facts } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';

const READABLE = new Set(['ok', 'ok-partial', 'hostile', 'unsupported', 'mislabelled']);
const UNREADABLE: Readonly<Record<string, readonly string[]>> = {
  'no-pages': ['EmptyBook', 'CorruptArchive'],
  encrypted: ['EncryptedArchive'],
  drm: ['EncryptedArchive'],
  corrupt: ['CorruptArchive', 'UnsupportedFormat'],
  unsupported: ['CorruptArchive'],
  mislabelled: ['UnsupportedFormat'],
  'multi-volume': ['UnsupportedFormat'],
  'invalid-epub': ['CorruptArchive'],
  hostile: ['EmptyBook', 'CorruptArchive'],
  'ok-partial': ['CorruptArchive'],
};

/** Where this server differs from the stated outcome, and why. */
const ARGUED: Readonly<Record<string, readonly string[]>> = {
  // The end record of this file claims part 57,054 of an archive.
  'books/zip-huge-directory-size.cbz': ['UnsupportedFormat'],
  // A zip archive without any file of an EPUB is what its content says, whatever its name: a bundle of images, or nothing.
  'books/zip-as-epub.epub': ['readable'],
  // A Word document under another name.
  'books/epub-container-not-ocf.epub': ['UnsupportedFormat'],
  // Its directory is missing, most of its pages are not.
  'books/truncated-half.cbz': ['readable'],
  // Its root is lost, its page is not.
  'books/pdf-fuzz-395.pdf': ['readable'],
  // The archive opens and lists no page.
  'books/malformed-512.cbr': ['CorruptArchive'],
};

const sizesOf = (table: PageTable): string[] =>
  Array.from({ length: table.pageCount }, (_, index) => {
    const entry = table.entry(index);
    return entry === undefined || entry.fault !== 0 ? '-' : `${entry.width}x${entry.height}`;
  });

/** Pages with damage of their own: the listed size says that no tool could read it, or what its header claims. */
const isTold = (size: string): boolean => size !== '-' && size !== '18000x18000';

/** Facts give sizes as stored; page 4 of image-zoo is turned by EXIF. Both scans of points at 150 dots an inch are rounded. */
const shown = (facts: Facts): readonly string[] =>
  facts.file.endsWith('image-zoo.cbz')
    ? facts.sizes.map((size) => (size === '450x600' ? '600x450' : size))
    : facts.sizes;

const checkSizes = (facts: Facts, table: PageTable): void => {
  const stated = shown(facts);
  if (stated.length !== table.pageCount || facts.expect.includes('unsupported')) return;
  const found = sizesOf(table);
  stated.forEach((size, index) => {
    if (isTold(size) && found[index] !== '-') assert.is(found[index], size, `page ${index + 1}`);
  });
  const isSound = facts.expect.length === 1 && facts.expect[0] === 'ok';
  if (isSound) assert.equal(found, stated);
};

const checkNames = (facts: Facts, table: PageTable): void => {
  if (facts.first !== '') assert.is(table.names()[0], facts.first);
  if (facts.last !== '') assert.is(table.names().at(-1), facts.last);
};

const within = (count: number, [low, high]: readonly [number, number]): void =>
  assert.ok(count >= low && count <= high, `${count} pages`);

/** Points as facts state them, at the 150 dots an inch of a page that is drawn. */
const pixelsOf = (points: string): readonly number[] =>
  points.split('x').map((one) => (Number.parseFloat(one) * 150) / 72);

const checkPdf = (facts: Facts, table: PageTable): void => {
  const stated = /sizes shown after rotation \(pt\)=([^;]+)/.exec(facts.details)?.[1]?.split(',');
  stated?.forEach((points, index) => {
    const entry = table.entry(index);
    const [width = 0, height = 0] = pixelsOf(points);
    assert.ok(entry !== undefined && entry.width > 0 && entry.height > 0);
    const isLong = Math.min(width, height) < 20;
    const ratio = entry.width / entry.height / (width / height);
    assert.ok(
      isLong || Math.abs(ratio - 1) < 0.02,
      `page ${index + 1} is ${entry.width}x${entry.height}, stated ${points} points`,
    );
  });
};

const numberIn = (details: string, key: string): number | undefined => {
  const found = new RegExp(`(?:^|; )${key}=(\\d+)`).exec(details)?.[1];
  return found === undefined ? undefined : Number(found);
};

const outlineOf = (found: Analysis): Outline | null =>
  found.outline === null ? null : (JSON.parse(inflateRawSync(found.outline).toString()) as Outline);

const flat = (entries: Outline['toc']): Outline['toc'] => entries.flatMap((entry) => [entry, ...flat(entry.children)]);

const checkEpub = (facts: Facts, found: Analysis, table: PageTable): void => {
  const outline = outlineOf(found);
  assert.ok(outline);
  const missing = numberIn(facts.details, 'spine items without a file') ?? 0;
  const spine = numberIn(facts.details, 'spine');
  if (spine !== undefined) assert.is(outline.spine.length, spine - missing);
  const toc = /toc=(?:nav|ncx):(\d+)/.exec(facts.details)?.[1];
  // Facts count links; headings that lead nowhere are sometimes written as such, sometimes as plain text.
  const entries = flat(outline.toc);
  const linked = entries.filter(({ href }) => href !== '');
  if (toc !== undefined) assert.ok([entries.length, linked.length].includes(Number(toc)), `${entries.length} entries`);
  if (facts.details.includes('layout=pre-paginated')) assert.is(outline.layout, 'fixed');
  assert.ok(found.pageCount >= outline.spine.length);
  const entry = table.entry(0);
  if (facts.page1 !== '') assert.is(`${entry?.width}x${entry?.height}`, facts.page1, 'the cover comes first');
};

const checkPages = (facts: Facts, found: Analysis): void => {
  assert.ok(found.pageTable, `no page table: ${found.fault?.message}`);
  const table = new PageTable(found.pageTable);
  if (facts.pages !== null) within(found.pageCount, facts.pages);
  if (found.format === 'epub') checkEpub(facts, found, table);
  else if (found.format === 'pdf') checkPdf(facts, table);
  else {
    checkNames(facts, table);
    checkSizes(facts, table);
  }
};

const plain = (text: string): string => text.replace(/\.0$/, '');

const checkMetadata = (facts: Facts, found: Analysis): void => {
  const { book, series } = found.metadata ?? {};
  if (facts.title !== '') assert.is(book?.title, facts.title);
  if (facts.series !== '') assert.is(book?.series, facts.series);
  if (facts.number !== '') assert.is(book?.number, plain(facts.number));
  if (facts.direction !== '') assert.is(series?.readingDirection, facts.direction);
  if (/^\d+$/.test(facts.volume)) assert.is(book?.volume, Number(facts.volume));
};

const checkFault = (facts: Facts, found: Analysis): void => {
  const allowed = [...facts.expect.flatMap((word) => UNREADABLE[word] ?? []), ...(ARGUED[facts.file] ?? [])];
  assert.ok(allowed.includes(found.fault?.kind ?? ''), `${found.fault?.kind}: ${found.fault?.message}`);
  assert.ok((found.fault?.message.length ?? 0) > 20, 'the sentence says what is wrong');
};

const checkBook = async (facts: Facts, path: string): Promise<void> => {
  const found = await analysed(path);
  if (facts.koreader !== '') assert.is(found.koreaderHash, facts.koreader);
  if (found.fault !== null) {
    checkFault(facts, found);
    if (found.fault.kind === 'EmptyBook') checkMetadata(facts, found);
    return;
  }
  const isReadable =
    facts.expect.some((word) => READABLE.has(word)) || ARGUED[facts.file]?.includes('readable') === true;
  assert.ok(isReadable, `was read, expected ${facts.expect.join(' or ')}`);
  checkPages(facts, found);
  checkMetadata(facts, found);
};

const BOOKS = FACTS.filter(({ file }) => file.startsWith('books/'));

block(
  'books from other projects',
  (check) => {
    for (const facts of BOOKS) {
      const { path } = facts;
      if (path !== null) check(`${facts.file} is ${facts.expect.join(' or ')}`, () => checkBook(facts, path));
    }
    check('nothing a book names is read from outside', async () => {
      for (const name of ['comicinfo-xxe.cbz', 'epub-opf-xxe.epub', 'epub-href-traversal.epub']) {
        const found = await analysed(FACTS.find(({ file }) => file.endsWith(name))?.path ?? '');
        assert.not.ok(JSON.stringify(found.metadata).includes('root:'), name);
      }
    });
    const absent = BOOKS.filter(({ path }) => path === null).map(({ file }) => file);
    if (absent.length > 0)
      check.skip(`${absent.length} large books`, 'they are not kept here; LONGBOX_CORPUS names a folder that has them');
  },
  { deadlineS: 60 },
);
