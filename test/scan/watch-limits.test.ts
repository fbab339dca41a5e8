// Watched folders where watching reaches a limit: too many folders, too many events, a network share, a system that allows no more.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Mounts } from '../../core/engine/mounts.js';
import { Readers } from '../../core/engine/readers.js';
import { Hints } from '../../core/scan/watching/hints.js';
import { isLocal, localIn } from '../../core/scan/watching/local.js';
import { WATCH_SETTINGS } from '../../core/scan/watching/watch-parts.js';
import { Watching } from '../../core/scan/watching/watching.js';
import { SYSTEM } from '../../core/store/feed.js';
import { QUARANTINED } from '../../core/tasks/recovery.js';
import { until, writeBook } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';
import { kernelWatches, mountsWith, QUICK, withWatchedShelf } from './watched-shelf.js';

const ANTS = 'Ants/Ants 1.cbz';
const BEES = 'Bees/Old/Bees 1.cbz';

/** Creates and deletes files in many folders: two system calls each. */
const STORM = `const fs = require('node:fs');
for (let n = 0; n < ${IS_FULL ? 25_000 : 10_000}; n += 1) {
  const path = process.argv[1] + '/' + (n % 200) + '/' + n + '.cbz';
  fs.writeFileSync(path, 'x');
  fs.unlinkSync(path);
}`;

block('hints', (check) => {
  check('a hundred thousand folders are one hint: the whole library', () => {
    const hints = new Hints();
    for (let n = 0; n < 200; n += 1) hints.add(`f${n % 100}`);
    assert.is(hints.take()?.length, 100);
    for (let n = 0; n < 100_000; n += 1) hints.add(`f${n}`);
    assert.is(hints.take(), null);
    assert.ok(hints.isEmpty);
    for (const one of ['a/b', 'a', 'ab']) hints.add(one);
    assert.equal(hints.take(), ['a', 'ab']);
    hints.addAll(null);
    hints.add('a');
    assert.is(hints.take(), null);
  });
});

block('local file systems', (check) => {
  const mounts = new Mounts(
    [
      '22 1 8:1 / / rw - ext4 /dev/sda rw',
      '23 22 0:40 / /mnt/nas rw,relatime shared:1 master:2 - nfs4 far rw',
      '24 22 0:41 / /mnt/my\\040disk rw - fuseblk /dev/sdb rw',
      '25 22 0:42 / /srv/comics/far rw - cifs //far/x rw',
      '26 22 0:43 / /pool rw - fuse.mergerfs a:b rw',
      '27 22 0:44 / /twice rw - ext4 /dev/sdc rw',
      '28 27 0:45 / /twice rw - 9p far rw',
    ].join('\n'),
  );
  check('are those that only this computer writes to', () => {
    for (const path of ['/srv', '/mnt', '/mnt/my disk/x', '/srv/comics', '/mnt/nasty'])
      assert.ok(isLocal(mounts, path), path);
    for (const path of ['/mnt/nas', '/mnt/nas/a/b', '/srv/comics/far/x', '/pool', '/twice/x'])
      assert.not(isLocal(mounts, path), path);
    assert.not(isLocal(new Mounts(''), '/srv'), 'nobody tells');
  });
  check('may hold one that is not', () => {
    const local = localIn(mounts, '/srv/comics');
    assert.equal(
      [local(''), local('near'), local('far'), local('far/x'), local('farther')],
      [true, true, false, false, true],
    );
    assert.ok(localIn(mounts, '/mnt/my disk')('far'));
  });
});

