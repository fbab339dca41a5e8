// Pages of zip archives under compression methods that are not read: each says which method it is and what to do, and its neighbours are read.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { faultNumber, PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';

const faultsIn = ({ pageTable }: Analysis): (string | null)[] => {
  assert.ok(pageTable);
  const table = new PageTable(pageTable);
  return table.names().map((_, index) => PAGE_FAULTS[table.entry(index)?.fault ?? 0] ?? null);
};

const packed = (method: string): string =>
  `The page is compressed with ${method}, which Longbox cannot read; repack the archive with Deflate.`;

/** One page that claims a method, in both of its headers. */
const claiming = (method: number): Buffer => {
  const zip = writeZip([{ name: '1.png', bytes: Buffer.alloc(100, 7) }]);
  zip.writeUInt16LE(method, 8);
  zip.writeUInt16LE(method, zip.indexOf('PK\u0001\u0002') + 10);
  return zip;
};

block('compression methods of zip archives', (check) => {
  const books: readonly (readonly [file: string, faults: readonly (string | null)[]])[] = [
    ['zip-deflate64.cbz', [null, null, null]],
    ['zip-bzip2.cbz', [packed('bzip2'), packed('bzip2'), null]],
    ['zip-lzma.cbz', [packed('LZMA'), packed('LZMA'), packed('LZMA')]],
    ['zip-ppmd.cbz', [packed('PPMd'), packed('PPMd'), packed('PPMd')]],
    ['zip-zstd.cbz', [packed('Zstandard'), packed('Zstandard'), packed('Zstandard')]],
  ];
  for (const [file, faults] of books)
    check(`every page of ${file} can be read, or names its compression method`, async () => {
      const found = await analysed(fixture(`books/${file}`));
      assert.equal(faultsIn(found), faults);
      const isReadable = faults.includes(null);
      assert.is(found.fault?.message ?? null, isReadable ? null : `None of the 3 pages can be read. ${faults[0]}`);
    });
  check('other methods are reported too, by name if known', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-methods-'));
    try {
      const told = async (method: number): Promise<(string | null)[]> => {
        const path = join(folder, `${method}.cbz`);
        writeFileSync(path, claiming(method));
        return faultsIn(await analysed(path));
      };
      assert.equal([await told(20), await told(95)], [[packed('Zstandard')], [packed('XZ')]]);
      assert.equal([await told(1), await told(99)], [[packed('a rare method')], ['The page is encrypted.']]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  check('stored faults keep their numbers', () =>
    assert.equal(
      (['none', 'method', 'damaged', 'notAFile', 'cutOff', 'deflate64', 'ppmd'] as const).map(faultNumber),
      [0, 3, 7, 9, 10, 11, 16],
    ),
  );
});
