// Metadata over HTTP: bad input first, then the records as the contract shows them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BOOK_LOCK_NAMES } from '../../http/api/schemas/book-metadata.js';
import { type Answer, BY_FILE_NAMES, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
let book = '';
let series = '';

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const COMIC_INFO =
  '<?xml version="1.0"?><ComicInfo><Title>One</Title><Series>Tales</Series><Number>3</Number><Volume>2</Volume><Summary>It begins.</Summary></ComicInfo>';

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  mkdirSync(join(temp.shelf, 'Tales'), { recursive: true });
  const extra = [{ name: 'ComicInfo.xml', bytes: Buffer.from(COMIC_INFO) }];
  writeBook(join(temp.shelf, 'Tales', 'tale 1.cbz'), 2, 'one', extra);
  writeBook(join(temp.shelf, 'Tales', 'tale 2.cbz'), 2, 'two');
  await api('POST', '/libraries', {
    body: { name: 'Shelf', path: temp.shelf, scanImmediately: true, ...BY_FILE_NAMES },
  });
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
  const { data } = (await api('GET', '/books?sort=title')).json;
  book = data[0].id;
  series = data[0].seriesId;
};

const bookFaults: readonly (readonly [body: unknown, at: string])[] = [
  [{ month: 0 }, 'month'],
  [{ month: 13 }, 'month'],
  [{ month: 1.5 }, 'month'],
  [{ month: '3' }, 'month'],
  [{ day: 0 }, 'day'],
  [{ day: 32 }, 'day'],
  [{ year: 2021, month: 2, day: 31 }, 'day'],
  [{ year: 2021, month: 2, day: 29 }, 'day'],
  [{ month: 4, day: 31 }, 'day'],
  [{ month: 2, day: 30 }, 'day'],
  [{ year: 0 }, 'year'],
  [{ year: 10_000 }, 'year'],
  [{ volume: -1 }, 'volume'],
  [{ volume: 2 ** 31 }, 'volume'],
  [{ chapter: 'one' }, 'chapter'],
  [{ bookType: 'scroll' }, 'bookType'],
  [{ manga: 'yes' }, 'manga'],
  [{ title: 7 }, 'title'],
  [{ title: 'x'.repeat(501) }, 'title'],
  [{ summary: 'x'.repeat(20_001) }, 'summary'],
  [{ authors: Array.from({ length: 501 }, (_, n) => ({ name: `N${n}`, role: 'writer' })) }, 'authors'],
  [{ subjects: ['x'.repeat(501)] }, 'subjects[0]'],
  [{ title: 'T', customMetadata: { note: 'x'.repeat(65_536) } }, 'customMetadata'],
  [{ writer: ['Ann'] }, 'writer'],
  [{ subjects: 'one' }, 'subjects'],
  [{ authors: [{ name: 'Ann', role: 'reader' }] }, 'authors[0].role'],
  [{ authors: [{ role: 'writer' }] }, 'authors[0].name'],
  [{ authors: [{ name: ' ', role: 'writer' }] }, 'authors[0].name'],
  [{ awards: [{ name: 'Prize' }] }, 'awards[0].won'],
  [{ customMetadata: 'text' }, 'customMetadata'],
];

const seriesFaults: readonly (readonly [body: unknown, at: string])[] = [
  [{ status: 'paused' }, 'status'],
  [{ readingDirection: 'up' }, 'readingDirection'],
  [{ ageRating: -1 }, 'ageRating'],
  [{ ageRating: 121 }, 'ageRating'],
  [{ year: 'MCMXC' }, 'year'],
  [{ totalVolumeCount: 1.5 }, 'totalVolumeCount'],
  [{ totalChapterCount: -0.5 }, 'totalChapterCount'],
  [{ authors: {} }, 'authors'],
  [{ title: false }, 'title'],
];

