// Files of unpacked pages: the budget, who holds a file, and what a start finds.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CacheDisk } from '../../core/store/cache-disk.js';
import { type Spill, Spills } from '../../core/store/spills.js';
import { assert, block } from '../kit.js';

let folder = '';

const written = (spill: Spill): Spill => {
  writeFileSync(spill.path, 'x');
  return spill;
};

block(
  'spill files on disk',
  (check) => {
    check('the least recently used file is evicted when the budget is used up', () => {
      const spills = new Spills(join(folder, 'a'), 250, new CacheDisk(folder, () => undefined));
      for (const key of ['one', 'two']) written(spills.make(key, 100)).release();
      spills.use('one')?.release();
      written(spills.make('three', 100)).release();
      assert.equal([spills.use('two'), readdirSync(join(folder, 'a')).length], [undefined, 2]);
    });
    check('a file in use stays on disk until it is released, once', () => {
      const spills = new Spills(join(folder, 'b'), 100, new CacheDisk(folder, () => undefined));
      const held = written(spills.make('one', 100));
      spills.drop('one');
      assert.equal([existsSync(held.path), spills.use('one')], [true, undefined]);
      held.release();
      held.release();
      assert.not.ok(existsSync(held.path));
    });
    check('a file larger than the budget is kept alone', () => {
      const spills = new Spills(join(folder, 'c'), 10, new CacheDisk(folder, () => undefined));
      const held = written(spills.make('big', 1000));
      assert.ok(spills.use('big'));
      assert.ok(existsSync(held.path));
    });
    check('a start begins empty', () => {
      writeFileSync(join(folder, 'b', 'left over'), 'x');
      new Spills(join(folder, 'b'), 100, new CacheDisk(folder, () => undefined));
      assert.equal(readdirSync(join(folder, 'b')), []);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-spills-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