block('the limits of watched folders', (check) => {
  check('beyond the limit, folders are polled', () =>
    withWatchedShelf(
      async ({ temp, notes, shows, watched, rests }) => {
        assert.is(watched(), 2);
        assert.ok(notes.includes('the library "L": 2 of its folders are watched, the others are polled'), notes.join());
        writeBook(join(temp.shelf, 'Ants', 'Ants 2.cbz'), 1, '2');
        await shows(ANTS, 'Ants/Ants 2.cbz', BEES);
        await rests();
        writeBook(join(temp.shelf, 'Bees', 'Old', 'Bees 2.cbz'), 1, '2');
        await temp.app.watching.list();
        await shows(ANTS, 'Ants/Ants 2.cbz', BEES, 'Bees/Old/Bees 2.cbz');
        rmSync(join(temp.shelf, 'Ants'), { recursive: true });
        await shows(BEES, 'Bees/Old/Bees 2.cbz');
        await temp.app.watching.list();
        assert.is(watched(), 2);
      },
      { settings: { ...QUICK, watchedMax: 2 } },
    ),
  );

  check('no more than some folders are known', () =>
    withWatchedShelf(
      async ({ temp, notes, watched }) => {
        mkdirSync(join(temp.shelf, 'Cats'));
        await temp.app.watching.list();
        assert.is(watched(), 3);
        assert.ok(notes.includes('the library "L": too many folders: only 3 are followed'), notes.join());
      },
      { settings: { ...QUICK, foldersMax: 3 } },
    ),
  );

  check('a network share is not watched, but listed, until a scan finds nothing new', () =>
    withWatchedShelf(
      async ({ temp, notes, shows, watched, scanned, rests, ask }) => {
        assert.is(watched(), 0);
        assert.ok(
          notes.includes('the library "L": its folders are polled, not watched: they are on nfs4'),
          notes.join(),
        );
        const before = (await scanned()).length;
        const path = join(temp.shelf, 'Ants', 'Ants 2.cbz');
        writeFileSync(path, 'the beginning');
        await temp.app.watching.list();
        await until('it is met', async () => (await ask('GET', '/books')).json.data.length === 3);
        writeBook(path, 1, '2');
        await shows(ANTS, 'Ants/Ants 2.cbz', BEES);
        await rests();
        const parts = (await scanned()).slice(before);
        assert.ok(parts.length >= 3, JSON.stringify(parts));
        assert.ok(parts.every((part) => part?.join() === 'Ants'));
        await temp.app.watching.list();
        await rests();
        assert.is((await scanned()).length, before + parts.length);
      },
      { settings: (folder, shelf) => ({ ...QUICK, longestMs: 300, mountInfo: mountsWith(folder, shelf, 'nfs4') }) },
    ),
  );

  check('a quarantined library is a warning, also where another note was logged before', () =>
    withWatchedShelf(
      async ({ temp, notes, rests }) => {
        assert.is(notes.filter((note) => note.includes('polled, not watched')).length, 1);
        await temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
          await tx.run("UPDATE task SET state = 'failed', error = ? WHERE type = 'scan_library'", [QUARANTINED]);
          tx.report({ kind: 'task', change: 'updated', keys: 'all', aspects: 64 });
        });
        for (const n of [2, 3]) {
          writeBook(join(temp.shelf, 'Ants', `Ants ${n}.cbz`), 1, `${n}`);
          await temp.app.watching.list();
          await rests();
        }
        assert.equal(temp.warnings, [
          'the library "L": folders that change are not scanned, since its last scan was quarantined',
        ]);
      },
      { settings: (folder, shelf) => ({ ...QUICK, mountInfo: mountsWith(folder, shelf, 'nfs4') }) },
    ),
  );

  check('folders are not listed while somebody reads', () =>
    withWatchedShelf(async ({ temp }) => {
      let now = 0;
      let looks = 0;
      class Reading extends Readers {
        override get areReading(): boolean {
          looks += 1;
          return super.areReading;
        }
      }
      const readers = new Reading(() => now);
      readers.note();
      const { db, pool, scans } = temp.app;
      const settings = { ...WATCH_SETTINGS, ...QUICK, whileReadingMs: 5 };
      const silent = {
        onFault: (one: unknown) => temp.faults.push(one),
        onNote: () => undefined,
        onWarning: () => undefined,
      };
      const watching = new Watching({ db, pool, scans, readers, settings, ...silent });
      await temp.app.watching.stop();
      watching.start();
      try {
        const known = (): number => [...watching.state().values()].reduce((sum, one) => sum + one.known, 0);
        await until('it has asked for a while', () => looks > 5);
        assert.is(known(), 0);
        now = 5000;
        await until('the folders are known', () => known() === 4);
      } finally {
        await watching.stop();
      }
    }),
  );

  check('a storm of events is at most one scan at a time, of the whole library', () =>
    withWatchedShelf(
      async ({ temp, shows, scanned, rests }) => {
        for (let n = 0; n < 200; n += 1) mkdirSync(join(temp.shelf, 'Storm', `${n}`), { recursive: true });
        await rests();
        await temp.app.watching.list();
        await rests();
        assert.is(kernelWatches(), 205);
        const before = (await scanned()).length;
        let most = 0;
        const looking = setInterval(() => {
          most = Math.max(most, temp.app.scans.active().length);
        }, 1).unref();
        const child = spawn(process.execPath, ['-e', STORM, join(temp.shelf, 'Storm')], { stdio: 'inherit' });
        const code = await new Promise((resolve) => child.once('exit', resolve));
        assert.is(code, 0);
        writeBook(join(temp.shelf, 'Storm', '7', 'Last.cbz'), 1, 'last');
        await shows(ANTS, BEES, 'Storm/7/Last.cbz');
        await rests();
        clearInterval(looking);
        assert.is(most, 1);
        assert.ok((await scanned()).slice(before).includes(null));
      },
      { settings: { ...QUICK, quietMs: 1000 } },
    ),
  );
});

/** In a name space of its own, where the system allows three watched folders. */
const SPACE = ['--user', '--map-root-user', 'sh', '-c'];
const LIMIT = 'echo 3 > /proc/sys/user/max_inotify_watches';

const hindrance = (): string | null => {
  if (process.platform !== 'linux') return 'only Linux has such a limit';
  const tried = spawnSync('unshare', [...SPACE, LIMIT]);
  return tried.status === 0 ? null : 'no name space can be made here';
};

block('a system that allows no more watches', (check) => {
  const fact = 'is reported in one line, and the folders are polled';
  const why = hindrance();
  if (why !== null) return check.skip(fact, why);
  check(fact, () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-refused-'));
    try {
      const script = fileURLToPath(new URL('./watch-refused.js', import.meta.url));
      const command = `${LIMIT} && exec "$0" "$1" "$2"`;
      const said = execFileSync('unshare', [...SPACE, command, process.execPath, script, folder], { encoding: 'utf8' });
      assert.equal(JSON.parse(said.trim().split('\n').at(-1) ?? ''), {
        watched: 0,
        inKernel: 0,
        warnings: [
          'the library "L": the system allows no more watches (ENOSPC), so its folders are polled instead; see fs.inotify.max_user_watches',
        ],
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
