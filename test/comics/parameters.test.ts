// Every filter that apps send in the address of a list does what its name says, alone and with others, and what is not known changes nothing.
// (Orders: orders.test.ts. Conditions in bodies: conditions.test.ts.)
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPeople, type People } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
/** Ids by name: of libraries, series, books, a collection. */
const ids = new Map<string, string>();

const ask = (method: string, path: string, body?: object): Promise<Answer> =>
  people.temp.call(method, `/komga/api/v1${path}`, {
    token: people.admin.token,
    ...(body === undefined ? {} : { body }),
  });

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
const rows = async (path: string): Promise<any[]> => {
  const { status, json, bytes } = await ask('GET', path);
  assert.is(status, 200, `${path}: ${bytes.toString().slice(0, 300)}`);
  return json.content;
};

const BOOKS = 7;

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  const at = (...parts: string[]) => join(temp.shelf, ...parts);
  const ants =
    '<Genre>Noir</Genre><Tags>fog, night</Tags><Publisher>House, Big</Publisher><LanguageISO>de</LanguageISO><Year>1999</Year><AgeRating>Teen</AgeRating><Count>2</Count><Writer>Ann Writer</Writer><Penciller>Bo, Cy</Penciller>';
  writeBook(at('one', 'Ants', 'Ants 1.cbz'), 2, 'a1', info(ants));
  writeBook(at('one', 'Ants', 'Ants 2.cbz'), 2, 'a2', info('<Tags>fog</Tags>'));
  writeBook(at('one', 'Bees', 'Bees 1.cbz'), 2, 'b1', info('<Genre>Comedy</Genre><Year>2011</Year><Count>3</Count>'));
  writeBook(at('two', 'Cats', 'Cats 1.cbz'), 2, 'c1', info('<Genre>Noir</Genre><Tags>sun</Tags><Writer>Dee</Writer>'));
  writeBook(at('two', 'Dogs.cbz'), 2, 'd1');
  mkdirSync(at('two', 'Elks'), { recursive: true });
  writeFileSync(at('two', 'Elks', 'Elks 1.cbz'), 'no archive');
  writeBook(at('two', 'Elks', 'Elks 2.cbz'), 2, 'e2');
  for (const name of ['one', 'two']) {
    const { json } = await people.ask(admin.token, 'POST', '/libraries', {
      body: { name, path: at(name), scanImmediately: true, bookStrategy: 'filename' },
    });
    ids.set(name, json.id.replaceAll('-', ''));
  }
  await until('all is analysed', async () => {
    const all = await rows('/books?size=50');
    const isDone = all.length === BOOKS && all.every(({ media }) => media.status !== 'UNKNOWN');
    return temp.app.scans.active().length === 0 && isDone;
  });
  for (const kind of ['series', 'books']) for (const { name, id } of await rows(`/${kind}?size=50`)) ids.set(name, id);
  const change = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await ask(method, path, body);
    assert.ok(answer.status < 300, `${path}: ${answer.bytes.toString().slice(0, 300)}`);
    return answer;
  };
  await change('PATCH', `/series/${ids.get('Bees')}/metadata`, { status: 'ENDED' });
  await change('PATCH', `/series/${ids.get('Cats')}/metadata`, { status: 'HIATUS' });
  await change('PATCH', `/books/${ids.get('Ants 1')}/read-progress`, { completed: true });
  await change('PATCH', `/books/${ids.get('Cats 1')}/read-progress`, { page: 1 });
  const seriesIds = [ids.get('Cats'), ids.get('Ants')];
  ids.set('list', (await change('POST', '/collections', { name: 'Set', seriesIds })).json.id);
};

type Table = Readonly<Record<string, string>>;

