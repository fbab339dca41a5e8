// What each operation tells those who follow events, and in which words.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { follow, type Heard, type Listener, told } from './listener.js';

let temp: TempApp;
let token: string;
let libraryId: string;
let listener: Listener;
let seriesId: string;
let bookId: string;

const api = (method: string, path: string, body?: unknown) =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const scan = async (mode = 'normal'): Promise<void> => {
  assert.is((await api('POST', `/libraries/${libraryId}/scan?mode=${mode}&acceptMissing=true`)).status, 200);
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  await coversMade(temp);
};

const count = (heard: readonly Heard[], type: string): number => heard.filter(({ data }) => data.type === type).length;

const isUuid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);

const scans = (check: Check): void => {
  check('a library is told when it is created', async () => {
    const { json } = await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf });
    libraryId = json.id;
    const [heard] = await listener.news();
    assert.equal(
      [heard?.event, heard?.data.type, heard?.data.library_id, heard?.data.libraryId],
      ['library_created', 'library_created', libraryId, libraryId],
    );
    assert.match(heard?.data.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(isUuid(heard?.data.userId));
    assert.is(heard?.data.user_id, heard?.data.userId);
  });
  check('a scan tells each series and book that it finds, then what analysis finds, and covers', async () => {
    writeBook(join(temp.shelf, 'Ants', 'Ants 1.cbz'), 2, 'a1');
    writeBook(join(temp.shelf, 'Ants', 'Ants 2.cbz'), 2, 'a2');
    writeFileSync(join(temp.shelf, 'Ants', 'Ants 3.cbz'), 'no archive');
    await scan();
    const heard = await listener.news();
    assert.equal([count(heard, 'series_created'), count(heard, 'book_created')], [1, 3]);
    const books = heard.filter(({ data }) => data.type === 'book_created').map(({ data }) => data);
    const all = (await api('GET', '/books?pageSize=10')).json.data;
    assert.equal(books.map(({ bookId }) => bookId).sort(), all.map(({ id }: { id: string }) => id).sort());
    for (const data of books)
      assert.equal(
        [data.book_id, data.series_id, data.library_id, data.userId],
        [data.bookId, data.seriesId, data.libraryId, undefined],
      );
    const updated = new Set(heard.filter(({ data }) => data.type === 'book_updated').map(({ data }) => data.bookId));
    assert.is(updated.size, 3, 'analyses that finished and one that failed');
    const covers = heard.filter(({ data }) => data.type === 'cover_updated').map(({ data }) => data);
    const sound = all.filter(({ analyzed }: { analyzed: boolean }) => analyzed).map(({ id }: { id: string }) => id);
    for (const id of sound) assert.ok(covers.some(({ entityId }) => entityId === id));
    for (const data of covers)
      assert.equal(
        [data.entity_type, data.entityType, data.entity_id, data.library_id, data.libraryId],
        ['book', 'book', data.entityId, libraryId, libraryId],
      );
    seriesId = books[0].seriesId;
    bookId = all.find(({ path }: { path: string }) => path.endsWith('Ants 1.cbz')).id;
  });
  check('a file that is gone, and one that is back', async () => {
    const path = join(temp.shelf, 'Ants', 'Ants 2.cbz');
    renameSync(path, join(temp.folder, 'aside'));
    await scan();
    await listener.hears('it is gone', ({ data }) => data.type === 'book_updated' && data.fields?.join() === 'deleted');
    renameSync(join(temp.folder, 'aside'), path);
    await scan();
    // It is read again at once; an event that comes of both names no fields.
    await listener.hears(
      'it is back',
      ({ data }) => data.type === 'book_updated' && (data.fields?.includes('deleted') ?? true),
    );
  });
  check('a file with other bytes', async () => {
    writeBook(join(temp.shelf, 'Ants', 'Ants 1.cbz'), 4, 'other');
    await scan();
    const heard = await listener.news();
    assert.ok(heard.some(({ data }) => data.type === 'book_updated' && data.bookId === bookId));
    assert.ok(heard.some(({ data }) => data.type === 'cover_updated' && data.entityId === bookId));
  });
};