const refused = async (method: string, path: string, body: unknown, at: string): Promise<void> => {
  const answer = await api(method, path, { body });
  const paths: string[] = (answer.json.details ?? []).map((one: { path: string }) => one.path);
  assert.equal([answer.status, paths.includes(at)], [400, true], `${JSON.stringify(body).slice(0, 80)}: ${paths}`);
};

const badInput = (check: Check): void => {
  for (const [body, at] of bookFaults) {
    check(`a book with ${JSON.stringify(body).slice(0, 60)} is 400 at ${at}`, async () => {
      for (const method of ['PUT', 'PATCH']) await refused(method, `/books/${book}/metadata`, body, at);
    });
  }
  for (const [body, at] of seriesFaults) {
    check(`a series with ${JSON.stringify(body).slice(0, 60)} is 400 at ${at}`, async () => {
      for (const method of ['PUT', 'PATCH']) await refused(method, `/series/${series}/metadata`, body, at);
    });
  }
  check('locks that are not flags, invalid term names, and missing ones are 400', async () => {
    await refused('PUT', `/books/${book}/metadata/locks`, { titleLock: 'yes' }, 'titleLock');
    await refused('PUT', `/series/${series}/metadata/locks`, { title: 1 }, 'title');
    await refused('PATCH', `/books/${book}`, { number: 'one' }, 'number');
    for (const owner of [`/books/${book}`, `/series/${series}`]) {
      await refused('POST', `${owner}/genres`, {}, 'name');
      await refused('POST', `${owner}/tags`, { name: '  ' }, 'name');
      await refused('PUT', `${owner}/genres`, { tags: ['x'] }, 'genres');
      await refused('PUT', `${owner}/tags`, { tags: ['x', ''] }, 'tags[1]');
      await refused('PUT', `${owner}/tags`, { tags: ['x'.repeat(201)] }, 'tags[0]');
    }
  });
  check('a message says what was expected', async () => {
    const { json } = await api('PATCH', `/books/${book}/metadata`, { body: { month: 13, bookType: 'scroll' } });
    assert.match(json.message, /month must be a whole number from 1 to 12, or null/);
    assert.match(json.message, /bookType must be one of comic, manga/);
  });
  check('a field the contract does not let anyone set is ignored', async () => {
    const body = { pageCount: 'junk', id: 'x', nonsense: [] };
    assert.equal((await api('PATCH', `/books/${book}/metadata`, { body })).json.pageCount, null);
  });
  check('none of that changed anything', async () => {
    assert.is((await api('GET', `/books/${book}`)).json.metadata.title, 'One');
    assert.equal(Object.values((await api('GET', `/books/${book}/metadata/locks`)).json).includes(true), false);
  });
};

/** BookMetadataDto, as the contract lists it, and what files say of the story. */
const FIELDS =
  'id bookId title subtitle series originalTitle summary publisher imprint genre edition formatDetail number isbns languageIso translator bookType authors awards writers pencillers inkers colorists letterers coverArtists editors subjects blackAndWhite manga chapter count seriesTotal pageCount volume originalYear seriesPosition year month day releaseDate customMetadata storyArcs characters teams locations ageRating links';

