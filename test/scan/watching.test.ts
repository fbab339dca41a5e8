// Watched folders, with real files: what happens in them is scanned without anybody asking, and nothing else is.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coversMade, PIXEL, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { writeTar } from '../tar-writer.js';
import { kernelWatches, QUICK, withWatchedShelf } from './watched-shelf.js';

const ANTS = 'Ants/Ants 1.cbz';
const BEES = 'Bees/Old/Bees 1.cbz';

/** The bytes of a book. */
const bookBytes = (folder: string): Buffer => {
  const path = join(folder, 'made.cbz');
  writeBook(path, 3, 'grown');
  return readFileSync(path);
};

/** When a file was written, by the clock of the server. */
const setWritten = (path: string, nowMs: number): void => utimesSync(path, nowMs / 1000, nowMs / 1000);

block('watched folders', (check) => {
  check('a book that is added is read, and only its folder is scanned', () =>
    withWatchedShelf(async ({ temp, shows, scanned, rests, watched }) => {
      assert.is(watched(), 4);
      writeBook(join(temp.shelf, 'Ants', 'Ants 2.cbz'), 1, '2');
      await shows(ANTS, 'Ants/Ants 2.cbz', BEES);
      await rests();
      assert.equal((await scanned()).slice(1), [['Ants']]);
    }),
  );

  for (const name of ['Ants 2.cbt', 'Ants 2.CBT'])
    check(`so is a tar archive of images, ${name}`, () =>
      withWatchedShelf(async ({ temp, ask, shows, rests }) => {
        const path = join(temp.shelf, 'Ants', name);
        writeFileSync(`${path}.part`, writeTar([1, 2].map((n) => ({ name: `${n}.png`, bytes: PIXEL }))));
        renameSync(`${path}.part`, path);
        await shows(ANTS, `Ants/${name}`, BEES);
        await rests();
        const { json } = await ask('GET', '/books?pageSize=500');
        const book = json.data.find((row: { path: string }) => row.path.endsWith(name));
        assert.equal([book.pageCount, book.analysisError], [2, null]);
      }),
    );

  check('a folder that is added is scanned and watched, with those in it', () =>
    withWatchedShelf(async ({ temp, shows, scanned, rests, watched }) => {
      writeBook(join(temp.shelf, 'Cats', 'New', 'Cats 1.cbz'), 1, 'c');
      await shows(ANTS, BEES, 'Cats/New/Cats 1.cbz');
      await rests();
      assert.is(watched(), 6);
      writeBook(join(temp.shelf, 'Cats', 'New', 'Cats 2.cbz'), 1, 'd');
      await shows(ANTS, BEES, 'Cats/New/Cats 1.cbz', 'Cats/New/Cats 2.cbz');
      await rests();
      for (const part of (await scanned()).slice(1))
        assert.ok(
          part?.every((folder) => folder.startsWith('Cats')),
          JSON.stringify(part),
        );
    }),
  );

  check('a file that is being written is left alone until it has been complete for a while', () =>
    withWatchedShelf(async ({ temp, ask, shows, scanned, rests }) => {
      const path = join(temp.shelf, 'Ants', 'Slow.cbz');
      const bytes = bookBytes(temp.folder);
      const step = Math.ceil(bytes.length / 4);
      for (let at = 0; at < bytes.length; at += step) {
        const before = (await scanned()).length;
        appendFileSync(path, bytes.subarray(at, at + step));
        setWritten(path, temp.app.clock.now());
        await until('it is looked at', async () => (await scanned()).length > before);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        assert.is((await ask('GET', '/books')).json.data.length, 2);
        const status = (await ask('GET', '/scans/active')).json;
        assert.equal(status, []);
        temp.advance(1500);
      }
      temp.advance(1000);
      await shows(ANTS, 'Ants/Slow.cbz', BEES);
      assert.equal((await ask('GET', '/books/errors')).json.data ?? [], []);
      await rests();
    }),
  );

  check('a known book that is overwritten keeps its place meanwhile', () =>
    withWatchedShelf(async ({ temp, ask, scanned, rests }) => {
      const pages = async (): Promise<unknown[]> =>
        (await ask('GET', '/books')).json.data.map((book: { pageCount: number }) => book.pageCount);
      const before = (await scanned()).length;
      const path = join(temp.shelf, ANTS);
      writeFileSync(path, bookBytes(temp.folder));
      setWritten(path, temp.app.clock.now());
      await until('it is looked at', async () => (await scanned()).length > before);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      assert.equal(await pages(), [1, 1]);
      temp.advance(3000);
      await until('it is read', async () => (await pages()).includes(3));
      await rests();
    }),
  );

  check('a renamed folder keeps its books', () =>
    withWatchedShelf(async ({ temp, ask, shows, rests, watched }) => {
      const idOf = async (): Promise<unknown> =>
        (await ask('GET', '/books')).json.data.find((book: { path: string }) => /Bees 1/.test(book.path)).id;
      const id = await idOf();
      renameSync(join(temp.shelf, 'Bees'), join(temp.shelf, 'Wasps'));
      await shows(ANTS, 'Wasps/Old/Bees 1.cbz');
      assert.is(await idOf(), id);
      await rests();
      assert.is(watched(), 4);
      writeBook(join(temp.shelf, 'Wasps', 'Old', 'Bees 2.cbz'), 1, 'd');
      await shows(ANTS, 'Wasps/Old/Bees 1.cbz', 'Wasps/Old/Bees 2.cbz');
    }),
  );

  check('the books of a deleted folder go, unless they are most of the library', () =>
    withWatchedShelf(async ({ temp, ask, libraryId, shows, rests, watched, paths }) => {
      rmSync(join(temp.shelf, 'Bees'), { recursive: true });
      await shows(ANTS);
      await rests();
      assert.is(watched(), 2);
      rmSync(join(temp.shelf, 'Ants'), { recursive: true });
      await until('it is looked at', async () => {
        const { errors } = (await ask('GET', `/libraries/${libraryId}/scan-status`)).json;
        return errors.some((sentence: string) => /is its disk mounted\?/.test(sentence));
      });
      assert.equal(await paths(), [ANTS]);
    }),
  );

  check('a library whose folder is away keeps its books, and is followed again once it is back', () =>
    withWatchedShelf(async ({ temp, shows, rests, watched, paths }) => {
      const away = `${temp.shelf}-away`;
      renameSync(temp.shelf, away);
      await temp.app.watching.list();
      assert.is(watched(), 0);
      assert.equal(await paths(), [ANTS, BEES]);
      renameSync(away, temp.shelf);
      await temp.app.watching.list();
      assert.is(watched(), 4);
      await rests();
      writeBook(join(temp.shelf, 'Ants', 'Ants 2.cbz'), 1, '2');
      await shows(ANTS, 'Ants/Ants 2.cbz', BEES);
      assert.equal(temp.warnings, []);
    }),
  );

  check('two libraries are followed each for itself', () =>
    withWatchedShelf(async ({ temp, ask, rests, scanned, watched }) => {
      const other = mkdtempSync(join(tmpdir(), 'longbox-other-'));
      try {
        writeBook(join(other, 'Dogs', 'Dogs 1.cbz'), 1, 'd');
        const scanningConfig = { enabled: true, watch_folders: true };
        await ask('POST', '/libraries', { name: 'M', path: other, scanning_config: scanningConfig });
        const titles = async (): Promise<unknown[]> =>
          (await ask('GET', '/series')).json.data.map(({ title }: { title: string }) => title).sort();
        await until('it is scanned', async () => (await titles()).includes('Dogs'));
        await rests();
        assert.is(watched(), 6);
        const before = (await scanned()).length;
        writeBook(join(other, 'Emus', 'Emus 1.cbz'), 1, 'e');
        await until('it is scanned', async () => (await titles()).includes('Emus'));
        await rests();
        assert.equal((await scanned()).slice(before), [['Emus']]);
        await coversMade(temp);
      } finally {
        rmSync(other, { recursive: true, force: true });
      }
    }),
  );

  check('what is no book is not scanned, and excluded and hidden folders are not watched', () =>
    withWatchedShelf(async ({ temp, ask, libraryId, rests, scanned, watched, shows }) => {
      const before = (await scanned()).length;
      const path = join(temp.shelf, 'Ants', 'notes.txt');
      for (let n = 0; n < 20; n += 1) appendFileSync(path, `${n}`);
      mkdirSync(join(temp.shelf, '@eaDir'));
      writeBook(join(temp.shelf, '@eaDir', 'x.cbz'), 1, 'x');
      writeBook(join(temp.shelf, 'Bees', 'Old', 'Bees 2.cbz'), 1, '2');
      await shows(ANTS, BEES, 'Bees/Old/Bees 2.cbz');
      await rests();
      assert.equal((await scanned()).slice(before), [['Bees/Old']]);
      assert.is(watched(), 4);
      await ask('PATCH', `/libraries/${libraryId}`, { excludedPatterns: 'Old' });
      await until('the pattern has its effect', () => watched() === 3);
      await ask('PATCH', `/libraries/${libraryId}`, { excludedPatterns: null });
      await until('the pattern has its effect', () => watched() === 4);
      await shows(ANTS, BEES, 'Bees/Old/Bees 2.cbz');
    }),
  );
});

