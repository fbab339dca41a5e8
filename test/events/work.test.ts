// What work on libraries tells those who follow events: titles and numbers made again, purges, analyses and covers.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { coversMade, until, writeBook } from '../app.js';
import { formOf, image } from '../form.js';
import { ended, type TaskShelf, withTaskShelf } from '../http/task-shelf.js';
import { assert, block } from '../kit.js';
import { follow, type Heard, type Listener } from './listener.js';

type Use = (shelf: TaskShelf, listener: Listener) => Promise<void>;

const withListener = (use: Use): Promise<void> =>
  withTaskShelf(async (shelf) => {
    const listener = await follow(shelf.temp, await shelf.temp.tokenOf('admin'));
    try {
      await use(shelf, listener);
    } finally {
      await listener.close();
    }
  });

const done = async (shelf: TaskShelf, path: string, body?: unknown): Promise<void> => {
  const { status, json } = await shelf.ask('POST', path, body);
  assert.is(status, 200, `${path}: ${JSON.stringify(json)}`);
  await ended(shelf, json.taskId ?? json.taskIds[0], 'completed');
};

const changed = async ({ ask }: TaskShelf, method: string, path: string, body?: unknown): Promise<void> => {
  const { status, json } = await ask(method, path, body);
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(json)}`);
};

const scanned = async ({ temp, ask, libraryId }: TaskShelf): Promise<void> => {
  assert.is((await ask('POST', `/libraries/${libraryId}/scan?acceptMissing=true`)).status, 200);
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  await coversMade(temp);
};

/** `cover_updated book of <id>` and the like, each once, in the order of the alphabet. */
const about = (heard: readonly Heard[]): string[] => {
  const lines = heard.map(({ data }) => {
    const of = data.entityId ?? data.bookId ?? data.seriesId ?? data.libraryId;
    return [data.type, ...(data.fields ?? []), data.entityType, 'of', of].filter((one) => one !== undefined).join(' ');
  });
  return [...new Set(lines)].sort();
};

const booksOf = async ({ ask, seriesId }: TaskShelf): Promise<string[]> =>
  (await ask('GET', `/series/${seriesId}/books?includeDeleted=true`)).json.map(({ id }: { id: string }) => id);

const titlesAndNumbers = async (shelf: TaskShelf, listener: Listener): Promise<void> => {
  const { temp, libraryId, seriesId } = shelf;
  writeBook(join(temp.shelf, 'Ants', 'Ants 7.cbz'), 2, '7');
  await scanned(shelf);
  const titlePreprocessingRules = [{ pattern: '^Ants$', replacement: 'The Ants', enabled: true }];
  await changed(shelf, 'PATCH', `/libraries/${libraryId}`, { titlePreprocessingRules, numberStrategy: 'file_order' });
  await listener.news();
  await done(shelf, `/series/${seriesId}/title/reprocess`);
  assert.equal(about(await listener.news()), [`series_updated title of ${seriesId}`]);
  await done(shelf, `/series/${seriesId}/title/reprocess`);
  assert.equal(about(await listener.news()), [], 'the title is as it was');
  await done(shelf, `/series/${seriesId}/renumber`);
  const [, , last = ''] = await booksOf(shelf);
  assert.equal(about(await listener.news()), [`book_updated of ${last}`, `series_updated numbers of ${seriesId}`]);
  await done(shelf, `/series/${seriesId}/renumber`);
  assert.equal(about(await listener.news()), [], 'the numbers are as they were');
};

const purges = async (shelf: TaskShelf, listener: Listener): Promise<void> => {
  const { temp, libraryId, seriesId, ask } = shelf;
  const [first = '', second = ''] = await booksOf(shelf);
  rmSync(join(temp.shelf, 'Ants', 'Ants 1.cbz'));
  await scanned(shelf);
  await listener.news();
  assert.is((await ask('DELETE', `/series/${seriesId}/purge-deleted`)).json, 1);
  const [heard, ...more] = await listener.news();
  assert.equal(about([heard as Heard, ...more]), [`book_deleted of ${first}`]);
  assert.equal([heard?.data.seriesId, heard?.data.libraryId], [seriesId, libraryId]);
  rmSync(join(temp.shelf, 'Ants', 'Ants 2.cbz'));
  await scanned(shelf);
  await listener.news();
  assert.is((await ask('DELETE', `/libraries/${libraryId}/purge-deleted`)).json, 1);
  assert.equal(about(await listener.news()), [`book_deleted of ${second}`, `series_deleted of ${seriesId}`]);
};

/** By a task, and by a scan of a library that purges. */
const laterPurges = async (shelf: TaskShelf, listener: Listener): Promise<void> => {
  const { temp, libraryId, seriesId } = shelf;
  const [first = '', second = ''] = await booksOf(shelf);
  rmSync(join(temp.shelf, 'Ants', 'Ants 1.cbz'));
  await scanned(shelf);
  await listener.news();
  await done(shelf, '/tasks', { taskType: { type: 'purge_deleted', libraryId } });
  assert.equal(about(await listener.news()), [`book_deleted of ${first}`]);
  const scanningConfig = { enabled: true, scanMode: 'normal', purgeDeletedOnScan: true };
  await changed(shelf, 'PATCH', `/libraries/${libraryId}`, { scanningConfig });
  rmSync(join(temp.shelf, 'Ants', 'Ants 2.cbz'));
  await listener.news();
  await scanned(shelf);
  const heard = about(await listener.news());
  for (const line of [`book_deleted of ${second}`, `series_deleted of ${seriesId}`])
    assert.ok(heard.includes(line), JSON.stringify(heard));
};

const coverTasks = async (shelf: TaskShelf, listener: Listener): Promise<void> => {
  const { libraryId, seriesId, bookId } = shelf;
  const [, second = ''] = await booksOf(shelf);
  const [ofFirst, ofSecond] = [bookId, second].map((id) => `cover_updated book of ${id}`);
  const ofSeries = `cover_updated series of ${seriesId}`;
  const force = { force: true };
  for (const [path, body, expected] of [
    [`/books/${bookId}/thumbnail/generate`, force, [ofFirst]],
    [`/books/${bookId}/thumbnail/generate`, {}, []],
    [`/books/thumbnails/generate`, { bookIds: [second], ...force }, [ofSecond]],
    [`/libraries/${libraryId}/books/thumbnails/generate`, force, [ofFirst, ofSecond]],
    [`/libraries/${libraryId}/books/thumbnails/generate`, {}, []],
    [`/series/${seriesId}/thumbnail/generate`, force, [ofFirst, ofSeries]],
    [`/libraries/${libraryId}/series/thumbnails/generate`, force, [ofFirst, ofSeries]],
    [`/series/thumbnails/generate`, { seriesIds: [seriesId] }, []],
    [`/tasks`, { taskType: { type: 'generate_thumbnail', bookId, ...force } }, [ofFirst]],
  ] as const) {
    await listener.news();
    await done(shelf, path, body);
    assert.equal(about(await listener.news()), [...expected].sort(), `${path} ${JSON.stringify(body)}`);
  }
};

const chosenCovers = async (shelf: TaskShelf, listener: Listener): Promise<void> => {
  const { ask, seriesId, bookId } = shelf;
  for (const [kind, path, source] of [
    ['book', `/books/${bookId}`, 'page:1'],
    ['series', `/series/${seriesId}`, `book:${bookId}`],
  ] as const) {
    const id = path.split('/')[2];
    const form = await formOf({ file: image('png-palette-alpha.png') });
    await listener.news();
    const cover = (await ask('POST', `${path}/cover`, form)).json.id;
    const expected = `cover_updated ${kind} of ${id}`;
    assert.ok(about(await listener.news()).includes(expected), `a ${kind}`);
    for (const [method, under, body] of [
      ['DELETE', '/covers/selected'],
      ['PUT', `/covers/${cover}/select`],
      ['PATCH', '/cover/source', { source }],
      ['PATCH', '/cover/source', { source: 'custom' }],
      ['DELETE', `/covers/${cover}`],
    ] as const) {
      await changed(shelf, method, `${path}${under}`, body);
      assert.ok(about(await listener.news()).includes(expected), `${method} ${under} of a ${kind}`);
    }
  }
};

const analyses = async (shelf: TaskShelf, listener: Listener): Promise<void> => {
  const { libraryId, seriesId, bookId } = shelf;
  const all = (await booksOf(shelf)).map((id) => `book_updated of ${id}`).sort();
  for (const [path, expected] of [
    [`/books/${bookId}/analyze`, [`book_updated of ${bookId}`]],
    [`/series/${seriesId}/analyze`, all],
    [`/libraries/${libraryId}/analyze`, all],
  ] as const) {
    await listener.news();
    await done(shelf, path);
    const heard = about(await listener.news()).filter((line) => line.startsWith('book_updated'));
    assert.equal(heard, expected, path);
  }
};

/** On the stream of tasks: a scan of a folder that is gone. */
const failures = async ({ temp, ask, libraryId }: TaskShelf): Promise<void> => {
  const tasks = await follow(temp, await temp.tokenOf('admin'), { path: '/tasks/stream' });
  try {
    renameSync(temp.shelf, `${temp.shelf} elsewhere`);
    assert.is((await ask('POST', `/libraries/${libraryId}/scan`)).status, 200);
    const heard = await tasks.hears('the failure', ({ data }) => data.status === 'failed');
    const { data } = heard.find(({ data }) => data.status === 'failed') as Heard;
    const { lastError, completedAt } = (await ask('GET', `/tasks/${data.taskId}`)).json;
    assert.equal([data.taskType, data.error, data.completedAt], ['scan_library', lastError, completedAt]);
    assert.ok(lastError.length > 0);
  } finally {
    await tasks.close();
  }
};

block('events of work', (check) => {
  check('titles and numbers made again are told where something changed', () => withListener(titlesAndNumbers));
  check('a purge tells each book, and the series that it empties', () => withListener(purges));
  check('so do a purge by a task and one by a scan', () => withListener(laterPurges));
  check('covers made by a task are told, those that were there are not', () => withListener(coverTasks));
  check('covers that are uploaded, chosen, reset and deleted are told', () => withListener(chosenCovers));
  check('a task that fails says why', () => withTaskShelf(failures));
  check('books that are analysed because somebody asked are told', () => withListener(analyses));
});
