// RAR archives made for the purpose: where pages lie, what is in front of and behind an archive, volumes, solid ones, damage in the middle.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RarOptions, writeRar } from '../../bench/rar-writer.js';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { type Analysis, analysed } from './analysed.js';

const IMAGES = ['jpeg-baseline.jpg', 'png-palette-alpha.png', 'webp-lossy.webp'].map((name, at) => ({
  name: `page ${at + 1}${name.slice(name.lastIndexOf('.'))}`,
  bytes: readFileSync(fixture(`images/${name}`)),
}));
const STORED: RarOptions = { isPacked: false, isSolid: false };
const PACKED: RarOptions = { isPacked: true, isSolid: false };
const SOLID: RarOptions = { isPacked: true, isSolid: true };
let folder = '';

const analysedBytes = async (
  bytes: Uint8Array,
  use: (found: Analysis, path: string) => Promise<void> | void,
): Promise<void> => {
  const path = join(folder, 'book.cbr');
  writeFileSync(path, bytes);
  await use(await analysed(path), path);
};

const methodsOf = ({ pageTable }: Analysis): number[] => {
  assert.ok(pageTable);
  const table = new PageTable(pageTable);
  return Array.from(
    { length: table.pageCount },
    (_, at) => (table.entry(at)?.fault === 0 ? table.entry(at)?.method : -1) ?? -1,
  );
};

const samePages = async ({ pageTable }: Analysis, path: string): Promise<void> => {
  assert.ok(pageTable);
  const table = new PageTable(pageTable);
  const file = openBookFile(path);
  try {
    for (const [at, { bytes }] of IMAGES.entries()) {
      const entry = table.entry(at);
      assert.ok(entry);
      const found = await readImage(file, entry, { limits: LIMITS, check: () => undefined });
      assert.ok(bytes.equals(found), `page ${at + 1}`);
    }
  } finally {
    file.close();
  }
};

block(
  'RAR archives',
  (check) => {
    for (const [fact, options, method] of [
      ['stored pages are reached by position', STORED, METHOD.raw],
      ['packed pages are unpacked alone', PACKED, METHOD.rar],
      ['pages of a solid archive come after all before them', SOLID, METHOD.solid],
    ] as const)
      check(fact, () =>
        analysedBytes(writeRar(IMAGES, options), async (found, path) => {
          assert.equal(methodsOf(found), [method, method, method]);
          await samePages(found, path);
        }),
      );
    check('a program before the archive and junk after it change nothing', async () => {
      const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(70_000, 0x90)]);
      for (const options of [STORED, PACKED])
        await analysedBytes(Buffer.concat([program, writeRar(IMAGES, options), Buffer.alloc(5000, 7)]), samePages);
    });
    check('one volume of a set says so and what to do', () =>
      analysedBytes(writeRar(IMAGES, { ...STORED, isVolume: true }), ({ fault }) => {
        assert.is(fault?.kind, 'UnsupportedFormat');
        assert.match(fault?.message ?? '', /volume of a RAR archive.*repack it as one/);
      }),
    );
    check('a bit flipped in the middle costs the page it is in', async () => {
      for (const options of [STORED, PACKED, SOLID]) {
        const bytes = writeRar(IMAGES, options);
        const middle = bytes.indexOf(IMAGES[1]?.bytes.subarray(200, 240) ?? Buffer.alloc(0));
        bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
        await analysedBytes(bytes, (found) => {
          const [first, second, third] = methodsOf(found);
          assert.equal([first !== -1, second, third !== -1], [true, -1, true]);
          assert.is(found.fault, null);
          assert.match(found.notes[0]?.message ?? '', /1 of 3 pages cannot be shown\. Page 2: The image is damaged\./);
        });
      }
    });
    check('a damaged file that is not a page costs no page, not even in a solid archive', () => {
      const [first, ...others] = IMAGES;
      assert.ok(first);
      const note = { name: 'page 1a.txt', bytes: Buffer.from('a note that nobody reads '.repeat(20)) };
      const bytes = writeRar([first, note, ...others], SOLID);
      const at = bytes.indexOf('nobody');
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      return analysedBytes(bytes, samePages);
    });
    check('a truncated archive shows the pages before the cut', async () => {
      const bytes = writeRar(IMAGES, STORED);
      await analysedBytes(bytes.subarray(0, bytes.length - 1000), (found) => {
        assert.is(methodsOf(found).filter((method) => method !== -1).length, 2);
        assert.ok(found.notes.some(({ type }) => type === 'parser'));
      });
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-rar-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
