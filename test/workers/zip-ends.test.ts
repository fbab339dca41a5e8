// End records of zip archives that are wrong or count from elsewhere: streams of Info-ZIP, wrong positions, joined parts of a split archive.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const NAMES = ['1.png', '2.png', '3.png', '4.png'];
const END_BYTES = 22;
const CENTRAL = 0x02014b50;
let folder = '';

const whole = (): Buffer => writeZip(NAMES.map((name) => ({ name, bytes: IMAGE })));
const read = (bytes: Uint8Array, name = 'book.cbz'): Promise<Analysis> => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return analysed(path);
};
const faultsIn = ({ pageTable }: Analysis): readonly (readonly [string, string | null])[] => {
  const table = new PageTable(pageTable ?? new Uint8Array());
  return table.names().map((name, at) => [name, PAGE_FAULTS[table.entry(at)?.fault ?? 0] ?? null] as const);
};
const GOOD = NAMES.map((name) => [name, null] as const);

/** The archive with the place of its directory replaced. */
const placedAt = (offset: number): Buffer => {
  const bytes = whole();
  bytes.writeUInt32LE(offset, bytes.length - END_BYTES + 16);
  return bytes;
};

/** As a program splits it into files of this size, with the mark at the beginning of the first. */
const split = (size: number): readonly Buffer[] => {
  const bytes = Buffer.concat([Buffer.from('PK\x07\x08', 'latin1'), whole()]);
  const end = bytes.length - END_BYTES;
  const start = bytes.readUInt32LE(end + 16) + 4;
  for (let at = start; at < end && bytes.readUInt32LE(at) === CENTRAL; ) {
    const offset = bytes.readUInt32LE(at + 42) + 4;
    bytes.writeUInt16LE(Math.floor(offset / size), at + 34);
    bytes.writeUInt32LE(offset % size, at + 42);
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  bytes.writeUInt16LE(Math.floor(end / size), end + 4);
  bytes.writeUInt16LE(Math.floor(start / size), end + 6);
  bytes.writeUInt32LE(start % size, end + 16);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, part) =>
    bytes.subarray(part * size, (part + 1) * size),
  );
};

block(
  'end records of zip archives',
  (check) => {
    check('a wrong position of the directory loses no page', async () => {
      for (const offset of [0xffffffff, 0, 1, 0x7fffffff]) {
        const found = await read(placedAt(offset));
        assert.equal([found.fault, faultsIn(found), found.notes], [null, GOOD, []], String(offset));
      }
    });
    check('bytes before the archive are still allowed for', async () => {
      const found = await read(Buffer.concat([Buffer.alloc(500, 7), whole()]));
      assert.equal([found.fault, faultsIn(found)], [null, GOOD]);
    });
    check('parts of a split archive that were joined are read, with a remark', async () => {
      const size = IMAGE.length + 40;
      const found = await read(Buffer.concat(split(size)));
      assert.equal([found.fault, faultsIn(found)], [null, GOOD]);
      assert.match(found.notes.map(({ message }) => message).join(' '), /split into several files; join them first/);
    });
    check('a part that contains no whole page says that it is one', async () => {
      const parts = split(IMAGE.length / 2);
      const { fault, pageCount } = await read(parts.at(-1) ?? Buffer.alloc(0));
      assert.is(pageCount ?? 0, 0);
      assert.match(fault?.message ?? '', /split into several files|not a zip/, JSON.stringify(fault));
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-zip-ends-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
