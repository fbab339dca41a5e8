// Metadata, covers and folders by the comic-server API, as its apps for administrators send them.
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { SYSTEM } from '../../core/store/feed.js';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { formOf, image } from '../form.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
let book = '';
let series = '';

const compact = (uuid: string): string => uuid.replaceAll('-', '');
const ask = (method: string, path: string, body?: object, who = people.admin): Promise<Answer> =>
  people.temp.call(method, `/komga/api/v1${path}`, { token: who.token, ...(body === undefined ? {} : { body }) });
const metadataOf = async (path: string) => (await ask('GET', path)).json.metadata;

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  const facts =
    '<ComicInfo><Writer>Ann</Writer><Summary>From the file</Summary><Web>https://ants.example/file</Web></ComicInfo>';
  writeBook(join(temp.shelf, 'Ants', 'Ants 1.cbz'), 2, 'a', [{ name: 'ComicInfo.xml', bytes: Buffer.from(facts) }]);
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  await people.ask(admin.token, 'POST', '/libraries', { body });
  await until('the book is there', async () => {
    const [first] = (await people.ask(admin.token, 'GET', '/books')).json.data;
    [book, series] = [compact(first?.id ?? ''), compact(first?.seriesId ?? '')];
    return temp.app.scans.active().length === 0 && first?.analyzed === true;
  });
  ann = await people.join('ann');
};

