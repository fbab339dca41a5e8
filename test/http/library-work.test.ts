// Work on books, series and libraries that is asked for row by row: analyses, numbers, titles, covers, purges, scans of a part, schedules.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPeople } from '../access/people.js';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { UNKNOWN_ID } from './row-bodies.js';
import { ended, type TaskShelf, withTaskShelf } from './task-shelf.js';

const HOUR_MS = 3_600_000;

const done = async (shelf: TaskShelf, path: string, body?: unknown): Promise<unknown> => {
  const { status, json } = await shelf.ask('POST', path, body);
  assert.is(status, 200, `${path}: ${JSON.stringify(json)}`);
  const id = json.taskId ?? json.taskIds[0];
  await ended(shelf, id, 'completed');
  return (await shelf.ask('GET', `/tasks/${id}`)).json.result;
};

const scanned = async ({ temp, ask }: TaskShelf, path: string): Promise<void> => {
  const { status, json } = await ask('POST', path);
  assert.is(status, 200, JSON.stringify(json));
  await until('the scan ends', () => temp.app.scans.active().length === 0);
};

const titles = async ({ ask }: TaskShelf): Promise<string[]> =>
  (await ask('GET', '/series')).json.data.map((one: { title: string }) => one.title);

block('work on libraries', (check) => {
  check('what is not there is not worked on', () =>
    withTaskShelf(async ({ ask, bookId }) => {
      for (const path of [
        `/libraries/${UNKNOWN_ID}/analyze`,
        `/series/${UNKNOWN_ID}/renumber`,
        `/series/${UNKNOWN_ID}/scan`,
        `/series/${UNKNOWN_ID}/title/reprocess`,
        `/books/${UNKNOWN_ID}/thumbnail/generate`,
      ])
        assert.is((await ask('POST', path)).status, 404, path);
      assert.is((await ask('POST', '/series/thumbnails/generate', { seriesIds: [UNKNOWN_ID] })).status, 404);
      assert.is((await ask('POST', '/books/thumbnails/generate', { bookIds: [bookId, UNKNOWN_ID] })).status, 404);
      assert.is((await ask('POST', '/series/titles/reprocess', {})).status, 400);
      assert.is((await ask('POST', `/books/${bookId}/analyze-unanalyzed`)).status, 400);
      assert.is((await ask('DELETE', `/series/${UNKNOWN_ID}/purge-deleted`)).status, 404);
    }),
  );

  check('a library is analysed again: all of its books, or only those never analysed', () =>
    withTaskShelf(async (shelf) => {
      const { libraryId, seriesId } = shelf;
      assert.equal(await done(shelf, `/libraries/${libraryId}/analyze`), { books_analyzed: 2 });
      assert.equal(await done(shelf, `/libraries/${libraryId}/analyze-unanalyzed`), { books_analyzed: 0 });
      await done(shelf, `/series/${seriesId}/analyze-unanalyzed`);
    }),
  );

  check('a book whose file is gone is not said to have been analysed', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId, bookId } = shelf;
      const told = async (): Promise<string> => (await ask('POST', `/books/${bookId}/analyze-unanalyzed`)).json.message;
      assert.is(await told(), 'The book has already been analysed.');
      rmSync(join(temp.shelf, 'Ants', 'Ants 1.cbz'));
      await scanned(shelf, `/libraries/${libraryId}/scan`);
      assert.is(await told(), 'The file of the book is gone.');
    }),
  );

  check('numbers and titles are made again; a dry run only says so', () =>
    withTaskShelf(async (shelf) => {
      const { ask, libraryId, seriesId } = shelf;
      assert.equal(await done(shelf, `/series/${seriesId}/renumber`), { series_renumbered: 1 });
      const titlePreprocessingRules = [{ pattern: '^Ants$', replacement: 'The Ants', enabled: true }];
      assert.is((await ask('PATCH', `/libraries/${libraryId}`, { titlePreprocessingRules })).status, 200);
      const dry = (await ask('POST', `/libraries/${libraryId}/series/titles/reprocess`, { dryRun: true })).json;
      assert.equal([dry.tasksEnqueued, dry.message], [0, '1 would change: “Ants” to “The Ants”.']);
      assert.equal(await titles(shelf), ['Ants']);
      assert.equal(await done(shelf, `/series/${seriesId}/title/reprocess`), { series_updated: 1 });
      assert.equal(await titles(shelf), ['The Ants']);
      await ask('PATCH', `/series/${seriesId}`, { title: 'Mine' });
      assert.equal(await done(shelf, '/series/titles/reprocess', { libraryId }), { series_updated: 0 });
      assert.equal(await titles(shelf), ['Mine']);
    }),
  );

  check('covers are made where they are missing, and with force all of them', () =>
    withTaskShelf(async (shelf) => {
      const { libraryId, seriesId, bookId } = shelf;
      const force = { force: true };
      const of = (seen: number, made: number) => ({ seen, made, failed: 0 });
      assert.equal(await done(shelf, `/libraries/${libraryId}/books/thumbnails/generate`), of(2, 0));
      assert.equal(await done(shelf, `/libraries/${libraryId}/books/thumbnails/generate`, force), of(2, 2));
      assert.equal(await done(shelf, `/libraries/${libraryId}/series/thumbnails/generate`, force), of(1, 1));
      assert.equal(await done(shelf, `/series/${seriesId}/thumbnail/generate`, force), of(1, 1));
      assert.equal(await done(shelf, `/books/${bookId}/thumbnail/generate`, force), of(1, 1));
      assert.equal(await done(shelf, '/books/thumbnails/generate', { bookIds: [bookId], force: true }), of(1, 1));
      assert.equal(await done(shelf, '/series/thumbnails/generate', { seriesIds: [seriesId] }), of(1, 0));
    }),
  );

  check('a purge deletes the rows of books whose files are gone, and no others', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId, seriesId } = shelf;
      assert.is((await ask('DELETE', `/libraries/${libraryId}/purge-deleted`)).json, 0);
      rmSync(join(temp.shelf, 'Ants', 'Ants 1.cbz'));
      await scanned(shelf, `/libraries/${libraryId}/scan`);
      const all = `/series/${seriesId}/books?includeDeleted=true`;
      assert.is((await ask('GET', all)).json.length, 2);
      assert.is((await ask('DELETE', `/series/${seriesId}/purge-deleted`)).json, 1);
      assert.is((await ask('GET', all)).json.length, 1);
      await ask('PATCH', `/libraries/${libraryId}`, { scanningConfig: { purgeDeletedOnScan: true } });
      rmSync(join(temp.shelf, 'Ants', 'Ants 2.cbz'));
      await scanned(shelf, `/libraries/${libraryId}/scan?acceptMissing=true`);
      assert.is((await ask('GET', `/series/${seriesId}`)).status, 404);
      assert.is((await ask('DELETE', `/libraries/${libraryId}/purge-deleted`)).json, 0);
    }),
  );

  check('a scan of a folder, series or book looks at nothing else', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId, seriesId, bookId } = shelf;
      for (const folder of ['../Ants', '/Ants', 'Ants/../..', 'Ants//x', '.'])
        assert.is((await ask('POST', `/libraries/${libraryId}/scan?folder=${folder}`)).status, 400, folder);
      writeBook(join(temp.shelf, 'Bees', 'Bees 1.cbz'), 1, 'b');
      writeBook(join(temp.shelf, 'Ants', 'Ants 3.cbz'), 1, '3');
      rmSync(join(temp.shelf, 'Ants', 'Ants 1.cbz'));
      await scanned(shelf, `/series/${seriesId}/scan`);
      assert.equal(await titles(shelf), ['Ants']);
      assert.is((await ask('GET', `/series/${seriesId}/books`)).json.length, 2);
      writeBook(join(temp.shelf, 'Ants', 'Ants 4.cbz'), 1, '4');
      await scanned(shelf, `/books/${bookId}/scan?mode=deep`);
      assert.is((await ask('GET', `/series/${seriesId}/books`)).json.length, 3);
      const lastScan = async (): Promise<number> =>
        Date.parse((await ask('GET', `/libraries/${libraryId}`)).json.lastScannedAt);
      const before = await lastScan();
      temp.advance(HOUR_MS / 2);
      await scanned(shelf, `/libraries/${libraryId}/scan?folder=Bees`);
      assert.equal(await titles(shelf), ['Ants', 'Bees']);
      assert.is(await lastScan(), before, 'only a scan of the whole library counts');
      const status = (await ask('GET', `/libraries/${libraryId}/scan-status`)).json;
      assert.equal([status.filesTotal, status.filesProcessed, status.secondsLeft], [1, 1, null]);
      await scanned(shelf, `/libraries/${libraryId}/scan`);
      assert.is(await lastScan(), before + HOUR_MS / 2);
    }),
  );

  check('with restrictions, a folder in which nothing is seen is not scanned, whether or not it exists', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId } = shelf;
      writeBook(join(temp.shelf, 'Bees', 'Bees 1.cbz'), 1, 'b');
      await scanned(shelf, `/libraries/${libraryId}/scan`);
      const [, bees] = (await ask('GET', '/series')).json.data;
      assert.is(bees.title, 'Bees');
      const { token, id } = await (await openPeople(temp)).join('keeper', 'maintainer');
      const { json: tag } = await ask('POST', '/admin/sharing-tags', { name: 'hidden' });
      await ask('PUT', `/series/${bees.id}/sharing-tags`, { sharingTagIds: [tag.id] });
      await ask('PUT', `/users/${id}/sharing-tags`, { sharingTagId: tag.id, accessMode: 'deny' });
      const scan = async (folder: string): Promise<string> => {
        const { status, json } = await ask('POST', `/libraries/${libraryId}/scan?folder=${folder}`, undefined, token);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        return `${status} ${json.message}`;
      };
      assert.match(await scan('Bees'), /^404 There is no folder/);
      assert.is(await scan('Bees'), await scan('None'));
      assert.match(await scan('Ants'), /^200 /);
      assert.match(await scan(''), /^200 /);
    }),
  );

  check('a part that is gone is left to a scan of the library', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId, seriesId } = shelf;
      temp.advance(1000);
      mkdirSync(join(temp.shelf, 'Elsewhere'));
      renameSync(join(temp.shelf, 'Ants'), join(temp.shelf, 'Elsewhere', 'Ants'));
      await scanned(shelf, `/series/${seriesId}/scan`);
      assert.is((await ask('GET', `/series/${seriesId}/books`)).json.length, 2);
      await scanned(shelf, `/libraries/${libraryId}/scan?folder=Elsewhere`);
      await scanned(shelf, `/libraries/${libraryId}/scan`);
      const books = (await ask('GET', `/series/${seriesId}/books`)).json;
      assert.equal(
        books.map((book: { path: string }) => book.path.includes('/Elsewhere/')),
        [true, true],
      );
    }),
  );

  check('a preview says what a scan would find, stores nothing, and is not for those with restrictions', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp } = shelf;
      writeBook(join(temp.shelf, 'Bees', 'Bees - 1.cbz'), 1, 'b');
      writeBook(join(temp.shelf, 'Bees', 'old', 'Bees - 2.cbz'), 1, 'c');
      const preview = (body: object, token?: string) =>
        ask('POST', '/libraries/preview-scan', { path: temp.shelf, ...body }, token);
      for (const body of [{ path: 'shelf' }, { path: '/proc' }, { seriesStrategy: 'none' }, { path: temp.folder }])
        assert.is((await preview(body)).status, 400, JSON.stringify(body));
      const said = async (body: object): Promise<unknown[]> => {
        const { json } = await preview(body);
        const found = json.detectedSeries.map((one: { name: string; bookCount: number }) => [one.name, one.bookCount]);
        return [json.totalFiles, ...found];
      };
      assert.equal(await said({}), [4, ['Ants', 2], ['Bees', 1], ['old', 1]]);
      assert.equal(await said({ excludedPatterns: 'old' }), [3, ['Ants', 2], ['Bees', 1]]);
      assert.equal(await said({ excludedPatterns: 'Ants*', seriesStrategy: 'flat' }), [2, ['Bees', 1], ['Bees', 1]]);
      assert.equal(await said({ allowedFormats: ['PDF'] }), [0]);
      assert.equal(await titles(shelf), ['Ants']);
      const token = await temp.tokenOf('admin');
      const me = (await ask('GET', '/auth/me', undefined, token)).json.id;
      await ask('PATCH', `/users/${me}`, { ageLimit: { max: 6 } });
      assert.is((await preview({}, token)).status, 403);
    }),
  );

  check('a schedule that cannot run is refused; one that is enabled starts scans in its mode', () =>
    withTaskShelf(async (shelf) => {
      const { ask, temp, libraryId } = shelf;
      const path = `/libraries/${libraryId}`;
      for (const scanningConfig of [
        { cronSchedule: 'daily' },
        { cronSchedule: '0 25 * * *' },
        { cronSchedule: '0 0 30 2 *' },
        { cronSchedule: '2030-01-01T00:00:00' },
        { cronTimezone: 'Mars/Phobos' },
      ]) {
        const { status, json } = await ask('PATCH', path, { scanningConfig });
        assert.equal([status, json.details?.[0]?.path], [400, `scanningConfig.${Object.keys(scanningConfig)[0]}`]);
      }
      const next = async (scanningConfig: object): Promise<number | null | undefined> => {
        assert.is((await ask('PATCH', path, { scanningConfig })).status, 200);
        return (await temp.app.schedules.next()).get(libraryId);
      };
      assert.is(await next({ enabled: false, cronSchedule: '0 1 * * *', default_mode: 'deep' }), undefined);
      assert.is(await next({ enabled: true }), Date.UTC(2026, 0, 1, 1));
      assert.is(await next({ cronTimezone: 'Asia/Tokyo' }), Date.UTC(2026, 0, 1, 16));
      assert.is(await next({ cronTimezone: null }), Date.UTC(2026, 0, 1, 1));
      await temp.app.schedules.check();
      assert.is(temp.app.scans.active().length, 0);
      temp.advance(HOUR_MS);
      await temp.app.schedules.check();
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const { mode, startedAt } = (await ask('GET', `${path}/scan-status`)).json;
      assert.equal([mode, startedAt], ['deep', '2026-01-01T01:00:00.000Z']);
      assert.is((await temp.app.schedules.next()).get(libraryId), Date.UTC(2026, 0, 2, 1));
    }),
  );
});