const books = (check: Check): void => {
  check('the record has every field and no other, nulls included; an unknown book type is omitted', async () => {
    await api('PATCH', `/books/${book}/metadata`, { body: { bookType: 'comic' } });
    const { metadata } = (await api('GET', `/books/${book}`)).json;
    assert.equal(Object.keys(metadata).sort(), FIELDS.split(' ').sort());
    await api('PATCH', `/books/${book}/metadata`, { body: { bookType: null } });
    assert.is('bookType' in (await api('GET', `/books/${book}`)).json.metadata, false);
    await api('PUT', `/books/${book}/metadata/locks`, { body: { bookTypeLock: false } });
    assert.equal(
      [metadata.bookId, metadata.title, metadata.number, metadata.volume, metadata.summary, metadata.publisher],
      [book, 'One', '3', 2, 'It begins.', null],
    );
    assert.equal([metadata.authors, metadata.writers, metadata.subjects], [[], [], null]);
  });
  check('a change sets, keeps and clears, and locks only what it set', async () => {
    const authors = [
      { name: 'Ann', role: 'writer', sortName: 'A' },
      { name: 'Eve', role: 'cover_artist' },
    ];
    const body = {
      authors,
      subtitle: '  Part I ',
      year: 2001,
      month: 2,
      day: 28,
      customMetadata: { a: [1] },
      isbns: null,
    };
    const { json } = await api('PATCH', `/books/${book}/metadata`, { body });
    assert.equal(
      [json.title, json.subtitle, json.writers, json.coverArtists, json.releaseDate, json.customMetadata],
      ['One', 'Part I', ['Ann'], ['Eve'], '2001-02-28T00:00:00.000Z', { a: [1] }],
    );
    const roles = { writer: 'Bob, Cy', coverArtist: null, subtitle: ' ' };
    const after = (await api('PATCH', `/books/${book}/metadata`, { body: roles })).json;
    assert.equal(
      after.authors,
      ['Bob', 'Cy'].map((name) => ({ name, role: 'writer', sortName: null })),
    );
    assert.equal([after.subtitle, after.year], [null, 2001]);
    const { json: locks } = await api('GET', `/books/${book}/metadata/locks`);
    assert.equal(Object.keys(locks).sort(), [...BOOK_LOCK_NAMES.keys()].sort());
    const locked = Object.keys(locks).filter((name) => locks[name]);
    const wanted = [
      'authorsJsonLock',
      'customMetadataLock',
      'dayLock',
      'monthLock',
      'subtitleLock',
      'writerLock',
      'yearLock',
    ];
    assert.equal(locked.sort(), wanted);
  });
  check('title and number of a book, and back to its file name', async () => {
    const { json } = await api('PATCH', `/books/${book}`, { body: { title: 'Renamed', number: 0.5 } });
    assert.equal([json.id, json.title, json.number], [book, 'Renamed', 0.5]);
    const seen = (await api('GET', `/books/${book}`)).json;
    assert.equal([seen.title, seen.number, seen.metadata.number], ['Renamed', 0, '0.5']);
    await api('PATCH', `/books/${book}`, { body: { title: null } });
    assert.is((await api('GET', `/books/${book}`)).json.title, 'tale 1');
  });
  check('a number that was cleared returns when it is unlocked', async () => {
    await api('PATCH', `/books/${book}/metadata`, { body: { number: '7' } });
    await api('PATCH', `/books/${book}/metadata`, { body: { number: null } });
    assert.is((await api('GET', `/books/${book}`)).json.number, null);
    await api('PUT', `/books/${book}/metadata/locks`, { body: { numberLock: false } });
    assert.is((await api('GET', `/books/${book}`)).json.number, 1);
    await api('POST', `/books/${book}/analyze`);
    await until('the file is read again', async () => {
      const { number, metadata } = (await api('GET', `/books/${book}`)).json;
      return number === 1 && metadata.number === '3';
    });
  });
  check('the full record is the same at both addresses, with locks and terms', async () => {
    await api('PUT', `/books/${book}/tags`, { body: { tags: ['b', 'a', 'B'] } });
    const full = (await api('GET', `/books/${book}?full=true`)).json;
    assert.equal(full, (await api('GET', `/books/${book}/full`)).json);
    assert.equal(
      [full.metadata.writer, full.metadata.locks.tagsLock, full.tags.map((tag: { name: string }) => tag.name)],
      ['Bob, Cy', true, ['a', 'b']],
    );
    assert.equal([full.readCount, full.lastCompletedAt, 'chapter' in full], [0, null, false]);
  });
  check('a day that does not exist is refused, whatever part of it is sent', async () => {
    const patch = async (body: unknown): Promise<unknown> => {
      const answer = await api('PATCH', `/books/${book}/metadata`, { body });
      assert.ok(answer.status < 300, `${JSON.stringify(body)}: ${answer.status}`);
      return answer.json.releaseDate;
    };
    await patch({ year: 2021, month: 1, day: 31 });
    await refused('PATCH', `/books/${book}/metadata`, { month: 2 }, 'month');
    await refused('PATCH', `/books/${book}/metadata`, { month: 2, day: 29 }, 'day');
    assert.is(await patch({ imprint: null }), '2021-01-31T00:00:00.000Z');
    assert.is(await patch({ month: 2, day: null }), '2021-02-01T00:00:00.000Z');
    await refused('PATCH', `/books/${book}/metadata`, { day: 29 }, 'day');
    await patch({ year: 2024, day: 29 });
    await refused('PATCH', `/books/${book}/metadata`, { year: 2023 }, 'year');
    assert.is(await patch({ year: null, month: null, day: null }), null);
  });
};