/** `{name}` stands for the id of that name. */
const SERIES: Table = {
  '': 'Ants,Bees,Cats,Dogs.cbz,Elks',
  'search=ants': 'Ants',
  'search=': 'Ants,Bees,Cats,Dogs.cbz,Elks',
  'library_id={one}': 'Ants,Bees',
  'library_id={one},{two}': 'Ants,Bees,Cats,Dogs.cbz,Elks',
  'library_id={one}, {two}': 'Ants,Bees,Cats,Dogs.cbz,Elks',
  'library_id={one}&library_id={two}': 'Ants,Bees,Cats,Dogs.cbz,Elks',
  'library_id=0SA292X1121SS': '',
  'collection_id={list}': 'Ants,Cats',
  'status=ENDED': 'Bees',
  'status=ENDED,HIATUS': 'Bees,Cats',
  'status=ONGOING&status=ENDED': 'Ants,Bees,Dogs.cbz,Elks',
  'read_status=UNREAD': 'Bees,Dogs.cbz,Elks',
  'read_status=IN_PROGRESS': 'Ants,Cats',
  'read_status=UNREAD&read_status=IN_PROGRESS': 'Ants,Bees,Cats,Dogs.cbz,Elks',
  'read_status=READ': '',
  'publisher=House, Big': 'Ants',
  'publisher=house, big': 'Ants',
  'publisher=Nobody': '',
  'language=de': 'Ants',
  'language=en': '',
  'genre=Noir': 'Ants,Cats',
  'genre=Noir,Comedy': 'Ants,Bees,Cats',
  'genre=Comedy&genre=Noir': 'Ants,Bees,Cats',
  'tag=fog': 'Ants',
  'tag=fog,sun': 'Ants,Cats',
  'author=Ann Writer,writer': 'Ants',
  'author=Ann Writer,penciller': '',
  'author=Bo,penciller&author=Dee,writer': 'Ants,Cats',
  'complete=true': 'Ants',
  'complete=false': 'Bees',
  'deleted=false': 'Ants,Bees,Cats,Dogs.cbz,Elks',
  'oneshot=true': 'Dogs.cbz',
  'oneshot=false': 'Ants,Bees,Cats,Elks',
  'oneshot=false&oneshot=false': 'Ants,Bees,Cats,Elks',
  'release_year=1999': 'Ants',
  'release_year=1999,2011': 'Ants,Bees',
  'age_rating=None': 'Bees,Cats,Dogs.cbz,Elks',
  'sharing_label=family': '',
  'genre=Noir&library_id={two}&status=HIATUS': 'Cats',
};

const ALL_BOOKS = 'Ants 1,Ants 2,Bees 1,Cats 1,Dogs,Elks 1,Elks 2';

const OF_BOOKS: Table = {
  '': ALL_BOOKS,
  'search=elks': 'Elks 1,Elks 2',
  'library_id={one}': 'Ants 1,Ants 2,Bees 1',
  'library_id={one},{two}': ALL_BOOKS,
  'series_id={Ants}': 'Ants 1,Ants 2',
  'series_id={Ants}&series_id={Bees}': 'Ants 1,Ants 2,Bees 1',
  'series_id=0SA292X1121SS': '',
  'read_status=READ': 'Ants 1',
  'read_status=IN_PROGRESS': 'Cats 1',
  'read_status=READ,IN_PROGRESS': 'Ants 1,Cats 1',
  'media_status=READY': 'Ants 1,Ants 2,Bees 1,Cats 1,Dogs,Elks 2',
  'media_status=ERROR,UNSUPPORTED': 'Elks 1',
  'oneshot=true': 'Dogs',
  'tag=night': 'Ants 1',
  'tag=fog,sun': 'Ants 1,Ants 2,Cats 1',
  'author=Dee,writer': 'Cats 1',
  'author=Dee,editor': '',
  'deleted=false': ALL_BOOKS,
  'deleted=true': '',
  'tag=fog&read_status=UNREAD': 'Ants 2',
};

/** What BEHAVIOUR.md says is ignored, and what nobody ever heard of. */
const IGNORED = [
  'search_regex=^z,TITLE',
  'sort=nonsense,desc',
  'sort=nonsense',
  'sort=,',
  'sort=relevance,asc',
  'nonsense=1',
  'unpaged=false',
];

const filled = (query: string): string =>
  encodeURI(query.replace(/\{([^}]+)\}/g, (_, name: string) => ids.get(name) ?? `no id of ${name}`));

