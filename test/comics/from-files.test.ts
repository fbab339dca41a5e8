// What files say and apps change, in the comic-server API: the links of a book, and how many books a series will have.
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;
let libraryId = '';
let book = '';

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/komga/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
const rows = async (path: string): Promise<any[]> => {
  const { status, json, bytes } = await ask('GET', path);
  assert.is(status, 200, `${path}: ${bytes.toString().slice(0, 300)}`);
  return json.content;
};

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];
const at = (...parts: string[]): string => join(temp.shelf, ...parts);

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  const web = '<Web>https://ants.example/1, https://www.list.example/2</Web>';
  writeBook(at('Ants', 'Ants 1.cbz'), 2, 'a', info(`<Summary>first</Summary><Count>2</Count>${web}`));
  writeBook(at('Ants', 'Ants 2.cbz'), 2, 'b', info('<Count>2</Count>'));
  writeBook(at('Bees', 'Bees 1.cbz'), 2, 'c', info('<Count>3</Count><Manga>No</Manga>'));
  writeBook(at('Cats', 'Cats 1.cbz'), 2, 'd', info('<Count>-1</Count><Manga>Unknown</Manga>'));
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  const { json } = await temp.call('POST', '/api/v1/libraries', { token, body });
  libraryId = json.id;
  await until('all is analysed', async () => {
    const all = await rows('/books?size=50');
    const active = await temp.call('GET', '/api/v1/scans/active', { token });
    return active.json.length === 0 && all.length === 4 && all.every(({ media }) => media.status === 'READY');
  });
  book = (await rows('/books')).find(({ name }) => name === 'Ants 1').id;
};

const shown = async () => {
  const { links, linksLock } = (await ask('GET', `/books/${book}`)).json.metadata;
  return [links, linksLock];
};

const patch = async (body: object, status = 204): Promise<void> => {
  const answer = await ask('PATCH', `/books/${book}/metadata`, body);
  assert.is(answer.status, status, answer.bytes.toString().slice(0, 300));
};

/** The file changes, and is read again. */
const rewrite = async (summary: string, web: string): Promise<void> => {
  temp.advance(60_000);
  writeBook(
    at('Ants', 'Ants 1.cbz'),
    3,
    summary,
    info(`<Summary>${summary}</Summary><Count>2</Count><Web>${web}</Web>`),
  );
  assert.is((await temp.call('POST', `/api/v1/libraries/${libraryId}/scan`, { token })).status, 200);
  await until('the file was read again', async () => {
    const active = await temp.call('GET', '/api/v1/scans/active', { token });
    const { metadata } = (await ask('GET', `/books/${book}`)).json;
    return active.json.length === 0 && metadata.summary === summary;
  });
};

const ofFile = (label: string, url: string) => [[{ label, url }], false];

const links = (check: Check): void => {
  check('links of a book are those of its file, named by their hosts, until somebody sets them', async () => {
    const found = [
      { label: 'ants.example', url: 'https://ants.example/1' },
      { label: 'list.example', url: 'https://www.list.example/2' },
    ];
    assert.equal(await shown(), [found, false]);
    await rewrite('second', 'https://ants.example/second');
    assert.equal(await shown(), ofFile('ants.example', 'https://ants.example/second'));
  });
  check('what is no link is refused, and nothing changes', async () => {
    for (const url of ['javascript:alert(1)', 'ants', '', `https://ants.example/${'x'.repeat(5000)}`])
      await patch({ title: 'No', links: [{ label: 'bad', url }] }, 400);
    for (const bad of [[{ url: 'https://ants.example/' }], [{ label: 'a' }], 'https://ants.example/', [null]])
      await patch({ links: bad }, 400);
    await patch({ links: Array.from({ length: 101 }, () => ({ label: 'a', url: 'https://ants.example/' })) }, 400);
    assert.equal(await shown(), ofFile('ants.example', 'https://ants.example/second'));
  });
  const LINKS = [
    { label: 'Home', url: 'https://ants.example/home' },
    { label: '漫画', url: 'http://list.example/1?a=1&b=2' },
  ];
  check('links that somebody set are shown with their labels, and stay when the file changes', async () => {
    await patch({ links: LINKS, linksLock: true });
    assert.equal(await shown(), [LINKS, true]);
    await rewrite('third', 'https://ants.example/third');
    assert.equal(await shown(), [LINKS, true]);
    const native = await temp.call('GET', `/api/v1/books/${uuidOfHex(book)}?full=true`, { token });
    assert.equal(
      native.json.metadata.links.map(({ url }: { url: string }) => url),
      LINKS.map(({ url }) => url),
    );
  });
  check('a value locks without its lock being sent, and a lock alone keeps what is shown', async () => {
    await patch({ linksLock: false });
    assert.equal(await shown(), ofFile('ants.example', 'https://ants.example/third'));
    await patch({ links: LINKS });
    assert.equal(await shown(), [LINKS, true]);
    await patch({ linksLock: false });
    await patch({ linksLock: true });
    assert.equal(
      (await shown())[0].map(({ url }: { url: string }) => url),
      ['https://ants.example/third'],
    );
    await rewrite('fourth', 'https://ants.example/fourth');
    assert.equal(
      (await shown())[0].map(({ url }: { url: string }) => url),
      ['https://ants.example/third'],
    );
  });
  check('links are emptied, and those of the file return when they are unlocked', async () => {
    await patch({ links: [] });
    assert.equal(await shown(), [[], true]);
    await patch({ links: [], linksLock: false });
    assert.equal(await shown(), ofFile('ants.example', 'https://ants.example/fourth'));
    await patch({ links: LINKS });
    await patch({ links: null, linksLock: false });
    assert.is((await shown())[1], false);
    await rewrite('fifth', 'https://ants.example/fifth');
    assert.equal(await shown(), ofFile('ants.example', 'https://ants.example/fifth'));
  });
};

const counts = (check: Check): void => {
  const named = async (query = ''): Promise<readonly unknown[]> =>
    (await rows(`/series?size=50${query}`)).map(({ name, metadata }) => [name, metadata.totalBookCount]);
  check('the count in ComicInfo is how many books a series will have, and tells whether it is complete', async () => {
    assert.equal(await named(), [
      ['Ants', 2],
      ['Bees', 3],
      ['Cats', null],
    ]);
    assert.equal(await named('&complete=true'), [['Ants', 2]]);
    assert.equal(await named('&complete=false'), [['Bees', 3]]);
  });
  check('a count that an app sets stays, and the one of the files returns when it is unlocked', async () => {
    const [{ id }] = await rows('/series?search=Bees');
    const set = async (body: object): Promise<number | null> => {
      assert.is((await ask('PATCH', `/series/${id}/metadata`, body)).status, 204);
      return (await ask('GET', `/series/${id}`)).json.metadata.totalBookCount;
    };
    assert.is(await set({ totalBookCount: 9 }), 9);
    assert.is(await set({ totalBookCountLock: false }), 3);
  });
  check('Manga "No" is read from left to right', async () => {
    const directions = (await rows('/series?size=50')).map(({ metadata }) => metadata.readingDirection);
    assert.equal(directions, ['', 'LEFT_TO_RIGHT', '']);
  });
};

block(
  'facts of files in the comic-server API',
  (check) => {
    links(check);
    counts(check);
  },
  { before: stock, after: () => temp.close(), deadlineS: 120 },
);