const ofSeries = (check: Check): void => {
  check('a series shows its metadata, keeps what is not named, and sorts by its own sort title', async () => {
    const body = { summary: 'About tales.', publisher: 'House', year: 1990, titleSort: 'Zz', status: 'ongoing' };
    const set = (await api('PATCH', `/series/${series}/metadata`, { body })).json;
    assert.equal([set.id, set.title, set.titleSort, set.status], [series, 'Tales', 'Zz', 'ongoing']);
    assert.equal(
      Object.keys(set.locks).filter((name) => set.locks[name]),
      ['titleSort', 'summary', 'publisher', 'status', 'year'],
    );
    const seen = (await api('GET', `/series/${series}`)).json;
    assert.equal(
      [seen.summary, seen.publisher, seen.year, seen.titleSort, seen.metadata.status],
      ['About tales.', 'House', 1990, 'Zz', 'ongoing'],
    );
    const full = (await api('GET', `/series/${series}?full=true`)).json;
    assert.equal(full, (await api('GET', `/series/${series}/full`)).json);
    assert.equal([full.metadata.publisher, full.genres, full.alternateTitles, full.readCount], ['House', [], [], 0]);
  });
  check('genres: replaced, added in any case once, removed, and 404 when absent', async () => {
    const at = `/series/${series}/genres`;
    const names = (answer: Answer): string[] => answer.json.genres.map((one: { name: string }) => one.name);
    assert.equal(names(await api('PUT', at, { body: { genres: [' Science  Fiction ', 'Drama'] } })), [
      'Drama',
      'Science Fiction',
    ]);
    const added = await api('POST', at, { body: { genre: 'DRAMA' } });
    assert.equal([added.status, added.json.name], [200, 'Drama']);
    assert.equal(names(await api('GET', at)), ['Drama', 'Science Fiction']);
    const { id } = added.json;
    assert.is((await api('GET', '/genres')).json.data[0].seriesCount, 1);
    assert.is((await api('DELETE', `/books/${book}/genres/${id}`)).status, 404);
    assert.equal(
      [(await api('DELETE', `${at}/${id}`)).status, (await api('DELETE', `${at}/${id}`)).status],
      [204, 404],
    );
    assert.equal(names(await api('GET', at)), ['Science Fiction']);
    assert.equal((await api('POST', '/genres/cleanup')).json, { deletedCount: 1, deletedNames: ['Drama'] });
    assert.equal(
      [(await api('GET', '/genres?pageSize=1&page=2')).json.data, (await api('GET', '/genres')).json.total],
      [[], 1],
    );
  });
  check('a reader can read metadata but not change it', async () => {
    const reader = await temp.tokenOf('reader');
    assert.is((await api('GET', `/series/${series}/metadata`, { token: reader })).status, 200);
    assert.is((await api('DELETE', `/series/${series}/metadata`, { token: reader })).status, 403);
    assert.is((await api('DELETE', `/series/${series}/metadata`)).json.summary, null);
    assert.equal(temp.faults, []);
  });
};

block(
  'metadata over HTTP',
  (check) => {
    for (const part of [badInput, books, ofSeries]) part(check);
  },
  { before: stock, after: () => temp.close() },
);
