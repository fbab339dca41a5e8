// Of the text files in and beside an archive, only those that describe the book are read, and only up to a limit.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRar } from '../../bench/rar-writer.js';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { cbr } from '../../workers/formats/cbr.js';
import { chooseTexts } from '../../workers/metadata/archive.js';
import { readSidecars } from '../../workers/metadata/sidecars.js';
import { assert, block } from '../kit.js';
import { LIMITS, NO_BUDGET } from '../limits.js';
import { analysed } from './analysed.js';

const MIB = 2 ** 20;
const PAGE: ZipItem = { name: 'page 1.png', bytes: readFileSync(fixture('images/png-interlaced.png')) };
const PACKED = { isPacked: true, isSolid: false };
let folder = '';

/** A ComicInfo document that names a series, with spaces up to a length. */
const info = (name: string, series: string, length = 0): ZipItem => ({
  name,
  bytes: Buffer.from(`<ComicInfo><Series>${series}</Series></ComicInfo>`.padEnd(length)),
});

const written = (name: string, bytes: Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

block(
  'texts of archives',
  (check) => {
    check('of the text files in a RAR archive, only those that describe the book are unpacked', async () => {
      const others = Array.from({ length: 24 }, (_, at) => info(`${at}.xml`, 'None', MIB / 2));
      const copies = Array.from({ length: 24 }, (_, at) => info(`${at}/ComicInfo.xml`, 'None', MIB / 2));
      const items = [PAGE, ...others, info('ComicInfo.xml', 'Alice'), ...copies];
      const file = openBookFile(written('texts.cbr', writeRar(items, PACKED)));
      let bytesRead = 0;
      const counted = {
        ...file,
        readInto: (target: Uint8Array, position: number) => {
          const read = file.readInto(target, position);
          bytesRead += read;
          return read;
        },
      };
      try {
        const container = await cbr.open(counted, { limits: LIMITS, check: () => undefined, room: NO_BUDGET });
        assert.is((await container.metadata())?.book.series, 'Alice');
        assert.ok(bytesRead < file.size / 4, `${bytesRead} of ${file.size} bytes were read`);
      } finally {
        file.close();
      }
    });
    for (const [format, write] of [
      ['cbr', (items: readonly ZipItem[]): Buffer => writeRar(items, PACKED)],
      ['cbz', writeZip],
    ] as const)
      check(`${format}: files that exceed the limit together are left out with a remark`, async () => {
        const items = [PAGE, info('CoMet.xml', 'C', 9 * MIB), info('MetronInfo.xml', 'M', 9 * MIB)];
        const { fault, notes, metadata } = await analysed(
          written(`large.${format}`, write([...items, info('ComicInfo.xml', 'Alice', 9 * MIB)])),
        );
        assert.equal([fault, metadata?.book.series], [null, 'Alice']);
        assert.equal(notes, [{ type: 'metadata', message: 'Too large to be read as metadata: CoMet.xml.' }]);
      });
    check('of each name the file nearest to the root is chosen', () => {
      const names = ['a/b/ComicInfo.xml', 'a/comicinfo.xml', 'b/CoMet.xml', '__MACOSX/CoMet.xml', 'x.xml'];
      const { texts } = chooseTexts(
        names.map((name) => ({ name, size: 1 })),
        LIMITS.xmlBytes,
      );
      assert.equal(
        texts.map(({ name }) => name),
        ['a/comicinfo.xml', 'b/CoMet.xml'],
      );
    });
    check('metadata of a folder applies to its only book, whatever its formats', () => {
      const shelf = join(folder, 'shelf');
      mkdirSync(shelf);
      writeFileSync(join(shelf, 'metadata.opf'), '<package><metadata><title>T</title></metadata></package>');
      const titleOf = (name: string): string | null | undefined => {
        writeFileSync(join(shelf, name), '');
        return readSidecars({ path: join(shelf, name), root: folder }, MIB).book?.book.title;
      };
      assert.equal([titleOf('One.epub'), titleOf('one.pdf'), titleOf('Two.cbz')], ['T', 'T', undefined]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-texts-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