const CHANGES: readonly (readonly [what: string, method: string, path: () => string, body: unknown, heard: string])[] =
  [
    ['the metadata of a book', 'PATCH', () => `/books/${bookId}/metadata`, { summary: 'S' }, 'book_updated metadata'],
    ['the title of a book', 'PATCH', () => `/books/${bookId}/metadata`, { title: 'T' }, 'book_updated title'],
    ['its locks', 'PUT', () => `/books/${bookId}/metadata/locks`, { titleLock: false }, 'book_updated metadata_locks'],
    ['genres of a book', 'PUT', () => `/books/${bookId}/genres`, { genres: ['Fog'] }, 'book_updated genres'],
    ['tags of a book', 'PUT', () => `/books/${bookId}/tags`, { tags: ['sea'] }, 'book_updated tags'],
    ['the title of a series', 'PATCH', () => `/series/${seriesId}`, { title: 'Other' }, 'series_updated title'],
    ['metadata of a series', 'PATCH', () => `/series/${seriesId}/metadata`, { year: 1999 }, 'series_updated metadata'],
    ['its locks', 'PUT', () => `/series/${seriesId}/metadata/locks`, { year: false }, 'series_updated metadata_locks'],
    ['genres of a series', 'PUT', () => `/series/${seriesId}/genres`, { genres: ['Fog'] }, 'series_updated genres'],
    ['tags of a series', 'PUT', () => `/series/${seriesId}/tags`, { tags: ['sea'] }, 'series_updated tags'],
    [
      'another title',
      'POST',
      () => `/series/${seriesId}/alternate-titles`,
      { label: 'Japanese', title: 'Ari' },
      'series_updated alternate_titles',
    ],
    ['a book', 'PATCH', () => `/books/${bookId}`, { title: 'U', number: 3 }, 'book_updated title number'],
    ['the metadata of a book', 'PUT', () => `/books/${bookId}/metadata`, { summary: 'R' }, 'book_updated metadata'],
    ['a genre of a series', 'POST', () => `/series/${seriesId}/genres`, { name: 'Noir' }, 'series_updated genres'],
    ['a tag of a series', 'POST', () => `/series/${seriesId}/tags`, { name: 'ship' }, 'series_updated tags'],
    [
      'metadata of a series',
      'PUT',
      () => `/series/${seriesId}/metadata`,
      { year: 1998 },
      'series_updated title metadata',
    ],
    ['a library', 'PATCH', () => `/libraries/${libraryId}`, { description: 'D' }, 'library_updated'],
    ['a library, as a whole', 'PUT', () => `/libraries/${libraryId}`, { name: 'Shelves' }, 'library_updated'],
  ];