const ofMetadata = (check: Check): void => {
  check('metadata that cannot be are refused, and nothing is stored', async () => {
    for (const body of [
      { releaseDate: '2026-02-30' },
      { releaseDate: 'x' },
      { authors: [{ name: 'Bo', role: 'reader' }] },
      { isbn: '123' },
      { titleLock: 'yes' },
      { tags: 'fog' },
    ])
      assert.is((await ask('PATCH', `/books/${book}/metadata`, body)).status, 400, JSON.stringify(body));
    for (const body of [{ status: 'GONE' }, { readingDirection: 'UP' }, { ageRating: -1 }, { language: '12' }])
      assert.is((await ask('PATCH', `/series/${series}/metadata`, body)).status, 400, JSON.stringify(body));
    assert.is((await ask('PATCH', `/books/${book}/metadata`, { title: 'No' }, ann)).status, 403);
    const unknown = '01890000000070008000000000000000';
    for (const path of ['books', 'series'])
      assert.is((await ask('PATCH', `/${path}/${unknown}/metadata`, {})).status, 404);
    assert.is((await metadataOf(`/books/${book}`)).titleLock, false);
  });
  check('a value of a book locks its field, a lock alone keeps its value, and what is not named stays', async () => {
    const change = {
      title: 'Other',
      releaseDate: '1999-03-02',
      authors: [
        { name: 'Bo', role: 'writer' },
        { name: 'Cy', role: 'cover' },
      ],
      tags: ['fog'],
      summaryLock: true,
    };
    const { status, bytes } = await ask('PATCH', `/books/${book}/metadata`, change);
    assert.equal([status, bytes.length], [204, 0]);
    const shown = await metadataOf(`/books/${book}`);
    const { title, titleLock, releaseDate, releaseDateLock, tags, summary, summaryLock, numberLock } = shown;
    assert.equal([title, titleLock, releaseDate, releaseDateLock, tags], ['Other', true, '1999-03-02', true, ['fog']]);
    assert.equal([summary, summaryLock, numberLock], ['From the file', true, false]);
    assert.equal(shown.authors, change.authors);
    await ask('PATCH', `/books/${book}/metadata`, { authors: null, authorsLock: false, releaseDate: null });
    const after = await metadataOf(`/books/${book}`);
    assert.equal([after.releaseDate, after.authorsLock, after.title], [null, false, 'Other']);
  });
  check('a series takes words of this API, genres and other titles', async () => {
    const change = {
      status: 'HIATUS',
      readingDirection: 'RIGHT_TO_LEFT',
      publisher: 'House',
      ageRating: 12,
      genres: ['Noir'],
      alternateTitles: [{ label: 'ja', title: '蟻' }],
      totalBookCount: 7,
      publisherLock: false,
    };
    assert.is((await ask('PATCH', `/series/${series}/metadata`, change)).status, 204);
    const { publisher, publisherLock, statusLock, ...shown } = await metadataOf(`/series/${series}`);
    for (const [field, value] of Object.entries(change).slice(0, 2)) assert.is(shown[field], value);
    assert.equal([shown.ageRating, shown.genres, shown.totalBookCount], [12, ['Noir'], 7]);
    assert.equal(shown.alternateTitles, change.alternateTitles);
    assert.equal([publisher, publisherLock, statusLock], ['', false, true]);
    await ask('PATCH', `/series/${series}/metadata`, { alternateTitles: [], status: null });
    const after = await metadataOf(`/series/${series}`);
    assert.equal([after.alternateTitles, after.status, after.genres], [[], 'ONGOING', ['Noir']]);
  });
  check('a change of many things is one transaction, and one that is refused in part changes nothing', async () => {
    const { feed } = people.temp.app.db;
    const sequence = feed.sequence;
    const change = {
      title: 'Ants!',
      genres: ['Noir'],
      tags: ['red'],
      alternateTitles: [],
      links: [],
      titleLock: false,
    };
    assert.is((await ask('PATCH', `/series/${series}/metadata`, change)).status, 204);
    assert.is(
      (await ask('PATCH', `/books/${book}/metadata`, { title: 'One', tags: ['x'], tagsLock: false })).status,
      204,
    );
    // Covers and searches may be written meanwhile, by the server itself.
    assert.is(feed.since(sequence)?.filter(({ by }) => by !== SYSTEM).length, 2);
    const half = { title: 'Half', tags: ['half'], alternateTitles: [{ label: '', title: 'No label' }] };
    assert.is((await ask('PATCH', `/series/${series}/metadata`, half)).status, 400);
    const { title, tags } = await metadataOf(`/series/${series}`);
    assert.equal([title, tags.includes('half')], ['Ants!', false]);
  });
  check('links of a series are replaced and locked, and those of its files return when they are unlocked', async () => {
    const path = `/series/${series}/metadata`;
    const linksOf = async () => {
      const { links, linksLock } = await metadataOf(`/series/${series}`);
      return [links, linksLock];
    };
    const ofFile = [[{ label: 'comicinfo', url: 'https://ants.example/file' }], false];
    assert.is((await ask('PATCH', path, { linksLock: false })).status, 204);
    assert.equal(await linksOf(), ofFile);
    for (const url of ['javascript:alert(1)', 'ants', `https://ants.example/${'x'.repeat(5000)}`])
      assert.is((await ask('PATCH', path, { links: [{ label: 'bad', url }] })).status, 400, url.slice(0, 30));
    const links = [{ label: 'Home', url: 'https://ants.example/home' }];
    assert.is((await ask('PATCH', path, { links })).status, 204);
    assert.equal(await linksOf(), [links, true]);
    const { seriesId } = (await people.ask(people.admin.token, 'GET', '/books')).json.data[0];
    const full = await people.ask(people.admin.token, 'GET', `/series/${seriesId}?full=true`);
    assert.is(full.json.externalLinks[0].url, links[0]?.url);
    await ask('PATCH', `/books/${book}/metadata`, { summary: 'The series is settled again' });
    assert.equal(await linksOf(), [links, true]);
    assert.is((await ask('PATCH', path, { linksLock: false })).status, 204);
    assert.equal(await linksOf(), ofFile);
  });
};

