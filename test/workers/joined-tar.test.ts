// Tar archives written one after the other into one file: all of them are read, with a remark.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PageTable } from '../../core/model/page-table.js';
import { assert, block } from '../kit.js';
import { picture } from '../scan/changing-shelf.js';
import { writeTar } from '../tar-writer.js';
import { analysed } from './analysed.js';

const KIB = 1024;
let folder = '';

const [ONE, TWO] = ['1.png', '2.png'].map((name) => writeTar([{ name, bytes: picture(name) }]));

const zeros = (kib: number): Buffer => Buffer.alloc(kib * KIB);

const read = async (parts: readonly (Buffer | undefined)[]): Promise<readonly [names: string, notes: string]> => {
  const path = join(folder, 'book.cbt');
  writeFileSync(path, Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0))));
  const { pageTable, fault, notes } = await analysed(path);
  assert.is(fault, null);
  const names = new PageTable(pageTable ?? new Uint8Array()).names();
  return [names.join(' '), notes.map(({ message }) => message).join(' ')];
};

block(
  'joined tar archives',
  (check) => {
    for (const [what, kib] of [
      ['directly', 0],
      ['after a filled record', 8],
      ['after a filled record of a large tape', 250],
    ] as const)
      check(`one ${what} after the other: the pages of both, and a remark`, async () => {
        const [names, notes] = await read([ONE, zeros(kib), TWO]);
        assert.is(names, '1.png 2.png');
        assert.match(notes, /consists of several tar archives.*All of them are read/);
      });
    check('zeros, or what is no archive, after the end are nothing', async () => {
      assert.equal(await read([ONE, zeros(300)]), ['1.png', '']);
      assert.equal(await read([ONE, zeros(8), Buffer.alloc(2048, 7)]), ['1.png', '']);
      assert.equal(await read([ONE, zeros(2 * KIB), TWO]), ['1.png', '']);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-tars-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