const changes = (check: Check): void => {
  for (const [what, method, path, body, expected] of CHANGES)
    check(`${method} of ${what}: ${expected}`, async () => {
      await listener.news();
      const { status, json } = await api(method, path(), body);
      assert.ok(status < 300, `${status} ${JSON.stringify(json)}`);
      const heard = await listener.news();
      assert.ok(told(heard).includes(expected), JSON.stringify(told(heard)));
      assert.ok(heard.every(({ data }) => isUuid(data.userId)));
    });
  check('what is taken away from a series', async () => {
    const of = `/series/${seriesId}`;
    const [title] = (await api('GET', `${of}/alternate-titles`)).json.titles;
    const [genre, other] = (await api('GET', `${of}/genres`)).json.genres;
    const [tag] = (await api('GET', `${of}/tags`)).json.tags;
    for (const [method, path, body, expected] of [
      ['PATCH', `${of}/alternate-titles/${title.id}`, { title: 'Ari ari' }, 'alternate_titles'],
      ['DELETE', `${of}/alternate-titles/${title.id}`, undefined, 'alternate_titles'],
      ['DELETE', `${of}/genres/${genre.id}`, undefined, 'genres'],
      ['DELETE', `/genres/${other.id}`, undefined, 'genres'],
      ['DELETE', `${of}/tags/${tag.id}`, undefined, 'tags'],
    ] as const) {
      await listener.news();
      assert.ok((await api(method, path, body)).status < 300, `${method} ${path}`);
      const heard = told(await listener.news());
      assert.ok(heard.includes(`series_updated ${expected}`), `${method} ${path}: ${JSON.stringify(heard)}`);
    }
    await listener.news();
    assert.is((await api('DELETE', `${of}/metadata`)).status, 200);
    const heard = told(await listener.news());
    assert.ok(
      heard.includes('series_updated title metadata metadata_locks alternate_titles genres tags'),
      heard.join(),
    );
  });
  check('lists that somebody makes are told nobody', async () => {
    await listener.news();
    assert.is((await api('POST', '/collections', { name: 'Mine' })).status, 201);
    assert.equal(told(await listener.news()), []);
  });
  check('covers made again by a task', async () => {
    await temp.app.db.write(null, 'interactive', async (tx) => {
      const rows = await tx.all<{ id: number }>('UPDATE book SET cover_due = 1 WHERE analyzed = 1 RETURNING id');
      tx.report({ kind: 'book', change: 'updated', keys: rows.map(({ id }) => id), aspects: 64 });
    });
    temp.app.due.covers.retry();
    await temp.app.due.covers.resume();
    await listener.hears('the cover', ({ data }) => data.type === 'cover_updated' && data.entityId === bookId);
  });
  const madeBy = async (path: string, force: boolean): Promise<readonly string[]> => {
    await coversMade(temp);
    await until('the tasks end', () => !temp.app.tasks.isBusy);
    await listener.news();
    const { taskId } = (await api('POST', path, { force })).json;
    await until('it ends', async () => (await api('GET', `/tasks/${taskId}`)).json.status === 'completed');
    const heard = (await listener.news()).filter(({ data }) => data.type === 'cover_updated');
    return heard.map(({ data }) => `${data.entityType} ${data.entityId} ${data.userId ?? 'by nobody'}`).sort();
  };
  check('covers that somebody wants again: each that was made, and none that was there', async () => {
    assert.equal(await madeBy(`/books/${bookId}/thumbnail/generate`, false), []);
    assert.equal(await madeBy(`/books/${bookId}/thumbnail/generate`, true), [`book ${bookId} by nobody`]);
    const all = await madeBy(`/libraries/${libraryId}/books/thumbnails/generate`, true);
    assert.is(all.length, 2, 'the books that can be read');
    assert.equal(await madeBy(`/series/${seriesId}/thumbnail/generate`, false), []);
    const [ofBook, ...ofSeries] = await madeBy(`/series/${seriesId}/thumbnail/generate`, true);
    assert.match(ofBook ?? '', /^book /, 'of the one that stands for the series');
    assert.equal(ofSeries, [`series ${seriesId} by nobody`]);
  });
};

const removals = (check: Check): void => {
  check('a book that moves to another series is told with the series it is in now', async () => {
    writeBook(join(temp.shelf, 'Bees', 'Bees 1.cbz'), 2, 'b1');
    await scan();
    await listener.news();
    renameSync(join(temp.shelf, 'Bees', 'Bees 1.cbz'), join(temp.shelf, 'Ants', 'Bees 1.cbz'));
    await scan();
    const heard = await listener.news();
    const { json } = await api('GET', '/books?pageSize=10');
    const moved = json.data.find(({ path }: { path: string }) => path.endsWith('Ants/Bees 1.cbz'));
    assert.ok(heard.some(({ data }) => data.bookId === moved.id && data.seriesId === seriesId));
    // The row under which a scan knew the new path, until it recognised the file.
    const idsOf = (type: string): string[] =>
      heard.filter(({ data }) => data.type === type).map(({ data }) => data.bookId);
    assert.equal(
      idsOf('book_created')
        .filter((id) => id !== moved.id)
        .sort(),
      idsOf('book_deleted').sort(),
    );
  });
  check('a library that is deleted is told once, and nothing of what was in it', async () => {
    await listener.news();
    assert.is((await api('DELETE', `/libraries/${libraryId}`)).status, 204);
    await until('its rows are gone', async () => (await temp.app.db.all('SELECT 1 FROM library')).length === 0);
    const heard = await listener.news();
    assert.equal(told(heard), ['library_deleted']);
    assert.is(heard[0]?.data.libraryId, libraryId);
  });
};

block(
  'events of operations',
  (check) => {
    for (const part of [scans, changes, removals]) part(check);
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      listener = await follow(temp, token);
    },
    after: async () => {
      await listener.close();
      assert.equal(temp.faults, []);
      await temp.close();
    },
  },
);
