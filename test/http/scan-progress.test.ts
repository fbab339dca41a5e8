// What the person who started the program sees of scans: every end, however short the scan was, and a rate that means something.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createProgressWriter } from '../../http/cli/progress-line.js';
import { watchScans } from '../../http/cli/scan-progress.js';
import { ScanRate } from '../../http/cli/scan-rate.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { held } from '../held-pool.js';
import { assert, block } from '../kit.js';

interface Rig {
  readonly temp: TempApp;
  readonly token: string;
  printed(): string;
  /** What the log keeps of the ends, and whether all was fine. */
  readonly ended: readonly (readonly [sentence: string, isFine: boolean])[];
  /** Creates a library; returns its address. */
  library(name: string, path: string): Promise<string>;
}

const withRig = async (use: (rig: Rig) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  let text = '';
  const out = {
    write: (more: string) => {
      text += more;
    },
  };
  const progress = createProgressWriter(out, temp.app.clock);
  const ended: (readonly [string, boolean])[] = [];
  const watch = watchScans(temp.app, {
    progress,
    onEnded: (sentence, isFine) => {
      out.write(`${sentence}\n`);
      ended.push([sentence, isFine]);
    },
    onFault: (thrown) => temp.faults.push(thrown),
  });
  try {
    const token = await temp.tokenOf('admin');
    const library = async (name: string, path: string): Promise<string> =>
      `/api/v1/libraries/${(await temp.call('POST', '/api/v1/libraries', { token, body: { name, path } })).json.id}`;
    await use({ temp, token, printed: () => text, ended, library });
    assert.equal(temp.faults, []);
  } finally {
    watch.stop();
    await temp.close();
  }
};