const ofCovers = (check: Check): void => {
  const send = async (path: string, fields: Readonly<Record<string, string>>, who = people.admin): Promise<Answer> =>
    people.temp.call('POST', `/komga/api/v1${path}/thumbnails`, {
      token: who.token,
      body: await formOf({ ...fields, file: image('png-palette-alpha.png') }),
    });
  const shownAt = async (path: string): Promise<[string, boolean][]> =>
    (await ask('GET', `${path}/thumbnails`)).json
      .filter(({ type }: { type: string }) => type === 'USER_UPLOADED')
      .map(({ id, selected }: { id: string; selected: boolean }) => [id, selected]);
  check('covers are uploaded, listed, shown, chosen and deleted, for all that has them', async () => {
    const collection = (await ask('POST', '/collections', { name: 'All', seriesIds: [series] })).json.id;
    const list = (await ask('POST', '/readlists', { name: 'All', bookIds: [book] })).json.id;
    for (const [path, field, owner] of [
      [`/books/${book}`, 'bookId', book],
      [`/series/${series}`, 'seriesId', series],
      [`/collections/${collection}`, 'collectionId', collection],
      [`/readlists/${list}`, 'readListId', list],
    ] as const) {
      assert.equal(await shownAt(path), []);
      assert.is((await send(path, {}, ann)).status, 403, path);
      const first = (await send(path, {})).json;
      assert.equal([first[field], first.selected, first.type], [owner, true, 'USER_UPLOADED'], path);
      const second = (await send(path, { selected: 'false' })).json;
      assert.equal(
        await shownAt(path),
        [
          [first.id, true],
          [second.id, false],
        ],
        path,
      );
      const picture = await ask('GET', `${path}/thumbnails/${second.id}`);
      assert.equal([picture.status, picture.bytes.length], [200, second.fileSize], path);
      assert.is((await ask('PUT', `${path}/thumbnails/${second.id}/selected`)).status, 202);
      assert.equal(
        await shownAt(path),
        [
          [first.id, false],
          [second.id, true],
        ],
        path,
      );
      assert.is((await ask('DELETE', `${path}/thumbnails/${first.id}`)).status, 202);
      assert.is((await ask('DELETE', `${path}/thumbnails/${first.id}`)).status, 404);
      assert.equal(await shownAt(path), [[second.id, true]], path);
    }
  });
};

const generated = (check: Check): void => {
  check(
    'the cover from the file of a book is listed with those that were uploaded, and is chosen and shown like them',
    async () => {
      const path = `/books/${book}/thumbnails`;
      const listed = async () =>
        (await ask('GET', path)).json.find(({ type }: { type: string }) => type === 'GENERATED');
      for (const { id } of (await ask('GET', path)).json) if (id !== book) await ask('DELETE', `${path}/${id}`);
      const shown = await ask('GET', `/books/${book}/thumbnail`);
      const { width, height } = imageSize(shown.bytes);
      const fields = { id: book, bookId: book, type: 'GENERATED', mediaType: 'image/jpeg', width, height };
      assert.equal(await listed(), { ...fields, fileSize: shown.bytes.length, selected: true });
      const body = await formOf({ file: image('png-palette-alpha.png') });
      const upload = await people.temp.call('POST', `/komga/api/v1${path}`, { token: people.admin.token, body });
      assert.is(upload.status, 200);
      assert.equal(await listed(), { ...fields, fileSize: shown.bytes.length, selected: false });
      assert.ok((await ask('GET', `${path}/${book}`)).bytes.equals(shown.bytes), 'the image of that cover');
      assert.not.ok((await ask('GET', `/books/${book}/thumbnail`)).bytes.equals(shown.bytes));
      assert.is((await ask('DELETE', `${path}/${book}`)).status, 400);
      assert.is((await ask('PUT', `${path}/${book}/selected`)).status, 202);
      assert.is((await listed()).selected, true);
      assert.ok((await ask('GET', `/books/${book}/thumbnail`)).bytes.equals(shown.bytes));
      assert.equal(
        (await ask('GET', `/series/${series}/thumbnails`)).json.filter(
          ({ type }: { type: string }) => type === 'GENERATED',
        ),
        [],
      );
    },
  );
};

