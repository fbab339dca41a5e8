// The clean-up of what is left of rows that are gone: what it removes, and what it leaves alone.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanOrphans } from '../../core/pages/orphans.js';
import { openBlobs } from '../../core/store/blobs.js';
import { CacheDisk } from '../../core/store/cache-disk.js';
import { SYSTEM } from '../../core/store/feed.js';
import { coversMade, until, writeBook } from '../app.js';
import { image } from '../form.js';
import { assert, block, thrownBy } from '../kit.js';
import { type CoverShelf, coverShelf, sizeOf } from './cover-shelf.js';

const SMALL = image('png-palette-alpha.png');
const ROW = '/admin/cleanup-orphans';
const LEFT = '01890000-0000-7000-8000-00000000000a.jpg';
const NOTHING = { orphanedCovers: 0, orphanedThumbnails: 0, totalSizeBytes: 0, files: null };

const withShelf = async (use: (shelf: CoverShelf, folder: string) => Promise<void>): Promise<void> => {
  const shelf = await coverShelf();
  try {
    await coversMade(shelf.temp);
    await until('the tasks end', () => !shelf.temp.app.tasks.isBusy);
    await use(shelf, join(shelf.temp.folder, 'data', 'uploads'));
    assert.equal(shelf.temp.faults, []);
  } finally {
    await shelf.temp.close();
  }
};

const stats = async ({ api }: CoverShelf, query = '') => (await api('GET', `${ROW}/stats${query}`)).json;

/** Leaves what a crash may leave, and what is none of ours. */
const leave = (folder: string): void => {
  mkdirSync(join(folder, 'a folder'), { recursive: true });
  for (const name of [LEFT, `${LEFT}.tmp`, 'note.txt']) writeFileSync(join(folder, name), 'abc');
};

/** A second library whose covers are made, and which is then removed. */
const removedLibrary = async ({ temp, api }: CoverShelf): Promise<string> => {
  const path = join(temp.folder, 'other');
  writeBook(join(path, 'Cats', 'Cats 1.cbz'), 1, 'c');
  const { id } = (await api('POST', '/libraries', { body: { name: 'Other', path, scanImmediately: true } })).json;
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  await coversMade(temp);
  const [book] = (await api('GET', `/libraries/${id}/books`)).json.data;
  assert.is((await api('GET', `/books/${book.id}/thumbnail`)).status, 200);
  await until('the tasks end', () => !temp.app.tasks.isBusy);
  await api('DELETE', `/libraries/${id}`);
  await until('its rows are gone', async () => (await temp.app.db.all('SELECT 1 FROM library')).length === 1);
  await until('the tasks end', () => !temp.app.tasks.isBusy);
  return book.id;
};

