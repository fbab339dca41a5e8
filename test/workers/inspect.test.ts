// Inspecting files one by one, and several at once where the disk is slow: both find the same.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, faultOf } from '../../core/model/errors.js';
import { type Inspected, inspect } from '../../workers/inspect.js';
import { assert, block } from '../kit.js';

const FILES = 20;
const AT_ONCE = 8;

let folder = '';

const SIZES = Array.from({ length: FILES }, (_, at) => at);

/** As many books, and what else can be in the place of one. */
const paths = (): readonly string[] =>
  [...SIZES.map((size) => `${size}.cbz`), 'link', 'inner', 'gone', 'x'.repeat(300)].map((name) => join(folder, name));

const shown = (one: Inspected): unknown => {
  if ('thrown' in one) return one.thrown instanceof Error && 'code' in one.thrown ? one.thrown.code : one.thrown;
  const { stats } = one;
  return stats === undefined
    ? 'nothing'
    : [stats.isFile(), stats.isSymbolicLink(), stats.isDirectory(), stats.size, stats.mtimeMs];
};

/** What is found, and how often it was checked whether to go on. */
const inspected = async (slowMs: number): Promise<readonly [readonly unknown[], number]> => {
  let checks = 0;
  const check = (): void => {
    checks += 1;
  };
  return [(await inspect(paths(), check, { atOnce: AT_ONCE, slowMs })).map(shown), checks];
};

block(
  'inspecting files',
  (check) => {
    check('several at once find what one after the other finds', async () => {
      const [slow, fast] = [await inspected(-1), await inspected(Number.POSITIVE_INFINITY)];
      assert.equal(slow[0], fast[0]);
      assert.equal(
        slow[0].slice(FILES).map((one) => (Array.isArray(one) ? one.slice(0, 3) : one)),
        [[false, true, false], [false, false, true], 'nothing', 'ENAMETOOLONG'],
      );
      assert.equal(
        slow[0].slice(0, FILES).map((one) => (one as unknown[])[3]),
        SIZES,
      );
      assert.equal([slow[1], fast[1]], [1 + Math.ceil((paths().length - 1) / AT_ONCE), paths().length]);
    });
    check('a cancelled job stops between calls', async () => {
      for (const slowMs of [-1, Number.POSITIVE_INFINITY]) {
        let left = 2;
        const stop = (): void => {
          left -= 1;
          if (left < 0) throw new AppError('Cancelled');
        };
        const ended = await inspect(paths(), stop, { atOnce: AT_ONCE, slowMs }).catch(
          (thrown: unknown) => faultOf(thrown).kind,
        );
        assert.equal(ended, 'Cancelled');
      }
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-inspect-'));
      for (const size of SIZES) writeFileSync(join(folder, `${size}.cbz`), Buffer.alloc(size));
      mkdirSync(join(folder, 'inner'));
      symlinkSync('0.cbz', join(folder, 'link'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