const ofFolders = (check: Check): void => {
  check('folders are listed for administrators, files when they are asked for', async () => {
    assert.is((await ask('POST', '/filesystem', {}, ann)).status, 403);
    assert.is((await ask('POST', '/filesystem', { path: 'shelf' })).status, 400);
    const { shelf } = people.temp;
    const { parent, directories, files } = (await ask('POST', '/filesystem', { path: shelf })).json;
    assert.equal(
      [parent, directories, files],
      [join(shelf, '..'), [{ type: 'directory', name: 'Ants', path: join(shelf, 'Ants') }], []],
    );
    const inside = (await ask('POST', '/filesystem', { path: join(shelf, 'Ants'), showFiles: true })).json;
    assert.equal(inside.files, [{ type: 'file', name: 'Ants 1.cbz', path: join(shelf, 'Ants', 'Ants 1.cbz') }]);
    const places = (await ask('POST', '/filesystem', { path: '' })).json;
    assert.ok(places.directories.some(({ path }: { path: string }) => path === '/'));
  });
};

const ofUsers = (check: Check): void => {
  const users = (method: string, path = '', body?: object, who = people.admin): Promise<Answer> =>
    people.temp.call(method, `/komga/api/v2/users${path}`, {
      token: who.token,
      ...(body === undefined ? {} : { body }),
    });
  const shownOf = async (email: string) =>
    (await users('GET')).json.find((user: { email: string }) => user.email === email);
  const email = 'bo@example.org';
  const password = 'gulls over the pier 4';
  check('users are made, limited, promoted and deleted by administrators', async () => {
    assert.is((await users('GET', '', undefined, ann)).status, 403);
    for (const bad of [{ email }, { email: 'bo', password }, { email, password, roles: 'ADMIN' }])
      assert.is((await users('POST', '', bad)).status, 400, JSON.stringify(bad));
    const restriction = { age: 16, restriction: 'EXCLUDE' };
    const sent = { email, password, roles: ['USER'], sharedLibraries: { all: false, libraryIds: [] } };
    const made = await users('POST', '', { ...sent, ageRestriction: restriction });
    assert.is(made.status, 201);
    assert.equal(await shownOf(email), made.json);
    const { id, roles, sharedAllLibraries, ageRestriction } = made.json;
    assert.equal([roles.includes('ADMIN'), sharedAllLibraries, ageRestriction], [false, false, restriction]);
    const change = { roles: ['ADMIN'], sharedLibraries: { all: true }, ageRestriction: null };
    assert.is((await users('PATCH', `/${id}`, change)).status, 204);
    const after = await shownOf(email);
    assert.equal([after.roles[0], after.sharedAllLibraries, after.ageRestriction], ['ADMIN', true, null]);
    assert.is((await users('PATCH', `/${id}`, { ageRestriction: { age: 0, restriction: 'EXCLUDE' } })).status, 400);
    assert.is((await users('PATCH', `/${id}`, { roles: [] })).status, 204);
    assert.is((await shownOf(email)).roles.includes('ADMIN'), false);
    assert.is((await users('PATCH', `/${id}/password`, { password: 'another way to say it 5' })).status, 204);
    assert.is((await people.signIn(email, password)).status, 401);
    assert.is((await people.signIn(email, 'another way to say it 5')).status, 200);
    assert.is((await users('DELETE', `/${id}`)).status, 204);
    assert.is(await shownOf(email), undefined);
    assert.is((await users('DELETE', `/${id}`)).status, 404);
  });
  check('whoever is a maintainer stays one', async () => {
    const keeper = await people.join('keeper', 'maintainer');
    assert.is((await users('PATCH', `/${compact(keeper.id)}`, { roles: ['USER'] })).status, 204);
    assert.is((await people.ask(people.admin.token, 'GET', `/users/${keeper.id}`)).json.role, 'maintainer');
  });
};

block(
  'administration by the comic-server API',
  (check) => {
    ofMetadata(check);
    ofCovers(check);
    generated(check);
    ofFolders(check);
    ofUsers(check);
  },
  { before: stock, after: () => people.temp.close() },
);