const parameters = (check: Check): void => {
  const namesAt = async (path: string): Promise<string> =>
    (await rows(path))
      .map(({ name }) => name)
      .sort()
      .join();
  for (const [path, table] of [
    ['series', SERIES],
    ['books', OF_BOOKS],
  ] as const)
    check(`each filter of ${path}`, async () => {
      for (const [query, names] of Object.entries(table))
        assert.is(await namesAt(`/${path}?size=50&${filled(query)}`), names, `${path}?${query}`);
    });
  check('the same filters within a series, a collection and a read list', async () => {
    assert.is(
      await namesAt(`/series/${ids.get('Ants')}/books?read_status=UNREAD&media_status=READY&deleted=false`),
      'Ants 2',
    );
    assert.is(await namesAt(`/series/${ids.get('Ants')}/books?unpaged=true&tag=night`), 'Ants 1');
    assert.is(await namesAt(`/collections/${ids.get('list')}/series?library_id=${ids.get('two')}`), 'Cats');
    assert.is(await namesAt(`/collections/${ids.get('list')}/series?genre=Noir&status=HIATUS`), 'Cats');
    const bookIds = [ids.get('Ants 1'), ids.get('Ants 2'), ids.get('Cats 1')];
    const { json } = await ask('POST', '/readlists', { name: 'Books', bookIds });
    assert.is(await namesAt(`/readlists/${json.id}/books?read_status=READ`), 'Ants 1');
    assert.is(await namesAt(`/readlists/${json.id}/books?library_id=${ids.get('two')}`), 'Cats 1');
    assert.is(await namesAt(`/readlists/${json.id}/books?tag=fog&unpaged=true`), 'Ants 1,Ants 2');
  });
  check('series are counted by letter, those of an address or of a condition', async () => {
    const groups = async (method: string, path: string, body?: object): Promise<unknown> => {
      const { status, json } = await ask(method, path, body);
      assert.is(status, 200, path);
      return json.map(({ group, count }: { group: string; count: number }) => `${group}${count}`).join();
    };
    const noir = { condition: { genre: { operator: 'is', value: 'Noir' } } };
    assert.is(await groups('GET', '/series/alphabetical-groups'), 'a1,b1,c1,d1,e1');
    assert.is(await groups('GET', '/series/alphabetical-groups?genre=Noir'), 'a1,c1');
    assert.is(await groups('POST', '/series/list/alphabetical-groups', {}), 'a1,b1,c1,d1,e1');
    assert.is(await groups('POST', '/series/list/alphabetical-groups', noir), 'a1,c1');
    assert.is(await groups('GET', '/series/alphabetical-groups?search=cats'), 'c1');
    assert.is(await groups('GET', '/series/alphabetical-groups?search=nowhere'), '');
    assert.is(await groups('POST', '/series/list/alphabetical-groups', { ...noir, fullTextSearch: 'ants' }), 'a1');
    assert.is(await groups('POST', `/series/list/alphabetical-groups?library_id=${ids.get('two')}`, noir), 'c1');
  });
  check('a file has the same bytes under a name', async () => {
    const id = ids.get('Ants 1');
    const [plain, named] = [await ask('GET', `/books/${id}/file`), await ask('GET', `/books/${id}/file/Ants%201.cbz`)];
    assert.equal([named.status, named.bytes], [200, plain.bytes]);
    assert.is((await ask('GET', `/books/${'0'.repeat(32)}/file/Ants%201.cbz`)).status, 404);
  });
  check('what is not known, or is ignored, changes nothing', async () => {
    for (const path of ['series', 'books', 'collections', 'readlists', 'series/new', 'books/latest', 'books/ondeck']) {
      const plain = (await ask('GET', `/${path}`)).json;
      for (const query of IGNORED) {
        const { status, json } = await ask('GET', `/${path}?${encodeURI(query)}`);
        assert.is(status, 200, `${path}?${query}`);
        assert.equal(json.content, plain.content, `${path}?${query}`);
      }
    }
  });
  check('pages, their size, and everything at once', async () => {
    const page = async (query: string) => {
      const { content, totalElements, totalPages, first, last } = (await ask('GET', `/books?sort=name,asc&${query}`))
        .json;
      return [content.map(({ name }: { name: string }) => name).join(), totalElements, totalPages, first, last];
    };
    assert.equal(await page('size=3'), ['Ants 1,Ants 2,Bees 1', 7, 3, true, false]);
    assert.equal(await page('size=3&page=2'), ['Elks 2', 7, 3, false, true]);
    assert.equal(await page('size=3&page=9'), ['', 7, 3, false, true]);
    assert.equal(await page('size=3&page=1&unpaged=true'), [ALL_BOOKS, 7, 1, true, true]);
  });
};

block('filters of the comic-server API', parameters, {
  before: stock,
  after: () => people.temp.close(),
  deadlineS: 120,
});
