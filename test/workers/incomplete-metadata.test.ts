// Metadata that is cut off or cannot be read: what comes before is used, and the book has a remark.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { readArchiveMetadata } from '../../workers/metadata/archive.js';
import { readComicInfo } from '../../workers/metadata/comicinfo.js';
import { reported } from '../../workers/metadata/merge.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const COMIC_INFO = `<?xml version="1.0"?>
<ComicInfo xmlns:xsd="x"><Title>A &amp; B</Title><Series>S</Series><!-- c --><Writer>Ann, Bob</Writer><Year>2020</Year></ComicInfo>`;
const PACKAGE = `<package><metadata><title>Beside</title><creator>Ann</creator><meta name="calibre:series" content="S"/></metadata></package>`;

const incompleteIn = (bytes: Uint8Array): readonly string[] => readComicInfo(bytes)?.unknown?.incomplete ?? [];

const remarksOf = ({ notes, fault }: Analysis): readonly string[] => {
  assert.is(fault, null);
  return notes.filter(({ type }) => type === 'metadata').map(({ message }) => message);
};
const remark = (name: string): string =>
  `Some of its metadata is cut off, damaged or encrypted, so only the readable part is used: “${name}”. Save it again with the program that wrote it.`;

let folder = '';

const cbz = (name: string, bytes: Uint8Array, isDeflated = false): string => {
  const path = join(folder, 'book.cbz');
  writeFileSync(
    path,
    writeZip([
      { name: '1.png', bytes: IMAGE },
      { name, bytes, isDeflated },
    ]),
  );
  return path;
};

block('incomplete metadata', (check) => {
  check('cut off anywhere, it says so, and nothing is made up', () => {
    for (let end = 0; end < COMIC_INFO.length; end += 1) {
      const found = readComicInfo(Buffer.from(COMIC_INFO.slice(0, end)));
      assert.equal(found?.unknown?.incomplete, ['ComicInfo.xml'], String(end));
      assert.ok([null, 'A & B'].includes(found?.book.title ?? null), String(end));
      assert.ok([null, 'S'].includes(found?.book.series ?? null), String(end));
      assert.ok([null, 2020].includes(found?.book.year ?? null), String(end));
    }
    assert.equal(incompleteIn(Buffer.from(COMIC_INFO)), []);
  });
  check('in other encodings, or with zeros in place of the rest', () => {
    const half = COMIC_INFO.slice(0, COMIC_INFO.indexOf('<Writer>'));
    for (const bytes of [
      Buffer.from(`\ufeff${half}`, 'utf16le'),
      Buffer.from(`\ufeff${half}`, 'utf16le').swap16(),
      Buffer.concat([Buffer.from(half), Buffer.alloc(500)]),
    ]) {
      const found = readComicInfo(bytes);
      assert.equal([found?.book.series, found?.unknown?.incomplete], ['S', ['ComicInfo.xml']]);
    }
  });
  check('malformed but complete documents, and complete ones of another kind, have no remark', () => {
    for (const source of [
      '<ComicInfo><Title>T</ComicInfo>',
      '<ComicInfo><Title>A & B</Title></ComicInfo> and more',
      '<ComicInfo><Title>T</Title></b></ComicInfo>',
      '<Other/>',
    ])
      assert.equal(incompleteIn(Buffer.from(source)), [], source);
  });
  check('a comment of ComicBookInfo, and no other', () => {
    const notesIn = (comment: string) => reported(readArchiveMetadata({ comment, texts: [] })).metadataNotes;
    assert.is(notesIn('{"ComicBookInfo/1.0":{"title":"T","ser')[0]?.message, remark('ComicBookInfo'));
    for (const other of ['{not metadata', '{"ComicBookInfo/1.0":{"title":"T"}}', 'ComicBookInfo/1.0'])
      assert.equal(notesIn(other), [], other);
  });
});

block(
  'incomplete metadata in whole books',
  (check) => {
    check('in an archive, whatever the format', async () => {
      const half = Buffer.from(COMIC_INFO.slice(0, -20));
      const found = await analysed(cbz('ComicInfo.xml', half));
      assert.equal([found.metadata?.book.title, remarksOf(found)], ['A & B', [remark('ComicInfo.xml')]]);
      const comet = await analysed(cbz('CoMet.xml', Buffer.from('<comet><title>T</title><series>S')));
      assert.equal([comet.metadata?.book.title, remarksOf(comet)], ['T', [remark('CoMet.xml')]]);
      const metron = await analysed(cbz('MetronInfo.xml', Buffer.from('<MetronInfo><Number>7</Number><Series><Na')));
      assert.equal([metron.metadata?.book.number, remarksOf(metron)], ['7', [remark('MetronInfo.xml')]]);
    });
    check('an empty document, and one whose bytes are damaged in the archive', async () => {
      const empty = await analysed(cbz('ComicInfo.xml', Buffer.alloc(0)));
      assert.equal([empty.metadata, remarksOf(empty)], [null, [remark('ComicInfo.xml')]]);
      const path = cbz('ComicInfo.xml', Buffer.from(COMIC_INFO.repeat(20)), true);
      const archive = readFileSync(path);
      archive.fill(0xff, archive.indexOf('ComicInfo.xml') + 40, archive.indexOf('ComicInfo.xml') + 80);
      writeFileSync(path, archive);
      assert.equal(remarksOf(await analysed(path)), [remark('ComicInfo.xml')]);
    });
    check('next to the book', async () => {
      const path = cbz('note.txt', Buffer.from('x'));
      for (const [name, bytes] of [
        ['series.json', '{"metadata":{"name":"S"'],
        ['metadata.opf', PACKAGE.slice(0, PACKAGE.indexOf('<meta '))],
        ['book.opf', PACKAGE.slice(0, PACKAGE.indexOf('<meta '))],
      ] as const) {
        writeFileSync(join(folder, name), bytes);
        const found = await analysed(path);
        assert.equal(remarksOf(found), [remark(name)]);
        assert.is(found.metadata?.book.title, name === 'series.json' ? undefined : 'Beside');
        rmSync(join(folder, name));
      }
      writeFileSync(join(folder, 'metadata.opf'), PACKAGE);
      assert.equal(remarksOf(await analysed(path)), []);
      rmSync(join(folder, 'metadata.opf'));
    });
    check('the package of an EPUB', async () => {
      const document = `<package><metadata><title>T</title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
        </manifest><spine><itemref idref="a"/>`;
      const write = (source: string): Promise<Analysis> => {
        const path = join(folder, 'book.epub');
        const container = '<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>';
        const files = { mimetype: 'application/epub+zip', 'META-INF/container.xml': container, 'p.opf': source };
        const items = Object.entries({ ...files, 'a.xhtml': '<html><body>Text of the book</body></html>' });
        writeFileSync(path, writeZip(items.map(([name, text]) => ({ name, bytes: Buffer.from(text) }))));
        return analysed(path);
      };
      const found = await write(document);
      assert.equal([found.fault, found.metadata?.book.title], [null, 'T']);
      assert.equal(
        found.notes.map(({ message }) => message),
        [
          'Its package document is cut off, so pages and metadata may be missing. Copy or download the file again, or create it anew.',
        ],
      );
      assert.equal((await write(`${document}</spine></package>`)).notes, []);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-incomplete-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