block('watched folders and the system', (check) => {
  check('nothing is watched any more after a change of settings, a removal and a stop', () =>
    withWatchedShelf(async ({ temp, ask, libraryId, rests, watched }) => {
      const before = kernelWatches() - 4;
      const set = (scanningConfig: object): Promise<unknown> =>
        ask('PATCH', `/libraries/${libraryId}`, { scanningConfig });
      for (const off of [{ watchFolders: false }, { enabled: false }]) {
        await set(off);
        await until('it has its effect', () => watched() === 0);
        assert.is(kernelWatches(), before);
        await set({ enabled: true, watchFolders: true });
        await until('it has its effect', () => watched() === 4);
        assert.is(kernelWatches(), before + 4);
      }
      await rests();
      const moved = join(temp.folder, 'moved');
      writeBook(join(moved, 'Cats', 'Cats 1.cbz'), 1, 'c');
      await ask('PATCH', `/libraries/${libraryId}`, { path: moved });
      await until('the path has its effect', () => watched() === 2);
      assert.is(kernelWatches(), before + 2);
      await rests();
      await ask('DELETE', `/libraries/${libraryId}`);
      await until('it has its effect', () => temp.app.watching.state().size === 0);
      assert.is(kernelWatches(), before);
    }),
  );

  check('a stop while something waits to be scanned leaves nothing behind', async () => {
    const before = kernelWatches();
    await withWatchedShelf(
      async ({ temp, scanned }) => {
        const scans = (await scanned()).length;
        writeBook(join(temp.shelf, 'Ants', 'Ants 2.cbz'), 1, '2');
        await until('it is noticed', () => [...temp.app.watching.state().values()].some(({ isIdle }) => !isIdle));
        assert.is((await scanned()).length, scans);
        await temp.app.watching.stop();
        assert.is(kernelWatches(), before);
        assert.is((await scanned()).length, scans);
      },
      { settings: { ...QUICK, quietMs: 1500 } },
    );
  });
});