block('orphaned files', (check) => {
  check('only who administers the server may look, clean up, or enqueue it', () =>
    withShelf(async ({ temp, api }, folder) => {
      leave(folder);
      const token = await temp.tokenOf('maintainer');
      const body = { taskType: { type: 'cleanup_orphaned_files' } };
      assert.is((await api('GET', `${ROW}/stats`, { token })).status, 403);
      assert.is((await api('POST', ROW, { token })).status, 403);
      assert.is((await api('DELETE', ROW, { token })).status, 403);
      assert.is((await api('POST', '/tasks', { token, body })).status, 403);
      assert.is((await api('GET', '/tasks?taskType=cleanup_orphaned_files')).json.length, 0);
    }),
  );
  check('an upload under way is nobody’s leftover: its file is there before its row', () =>
    withShelf(async (shelf) => {
      const [book] = await shelf.books('Ants');
      let letGo: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const writer = shelf.temp.app.db.write(SYSTEM, 'interactive', () => held);
      const uploading = shelf.upload(`/books/${book}`, SMALL);
      try {
        await until('its file is there', () => shelf.files().some((name) => name.endsWith('.jpg')));
        assert.equal(await stats(shelf), NOTHING);
        assert.is((await shelf.api('DELETE', ROW)).json.coversDeleted, 0);
      } finally {
        letGo();
      }
      await writer;
      const made = (await uploading).json;
      assert.is((await shelf.api('GET', `/books/${book}/covers/${made.id}/image`)).status, 200);
      assert.equal(await stats(shelf), NOTHING);
    }),
  );
  check('what is referred to stays, as does what is none of ours, whatever its name', () =>
    withShelf(async (shelf, folder) => {
      const { temp, api } = shelf;
      const [book] = await shelf.books('Ants');
      const made = (await shelf.upload(`/books/${book}`, SMALL)).json;
      await shelf.upload(`/series/${shelf.series.Bees}`, SMALL);
      const used = temp.app.blobs.sizeBytes();
      assert.ok(used > 0, 'covers are in the cache');
      leave(folder);
      const outside = join(temp.folder, 'outside.jpg');
      writeFileSync(outside, 'mine');
      symlinkSync(outside, join(folder, '01890000-0000-7000-8000-00000000000b.jpg'));
      const cleaned = (await api('DELETE', ROW)).json;
      assert.equal(cleaned, { coversDeleted: 2, thumbnailsDeleted: 0, bytesFreed: 6, failures: 0, errors: [] });
      assert.is(readFileSync(outside, 'utf8'), 'mine');
      assert.is(shelf.files().length, 5, 'two covers, a folder, a note, a link');
      assert.is(temp.app.blobs.sizeBytes(), used);
      assert.is((await api('GET', `/books/${book}/covers/${made.id}/image`)).status, 200);
    }),
  );
  check('images in the cache of books that are gone are counted, named and removed, and no others', () =>
    withShelf(async (shelf) => {
      const { temp, api } = shelf;
      assert.equal(await stats(shelf), NOTHING);
      const before = temp.app.blobs.sizeBytes();
      const gone = await removedLibrary(shelf);
      const freed = temp.app.blobs.sizeBytes() - before;
      const found = await stats(shelf, '?includeFiles=true');
      assert.equal([found.orphanedCovers, found.orphanedThumbnails, found.totalSizeBytes], [0, 1, freed]);
      assert.equal(
        found.files.map(({ path: _, ...file }: { path: string }) => file),
        [{ fileType: 'thumbnail', entityId: gone, sizeBytes: freed }],
      );
      assert.is((await stats(shelf)).files, null);
      const cleaned = (await api('DELETE', ROW)).json;
      assert.equal([cleaned.thumbnailsDeleted, cleaned.bytesFreed], [1, freed]);
      assert.is(temp.app.blobs.sizeBytes(), before);
      assert.equal(await stats(shelf), NOTHING);
      const [book] = await shelf.books('Ants');
      assert.is(sizeOf(await api('GET', `/books/${book}/thumbnail`)), '1x1');
    }),
  );
  check('as a task it is seen, and its result says the same', () =>
    withShelf(async (shelf, folder) => {
      const { api } = shelf;
      leave(folder);
      await removedLibrary(shelf);
      const { taskId } = (await api('POST', ROW)).json;
      const task = async () => (await api('GET', `/tasks/${taskId}`)).json;
      await until('it ends', async () => (await task()).status === 'completed');
      const { taskType, priority, result } = await task();
      assert.equal([taskType, priority], ['cleanup_orphaned_files', 100]);
      assert.equal([result.covers_deleted, result.thumbnails_deleted, result.failures], [2, 1, 0]);
      assert.equal(await stats(shelf), NOTHING);
      leave(folder);
      const scheduledFor = '2026-02-01T00:00:00.000Z';
      const body = { taskType: { type: 'cleanup_orphaned_files' }, scheduledFor };
      const later = (await api('POST', '/tasks', { body })).json.taskId;
      assert.is((await api('POST', `/tasks/${later}/cancel`)).status, 200);
      assert.is((await api('GET', `/tasks/${later}`)).json.status, 'cancelled');
      assert.is((await stats(shelf)).orphanedCovers, 2, 'a cancelled one removes nothing');
    }),
  );
  check('a clean-up that is cancelled stops where it is', () =>
    withShelf(async (shelf, folder) => {
      const { db, blobs, pages } = shelf.temp.app;
      leave(folder);
      await removedLibrary(shelf);
      const cancelled = new AbortController();
      const watch = { signal: cancelled.signal, onSeen: () => cancelled.abort() };
      const thrown = await thrownBy(() => cleanOrphans({ db, blobs, uploads: pages.uploads }, watch));
      assert.is((thrown as { kind: string }).kind, 'Cancelled');
      const { orphanedCovers, orphanedThumbnails } = await stats(shelf);
      assert.equal([orphanedCovers, orphanedThumbnails], [0, 1]);
    }),
  );
  check('a cache that fails is told, and the rest is cleaned up', () =>
    withShelf(async (shelf, folder) => {
      const { db, pages } = shelf.temp.app;
      const disk = new CacheDisk(join(shelf.temp.folder, 'other cache'), () => undefined);
      const blobs = await openBlobs({ disk, budgetBytes: 1e8, onRebuilt: () => undefined });
      try {
        leave(folder);
        disk.fail(new Error('worn out'));
        const signal = new AbortController().signal;
        const cleaned = await cleanOrphans({ db, blobs, uploads: pages.uploads }, { signal });
        assert.equal([cleaned.covers, cleaned.failures, cleaned.errors.length], [2, 1, 1]);
      } finally {
        await blobs.close();
        await disk.close();
      }
    }),
  );
});