block('scans on the terminal', (check) => {
  check('the end of every scan is printed, with its warnings', () =>
    withRig(async ({ temp, token, printed, ended, library }) => {
      const folder = join(temp.shelf, 'Alpha');
      writeBook(join(folder, 'Alpha 1.cbz'), 2, 'alpha');
      for (const n of [1, 2, 3, 4, 5, 6, 7]) symlinkSync('/nowhere', join(folder, `link ${n}.cbz`));
      const shelf = await library('Shelf', temp.shelf);
      assert.is((await temp.call('POST', `${shelf}/scan`, { token })).status, 200);
      await until('the first end', () => /scan of Shelf completed: 1 book in 1 series.*7 warnings:/.test(printed()));
      assert.match(printed(), /Cannot read "Alpha\/link 1\.cbz": it is a link/);
      assert.ok(printed().endsWith(`  and 2 more: GET ${shelf}/scan-status\n`), printed());
      const [[sentence, isFine] = ['', true]] = ended;
      assert.is(isFine, false);
      assert.match(sentence, /^scan of Shelf completed: 1 book in 1 series.*7 warnings:\n[\s\S]*scan-status$/);
      rmSync(folder, { recursive: true });
      assert.is((await temp.call('POST', `${shelf}/scan`, { token })).status, 200);
      await until('the second end', () => /1 warning:\n.*is its disk mounted\?/.test(printed()));
    }),
  );
  check('covers that follow a scan are shown while they are made, and their end is printed', () =>
    withRig(async ({ temp, token, printed, library }) => {
      for (const n of [1, 2, 3]) writeBook(join(temp.shelf, 'Alpha', `Alpha ${n}.cbz`), 2, `alpha ${n}`);
      const { run } = temp.app.pool;
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      temp.app.pool.run = async (name, input, options) => {
        if (name === 'cover') await gate;
        return run.call(temp.app.pool, name, input, options) as never;
      };
      await temp.call('POST', `${await library('Shelf', temp.shelf)}/scan`, { token });
      try {
        await until('they are shown', () => {
          temp.advance(6000); // lines are this far apart
          return printed().includes('Making covers of Shelf  0/3 covers');
        });
        assert.match(printed(), /scan of Shelf completed: 3 books/);
      } finally {
        open();
      }
      await until('their end', () => /covers of Shelf: 3 made, \d+\.\d s\n$/.test(printed()));
    }),
  );
  check('covers that end while the name of their library is read are forgotten', () =>
    withRig(async ({ temp, token, printed, library }) => {
      const { due, db, pool } = temp.app;
      const { run } = pool;
      const { json } = db;
      let isHeld = true;
      pool.run = async (name, input, options) => {
        if (name === 'cover') await until('covers may go on', () => !isHeld);
        return run.call(pool, name, input, options) as never;
      };
      let hasEnded = false;
      const reads = {
        json: async (...given: Parameters<typeof json>) => {
          const rows: unknown = await Reflect.apply(json, db, given);
          const isName = isHeld && /scan of Shelf completed/.test(printed()) && given[0].includes('l.removing = 0');
          if (!isName || due.covers.active().length === 0) return rows;
          isHeld = false;
          await until('the covers end', () => due.covers.active().length === 0);
          hasEnded = true;
          return rows;
        },
      };
      Object.assign(db, reads);
      writeBook(join(temp.shelf, 'Alpha', 'Alpha 1.cbz'), 2, 'alpha 1');
      const shelf = await library('Shelf', temp.shelf);
      await temp.call('POST', `${shelf}/scan`, { token });
      await until('the covers end during the look', () => hasEnded);
      Object.assign(db, { json });
      isHeld = true;
      temp.advance(6 * 3_600_000);
      writeBook(join(temp.shelf, 'Alpha', 'Alpha 2.cbz'), 2, 'alpha 2');
      assert.is((await temp.call('POST', `${shelf}/scan`, { token })).status, 200);
      try {
        await until('the next are shown', () => {
          temp.advance(6000);
          return printed().includes('Making covers of Shelf  0/1 covers');
        });
      } finally {
        isHeld = false;
      }
      await until('their end', () => /covers of Shelf: 1 made, \d+\.\d s\n$/.test(printed()));
      const seconds = Number(/1 made, ([\d.]+) s\n$/.exec(printed())?.[1]);
      assert.ok(seconds < 6 * 3600, `${seconds} s`);
    }),
  );
  check('the scan of a library that is deleted ends too', () =>
    withRig(async ({ temp, token, printed, library }) => {
      writeBook(join(temp.shelf, 'Alpha', 'Alpha 1.cbz'), 2, 'alpha');
      const shelf = await library('Shelf', temp.shelf);
      const open = held(temp);
      assert.is((await temp.call('POST', `${shelf}/scan`, { token })).status, 200);
      await until('it is shown', () => printed().includes('Looking through Shelf'));
      const deleted = temp.call('DELETE', shelf, { token });
      open();
      assert.is((await deleted).status, 204);
      await until('its end', () => printed().includes('scan of Shelf cancelled'));
    }),
  );
  check('libraries of the same name are told apart by their folders', () =>
    withRig(async ({ temp, token, printed, library }) => {
      const other = join(temp.folder, 'other', 'shelf');
      mkdirSync(other, { recursive: true });
      await library('shelf', temp.shelf);
      const shelf = await library('shelf', other);
      assert.is((await temp.call('POST', `${shelf}/scan`, { token })).status, 200);
      await until('its end', () => printed().includes(`scan of shelf (${other}) completed`));
    }),
  );
});

block('the rate of a scan', (check) => {
  check('it counts from the first book, not from the start of the scan', () => {
    const rate = new ScanRate(100);
    assert.is(rate.at(100, 0), 0);
    assert.is(rate.at(101, 600_000), 0, 'the walk took ten minutes');
    assert.is(rate.at(121, 602_000), 10);
  });
  check('it is unknown until 20 books or 5 s have passed', () => {
    const rate = new ScanRate(0);
    assert.equal([rate.at(1, 0), rate.at(20, 1000), rate.at(20, 4999), rate.at(21, 5000)], [0, 0, 0, 4]);
  });
});
