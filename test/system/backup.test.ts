// Backups made by the real program: whole or not there, whatever is written meanwhile, whenever the process is killed, however full the disk.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOfUuid } from '../../core/model/ids.js';
import { withConnection } from '../../core/store/connection.js';
import { backupSteps, writeBackup } from '../../core/upkeep/write-backup.js';
import { assert, block, IS_FULL, thrownBy } from '../kit.js';
import { checkOnDisks } from '../small-disk.js';
import { addCover, checkUnpacked, makeFolder, run, unpacked, usersOf } from './backup-folder.js';

const MODULE = new URL('../../core/upkeep/write-backup.js', import.meta.url).href;
const IMAGE = '01890000-0000-7000-8000-0000000000a1';
const LOST = '01890000-0000-7000-8000-0000000000a2';

let root = '';
const at = (...parts: readonly string[]): string => join(root, ...parts);

const jobFor = (folder: string, target: string) => ({
  database: join(folder, 'longbox.db'),
  uploads: join(folder, 'uploads'),
  target,
  nowMs: Date.UTC(2026, 0, 31, 12),
});

/** Runs the first `count` steps in a process of its own, which is then killed. */
const killedAfter = async (folder: string, target: string, count: number): Promise<void> => {
  const script = `const { backupSteps } = await import(${JSON.stringify(MODULE)});
    const { steps } = backupSteps(${JSON.stringify(jobFor(folder, target))}, '');
    for (const step of steps.slice(0, ${count})) await step.run();
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  assert.equal(await once(child, 'exit'), [null, 'SIGKILL']);
};

const STEPS = backupSteps(jobFor('', ''), '').steps.map(({ name }) => name);
/** How many steps are done before the kill, outside a full run: a few, almost all, and all. */
const TRIED: ReadonlySet<number> = new Set([2, STEPS.length - 1, STEPS.length]);

/** Covers come and go until told to stop. */
const storm = (folder: string): { readonly count: () => number; stop(): Promise<void> } => {
  let isOver = false;
  let count = 0;
  const blow = async (): Promise<void> => {
    const alive: string[] = [];
    while (!isOver) {
      const id = randomUUID();
      await addCover(folder, id, randomBytes(2000));
      alive.push(id);
      count += 1;
      const gone = alive.length > 5 ? alive.splice(Math.floor(Math.random() * alive.length), 1)[0] : undefined;
      if (gone === undefined) continue;
      await withConnection(join(folder, 'longbox.db'), (one) =>
        one.run('DELETE FROM cover WHERE uuid = ?', [bytesOfUuid(gone)]),
      );
      rmSync(join(folder, 'uploads', `${gone}.jpg`));
    }
  };
  const ended = blow();
  return {
    count: () => count,
    stop: async () => {
      isOver = true;
      await ended;
    },
  };
};

const checkBackup = async (backup: string): Promise<string> => {
  const folder = unpacked(backup);
  await checkUnpacked(folder);
  return folder;
};

block(
  'backup',
  (check) => {
    check('nothing is overwritten, and no folder created: the disk that was meant may be out', async () => {
      writeFileSync(at('mine.tar'), 'mine');
      const taken = await run('backup', at('mine.tar'), '--data', at('data'));
      assert.is(taken.code, 1);
      assert.match(taken.text, /mine\.tar already exists; choose another file/);
      assert.is(readFileSync(at('mine.tar'), 'utf8'), 'mine');
      const away = await run('backup', at('no-disk', 'copy.tar'), '--data', at('data'));
      assert.is(away.code, 1);
      assert.match(away.text, new RegExp(`There is no folder "${at('no-disk')}"`));
      assert.not.ok(existsSync(at('no-disk')));
      assert.is((await run('backup', '--data', at('data'))).code, 2);
    });
    check('a file that somebody else puts in its place meanwhile is not overwritten', async () => {
      const target = at('raced.tar');
      const onProgress = (): void => {
        if (!existsSync(target)) writeFileSync(target, 'theirs');
      };
      const thrown = await thrownBy(() => writeBackup({ ...jobFor(at('data'), target), onProgress }, ''));
      assert.match(String(thrown), /already exists/);
      assert.is(readFileSync(target, 'utf8'), 'theirs');
      assert.equal(
        readdirSync(root).filter((name) => name.includes('partial')),
        [],
      );
    });
    for (const begun of [2, 4, STEPS.length - 1])
      check(`of two at once to one file, the one that was overtaken after "${STEPS[begun - 1]}" gives up`, async () => {
        const target = at(`two-${begun}.tar`);
        const [first, second] = [
          backupSteps(jobFor(at('data'), target), ''),
          backupSteps(jobFor(at('data'), target), ''),
        ];
        for (const step of first.steps.slice(0, begun)) await step.run();
        for (const step of second.steps.slice(0, 3)) await step.run();
        const thrown = await thrownBy(async () => {
          for (const step of first.steps.slice(begun)) await step.run();
        });
        await first.abandon();
        assert.match(String(thrown), /another backup/i);
        assert.not(existsSync(target));
        for (const step of second.steps.slice(3)) await step.run();
        await checkBackup(target);
        assert.equal(
          readdirSync(root).filter((file) => file.startsWith(`two-${begun}`)),
          [`two-${begun}.tar`],
        );
      });
    for (const [index, name] of ['start', ...STEPS].entries()) {
      const fact = `killed after "${name}": there is a whole backup or none, and the next attempt succeeds`;
      if (!IS_FULL && !TRIED.has(index)) {
        check.skip(fact, 'only in a full run');
        continue;
      }
      check(fact, async () => {
        const target = at(`killed-${index}.tar`);
        await killedAfter(at('data'), target, index);
        const isDone = index === STEPS.length;
        assert.is(existsSync(target), isDone);
        if (isDone) rmSync(target);
        const { code, text } = await run('backup', target, '--data', at('data'));
        assert.is(code, 0, text);
        await checkBackup(target);
        assert.equal(
          readdirSync(root).filter((file) => file.startsWith(`killed-${index}`)),
          [`killed-${index}.tar`],
        );
      });
    }
    check(
      'tar unpacks it; it holds the database, the images, a description and the list of contents, and no secrets',
      async () => {
        const target = at('content.tar');
        assert.is((await run('backup', target, '--data', at('data'))).code, 0);
        assert.is(statSync(target).mode & 0o777, 0o600);
        const folder = await checkBackup(target);
        assert.equal(readdirSync(folder).sort(), ['backup.json', 'longbox.db', 'manifest.json', 'uploads']);
        assert.equal(readdirSync(join(folder, 'uploads')), [`${IMAGE}.jpg`]);
        assert.equal(await usersOf(join(folder, 'longbox.db')), ['anna', 'late']);
        const said = JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'));
        assert.equal([said.format, said.notIncluded], ['longbox-backup', ['secrets', 'cache']]);
        const { counts } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
        assert.equal(counts, { users: 2, libraries: 0, series: 0, books: 0, uploads: 1 });
      },
    );
    check('links and other files in the folder of uploads are left out', async () => {
      const folder = at('links');
      cpSync(at('data'), folder, { recursive: true });
      writeFileSync(join(folder, 'uploads', 'note.txt'), 'x');
      mkdirSync(join(folder, 'uploads', `${LOST}.jpg`));
      assert.is((await run('backup', at('links.tar'), '--data', folder)).code, 0);
      assert.equal(readdirSync(join(await checkBackup(at('links.tar')), 'uploads')), [`${IMAGE}.jpg`]);
    });
    check('an image that was lost before is reported, and its row stays', async () => {
      const folder = at('lost');
      cpSync(at('data'), folder, { recursive: true });
      await addCover(folder, LOST, 'lost');
      rmSync(join(folder, 'uploads', `${LOST}.jpg`));
      const { code, text } = await run('backup', at('lost.tar'), '--data', folder);
      assert.is(code, 0, text);
      assert.match(text, /1 uploaded image had been lost before/);
      const copy = unpacked(at('lost.tar'));
      const { missingUploads } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
      assert.equal(missingUploads, [LOST]);
    });
    check('while covers come and go, each backup is sound and has every image that it refers to', async () => {
      const folder = at('storm');
      cpSync(at('data'), folder, { recursive: true });
      const weather = storm(folder);
      const { rounds, covers } = IS_FULL ? { rounds: 8, covers: 20 } : { rounds: 4, covers: 10 };
      for (let round = 0; round < rounds || weather.count() < covers; round += 1) {
        const target = at(`storm-${round}.tar`);
        await writeBackup(jobFor(folder, target), '');
        await checkBackup(target);
      }
      await weather.stop();
    });
    check('what is cancelled leaves nothing', async () => {
      const stop = new AbortController();
      const job = { ...jobFor(at('data'), at('cancelled.tar')), signal: stop.signal, onProgress: () => stop.abort() };
      assert.match(String(await thrownBy(() => writeBackup(job, ''))), /cancelled/);
      assert.equal(
        readdirSync(root).filter((name) => name.startsWith('cancelled')),
        [],
      );
    });
    checkOnDisks(check, 16, {
      'a disk without room is refused before anything is written': async (disk) => {
        disk.fill(500_000);
        const { code, text } = await run('backup', join(disk.path, 'copy.tar'), '--data', at('data'));
        assert.is(code, 1);
        assert.match(text, /not enough space for a backup\. It needs \d+ MB on the disk of .* Free \d+ MB more/);
        assert.equal(readdirSync(disk.path), ['filler']);
      },
      'a disk that fills up meanwhile leaves no partial file, and says so': async (disk) => {
        const target = join(disk.path, 'copy.tar');
        const onProgress = (): void => disk.fill(0);
        const thrown = await thrownBy(() => writeBackup({ ...jobFor(at('data'), target), onProgress }, ''));
        assert.match(String(thrown), /No backup was made: the disk of \S+ is full\. Nothing of it is left there/);
        assert.equal(readdirSync(disk.path), ['filler']);
        disk.empty();
        await writeBackup(jobFor(at('data'), target), '');
        await checkBackup(target);
      },
      'a restore without room is refused before anything is written': async (disk) => {
        const folder = join(disk.path, 'data');
        cpSync(at('data'), folder, { recursive: true });
        disk.fill(1_000_000);
        const before = readdirSync(folder);
        const { code, text } = await run('restore', at('whole.tar'), '--data', folder);
        assert.is(code, 1);
        assert.match(text, /not enough space for a restore/);
        assert.equal(
          readdirSync(folder).filter((name) => !name.startsWith('longbox.lock')),
          before.filter((name) => !name.startsWith('longbox.lock')),
        );
      },
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-backup-'));
      await makeFolder(at('data'), 'anna', 'late');
      await addCover(at('data'), IMAGE, 'an image');
      assert.is((await run('backup', at('whole.tar'), '--data', at('data'))).code, 0);
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 120,
  },
);
