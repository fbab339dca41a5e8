// Metadata in zip archives whose bytes do not match the checksum of the archive: it is used, and the book has a remark.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const INFO = '<ComicInfo><Title>Tale</Title><Series>Saga</Series></ComicInfo>';

let folder = '';

const remark = (name: string): string =>
  `Some of its metadata is cut off, damaged or encrypted, so only the readable part is used: “${name}”. Save it again with the program that wrote it.`;

const read = async (name: string, bytes: Uint8Array): Promise<Analysis> => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const found = await analysed(path);
  assert.is(found.fault, null);
  return found;
};

const messages = ({ notes }: Analysis): readonly string[] => notes.map(({ message }) => message);

/** Changes the bytes in the archive, and no checksum. */
const altered = (archive: Buffer, from: string, to: string): Buffer => {
  const at = archive.indexOf(from);
  assert.ok(at > 0 && from.length === to.length);
  archive.write(to, at);
  return archive;
};

const cbz = (name: string, text: string, isDeflated = false): Buffer =>
  Buffer.from(
    writeZip([
      { name: '1.png', bytes: IMAGE },
      { name, bytes: Buffer.from(text), isDeflated },
    ]),
  );

/** Another checksum of the ComicInfo document, wherever the archive has it. */
const withSum = (archive: Buffer, sum: number): Buffer => {
  const own = Buffer.alloc(4);
  own.writeUInt32LE(crc32(Buffer.from(INFO)));
  for (let at = archive.indexOf(own); at >= 0; at = archive.indexOf(own, at + 1)) archive.writeUInt32LE(sum, at);
  return archive;
};

const epub = (): Buffer => {
  const files = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>',
    'p.opf': `<package><metadata><title>Tale</title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
      </manifest><spine><itemref idref="a"/></spine></package>`,
    'a.xhtml': '<html><body>Text of the book</body></html>',
  };
  return Buffer.from(writeZip(Object.entries(files).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))));
};

block(
  'metadata that does not match its checksum',
  (check) => {
    check('stored in an archive: it is used, with a remark, and pages are shown', async () => {
      const found = await read('a.cbz', altered(cbz('ComicInfo.xml', INFO), 'Tale', 'Tape'));
      assert.equal([found.metadata?.book.title, messages(found)], ['Tape', [remark('ComicInfo.xml')]]);
      assert.is(found.pageCount, 1);
      const comet = await read(
        'b.cbz',
        altered(cbz('CoMet.xml', '<comet><title>Tale</title></comet>'), 'Tale', 'Tape'),
      );
      assert.equal([comet.metadata?.book.title, messages(comet)], ['Tape', [remark('CoMet.xml')]]);
    });
    check('damage to the markup: one remark, not two', async () => {
      const found = await read('c.cbz', altered(cbz('ComicInfo.xml', INFO), '</ComicInfo>', '<0000000000>'));
      assert.equal([found.metadata?.book.title, messages(found)], ['Tale', [remark('ComicInfo.xml')]]);
    });
    check('compressed, with a wrong checksum', async () => {
      const found = await read('d.cbz', withSum(cbz('ComicInfo.xml', INFO, true), 12345));
      assert.equal([found.metadata?.book.title, messages(found)], ['Tale', [remark('ComicInfo.xml')]]);
    });
    check('sound ones have no remark, nor do those without a checksum', async () => {
      assert.equal(messages(await read('e.cbz', cbz('ComicInfo.xml', INFO))), []);
      assert.equal(messages(await read('f.cbz', cbz('ComicInfo.xml', INFO, true))), []);
      const found = await read('g.cbz', withSum(cbz('ComicInfo.xml', INFO), 0));
      assert.equal([found.metadata?.book.title, messages(found)], ['Tale', []]);
    });
    check('an archive whose directory is lost has its own remark only', async () => {
      const whole = cbz('ComicInfo.xml', INFO);
      const cut = whole.subarray(0, whole.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02])));
      const found = await read('h.cbz', cut);
      assert.is(found.metadata?.book.title, 'Tale');
      assert.equal(
        found.notes.map(({ type }) => type),
        ['parser'],
      );
    });
    check('the package document of an EPUB', async () => {
      assert.equal(messages(await read('i.epub', epub())), []);
      const found = await read('j.epub', altered(epub(), 'Tale', 'Tape'));
      assert.is(found.metadata?.book.title, 'Tape');
      assert.equal(messages(found), [
        'Its package document does not match its checksum, so pages and metadata may be wrong. Copy or download the file again.',
      ]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-altered-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
