// Lists of the comic-server API: shapes as its strictest clients read them, pages, orders, filters, and lists without pages.
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import * as shapes from '../apps/comic-shapes.js';
import { listOf, type Reader } from '../apps/strict.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;

// biome-ignore lint/suspicious/noExplicitAny: read by a strict reader first
type Json = any;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/komga/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const read = async (path: string, reader: Reader, body?: unknown): Promise<Json> => {
  const answer = await ask(body === undefined ? 'GET' : 'POST', path, body);
  assert.is(answer.status, 200, `${path}: ${answer.bytes.toString().slice(0, 300)}`);
  reader(answer.json, '');
  return answer.json;
};

const series = (path: string, body?: unknown): Promise<Json> => read(path, shapes.pageOf(shapes.series), body);
const books = (path: string, body?: unknown): Promise<Json> => read(path, shapes.pageOf(shapes.book), body);

const titlesOf = ({ content }: Json): string[] =>
  content.map(({ metadata }: { metadata: { title: string } }) => metadata.title);
const numbersOf = ({ content }: Json): number[] =>
  content.map(({ metadata }: { metadata: { numberSort: number } }) => metadata.numberSort);

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

const MANY = 520;
/** So many of them say so much. */
const TALKATIVE = 120;
const SUMMARY = 20_000;

const stock = async (): Promise<void> => {
  const full =
    '<Number>1</Number><Summary>It begins.</Summary><Writer>Ann</Writer><CoverArtist>Cy</CoverArtist><Genre>Noir</Genre><Tags>fog</Tags><Publisher>House</Publisher><Year>1999</Year><Month>2</Month><LanguageISO>en</LanguageISO><AgeRating>Teen</AgeRating>';
  writeBook(join(temp.shelf, 'Alpha', 'Alpha 1.cbz'), 3, 'a1', info(full));
  writeBook(join(temp.shelf, 'Alpha', 'Alpha 1.5.cbz'), 2, 'a15', info('<Number>1.5</Number>'));
  writeBook(join(temp.shelf, 'Alpha', 'Alpha 2.cbz'), 2, 'a2', info('<Number>2</Number>'));
  writeBook(join(temp.shelf, 'Beta', 'Beta 1.cbz'), 1, 'b1', info('<Genre>Comedy</Genre>'));
  for (let n = 1; n <= MANY; n += 1) writeBook(join(temp.shelf, 'Many', `Many ${n}.cbz`), 1, `many ${n}`);
  const made = await temp.call('POST', '/api/v1/libraries', {
    token,
    body: { name: 'Shelf', path: temp.shelf, scanImmediately: true, numberStrategy: 'metadata' },
  });
  assert.is(made.status, 201);
  await until('all books are analysed', async () => {
    const { json } = await temp.call('GET', '/api/v1/scans/active', { token });
    const { total } = (await temp.call('GET', '/api/v1/books', { token })).json;
    return json.length === 0 && total === MANY + 4;
  });
};

const idOf = async (title: string): Promise<string> => {
  const { content } = await series('/series?unpaged=true');
  return content.find(({ metadata }: { metadata: { title: string } }) => metadata.title === title).id;
};

const shapesOf = (check: Check): void => {
  check('libraries, each with its cover', async () => {
    const [library] = await read('/libraries', listOf(shapes.library));
    assert.equal([library.name, library.root], ['Shelf', temp.shelf]);
    await read(`/libraries/${library.id}`, shapes.library);
    assert.is((await ask('GET', `/libraries/${library.id}/thumbnail`)).header('content-type'), 'image/jpeg');
  });
  check('a series says what its files say, in the words of this API', async () => {
    const found = await read(`/series/${await idOf('Alpha')}`, shapes.series);
    assert.equal([found.name, found.booksCount, found.booksUnreadCount], ['Alpha', 3, 3]);
    const { metadata, booksMetadata } = found;
    assert.equal(
      [metadata.status, metadata.readingDirection, metadata.publisher, metadata.language, metadata.ageRating],
      ['ONGOING', '', 'House', 'en', 13],
    );
    assert.equal([metadata.genres, metadata.tags], [['Noir'], ['fog']]);
    assert.equal(booksMetadata.authors, [
      { name: 'Ann', role: 'writer' },
      { name: 'Cy', role: 'cover' },
    ]);
    assert.equal(
      [booksMetadata.releaseDate, booksMetadata.summary, booksMetadata.summaryNumber],
      ['1999-02-01', 'It begins.', '1'],
    );
  });
  check('so does a book', async () => {
    const { content } = await books(`/series/${await idOf('Alpha')}/books?size=1`);
    const found = await read(`/books/${content[0].id}`, shapes.book);
    assert.equal(found, content[0]);
    assert.equal([found.name, found.number, found.media.status, found.media.pagesCount], ['Alpha 1', 1, 'READY', 3]);
    assert.equal([found.media.mediaProfile, found.media.mediaType], ['DIVINA', 'application/zip']);
    assert.equal([found.metadata.releaseDate, found.metadata.number, found.readProgress], ['1999-02-01', '1', null]);
    assert.is((await ask('GET', `/books/${found.id}/thumbnail`)).header('content-type'), 'image/jpeg');
  });
  check('ids have no hyphens, and are understood with and without, in any case', async () => {
    const id = await idOf('Beta');
    const hyphened = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    for (const one of [id, hyphened, id.toUpperCase(), `${id}/`])
      assert.is((await read(`/series/${one}`, shapes.series)).id, id, one);
    assert.is((await ask('GET', '/series/nope')).status, 404);
  });
  check('what a user has read is counted', async () => {
    const { content } = await books(`/series/${await idOf('Alpha')}/books`);
    const native = content[0].id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const mark = (word: string) => temp.call('POST', `/api/v1/books/${native}/${word}`, { token });
    assert.is((await mark('read')).status, 200);
    const found = await read(`/series/${await idOf('Alpha')}`, shapes.series);
    assert.equal([found.booksReadCount, found.booksUnreadCount], [1, 2]);
    const { readProgress } = await read(`/books/${content[0].id}`, shapes.book);
    assert.equal([readProgress.page, readProgress.completed], [3, true]);
    assert.equal(titlesOf(await series('/series?read_status=IN_PROGRESS')), ['Alpha']);
    const next = await books('/books/ondeck');
    assert.equal([next.totalElements, next.content[0]?.id], [1, content[1].id]);
    await mark('unread');
  });
};

const pages = (check: Check): void => {
  check('pages start at 0, have 20 rows by default and 500 at most', async () => {
    const page = await books('/books');
    assert.equal([page.number, page.size, page.numberOfElements, page.totalElements], [0, 20, 20, MANY + 4]);
    assert.equal([page.first, page.last, page.totalPages, page.pageable.offset], [true, false, 27, 0]);
    const last = await books('/books?page=26');
    assert.equal([last.number, last.numberOfElements, last.last, last.pageable.offset], [26, 4, true, 520]);
    assert.equal((await books('/books?size=1000')).size, 500);
    assert.equal((await books('/books?page=-3&size=0')).size, 20);
    const beyond = await books('/books?page=999999999');
    assert.equal([beyond.empty, beyond.content], [true, []]);
  });
  check('unpaged lists are whole, however long', async () => {
    for (const path of [`/series/${await idOf('Many')}/books`, '/books']) {
      const page = await books(`${path}?unpaged=true`);
      const ids = new Set(page.content.map(({ id }: { id: string }) => id));
      assert.is(ids.size, page.totalElements, path);
      assert.equal([page.size, page.first, page.last, page.totalPages], [page.totalElements, true, true, 1]);
    }
    const short = await series('/series?unpaged=true');
    assert.equal([short.content.length, short.size], [3, 20]);
  });
  check('of a list that is sent while it is read, a slow client holds little, however much its books say', async () => {
    const { content, totalElements } = await books(`/series/${await idOf('Many')}/books?size=${TALKATIVE}`);
    for (const { id } of content) {
      const body = { summary: 'x'.repeat(SUMMARY) };
      const said = await temp.call('PATCH', `/api/v1/books/${uuidOfHex(id)}/metadata`, { token, body });
      assert.is(said.status, 200);
    }
    const { body } = await temp.reply('GET', `/komga/api/v1/series/${await idOf('Many')}/books?unpaged=true`, {
      token,
    });
    if (body.kind !== 'stream') return assert.unreachable('it is sent while it is read');
    const pieces: string[] = [];
    for await (const piece of body.open(new AbortController().signal)) pieces.push(String(piece));
    assert.ok(Math.max(...pieces.map(({ length }) => length)) < 1_500_000);
    const whole = JSON.parse(pieces.join(''));
    assert.equal([whole.content.length, whole.content[0].metadata.summary.length], [totalElements, SUMMARY]);
  });
  check('the books of a series are in reading order, forwards and backwards', async () => {
    const path = `/series/${await idOf('Alpha')}/books`;
    assert.equal(numbersOf(await books(path)), [1, 1.5, 2]);
    assert.equal(numbersOf(await books(`${path}?sort=metadata.numberSort,desc`)), [2, 1.5, 1]);
    assert.equal(numbersOf(await books(`${path}?page=1&size=2`)), [2]);
    const condition = { seriesId: { operator: 'is', value: await idOf('Alpha') } };
    assert.equal(numbersOf(await books('/books/list?sort=metadata.numberSort,desc', { condition })), [2, 1.5, 1]);
  });
};

const orders = (check: Check): void => {
  check('orders: repeated, several in one text, unknown ones ignored', async () => {
    const names = ['Alpha', 'Beta', 'Many'];
    for (const query of [
      'sort=metadata.titleSort,asc',
      'sort=nonsense,desc&sort=name,asc',
      'sort=nonsense,descmetadata.titleSort,asc',
      'sort=titleSort',
      'sort=relevance,asc',
      'nonsense=1',
      '',
    ])
      assert.equal(titlesOf(await series(`/series?${query}`)), names, query);
    assert.equal(titlesOf(await series('/series?sort=metadata.titleSort,desc')), [...names].reverse());
    assert.equal(titlesOf(await series('/series?sort=booksCount,descname,asc')), ['Many', 'Alpha', 'Beta']);
    assert.is((await series('/series?sort=nonsense')).sort.sorted, true);
  });
  check('a random order has every row once, page by page, and is another one later', async () => {
    const idsOf = ({ content }: Json): string[] => content.map(({ id }: { id: string }) => id);
    const walk = async (sort: string): Promise<string[]> => {
      const pages = [];
      for (let page = 0; page < 6; page += 1)
        pages.push(...idsOf(await books(`/books?search=many&sort=${sort}&size=100&page=${page}`)));
      return pages;
    };
    const [first, again] = [await walk('random,desc'), await walk('random')];
    assert.equal(again, first);
    assert.equal([first.length, new Set(first).size], [MANY, MANY]);
    assert.is.not(first.join(), (await walk('name')).join());
    assert.equal(idsOf(await books('/books?search=many&sort=random&unpaged=true')), first);
    assert.equal(titlesOf(await series('/series?sort=random&genre=Noir')), ['Alpha']);
    assert.equal(titlesOf(await series('/series?sort=random')).sort(), ['Alpha', 'Beta', 'Many']);
    temp.advance(3_600_000);
    assert.is.not((await walk('random')).join(), first.join());
  });
  check('lists of what is new', async () => {
    for (const path of ['/series/new', '/series/latest'])
      assert.is((await series(`${path}?oneshot=false&oneshot=false`)).totalElements, 3, path);
    assert.is((await series('/series/updated?oneshot=false&oneshot=false')).totalElements, 0);
    assert.is((await books('/books/latest?size=2')).numberOfElements, 2);
    assert.equal((await ask('GET', '/series/alphabetical-groups')).json, [
      { group: 'a', count: 1 },
      { group: 'b', count: 1 },
      { group: 'm', count: 1 },
    ]);
  });
};

const filters = (check: Check): void => {
  check('filters in addresses: repeated, with commas, with commas and spaces', async () => {
    const both = ['Alpha', 'Beta'];
    for (const query of ['genre=Noir,Comedy', 'genre=Noir,%20Comedy', 'genre=Noir&genre=Comedy'])
      assert.equal(titlesOf(await series(`/series?${query}`)), both, query);
    const [{ id }] = await read('/libraries', listOf(shapes.library));
    const none = '00000000000000000000000000000000';
    assert.is((await series(`/series?library_id=${id},${none}`)).totalElements, 3);
    assert.is((await series(`/series?library_id=${none}`)).totalElements, 0);
    assert.equal(titlesOf(await series('/series?search=alph&tag=fog&publisher=House&language=en')), ['Alpha']);
    assert.is((await series('/series?deleted=true')).totalElements, 0);
    assert.is((await books('/books?search=many&size=1')).totalElements, MANY);
  });
  check('conditions: groups, several keys at once, types ignored, nothing as no filter', async () => {
    const genre = (operator: string, value: string) => ({ genre: { operator, value } });
    const cases: readonly (readonly [unknown, readonly string[]])[] = [
      [{ type: 'AllOfSeries', allOf: [{ type: 'Genre', ...genre('is', 'Noir') }] }, ['Alpha']],
      [{ ...genre('is', 'Noir'), tag: { operator: 'is', value: 'fog' } }, ['Alpha']],
      [{ ...genre('is', 'Noir'), tag: { operator: 'isNot', value: 'fog' } }, []],
      [{ anyOf: [genre('is', 'Noir'), genre('is', 'Comedy')] }, ['Alpha', 'Beta']],
      [{ libraryId: { operator: 'isNot', value: '' } }, ['Alpha', 'Beta', 'Many']],
      [{ libraryId: { operator: 'is', value: '' } }, []],
      [{ title: { operator: 'doesNotBeginWith', value: 'al' } }, ['Beta', 'Many']],
      [{}, ['Alpha', 'Beta', 'Many']],
      [{ allOf: [] }, ['Alpha', 'Beta', 'Many']],
      [{ allOf: [{ anyOf: [] }] }, ['Alpha', 'Beta', 'Many']],
    ];
    for (const [condition, expected] of cases)
      assert.equal(
        titlesOf(await series('/series/list', { condition, fullTextSearch: '' })),
        expected,
        JSON.stringify(condition),
      );
  });
  check('a condition that says nothing sensible is refused with its place', async () => {
    for (const [condition, place] of [
      [{ genre: { operator: 'like', value: 'x' } }, 'condition.genre.operator'],
      [{ allOf: [{ libraryId: { operator: 'is', value: 7 } }] }, 'condition.allOf[0].libraryId.value'],
      [{ allOf: {} }, 'condition.allOf'],
      [7, 'condition'],
    ] as const) {
      const { status, json } = await ask('POST', '/series/list', { condition });
      assert.equal([status, json.status, json.details[0].path], [400, 400, place]);
    }
  });
};

const refusals = (check: Check): void => {
  check('an unknown path is 404 as JSON that these clients decode', async () => {
    const { status, json, header } = await ask('GET', '/nonsense');
    assert.equal([status, header('content-type')], [404, 'application/json; charset=utf-8']);
    assert.equal(Object.keys(json), ['timestamp', 'status', 'error', 'message', 'path', 'details']);
    assert.match(json.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal([json.status, json.error, json.path], [404, 'NotFound', '/komga/api/v1/nonsense']);
  });
  check('without credentials the answer is 401 and asks for Basic', async () => {
    const { status, header } = await temp.call('GET', '/komga/api/v1/series');
    assert.equal([status, header('www-authenticate')], [401, 'Basic realm="Longbox", charset="UTF-8"']);
  });
};

block(
  'lists of the comic-server API',
  (check) => {
    for (const part of [shapesOf, pages, orders, filters, refusals]) part(check);
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      await stock();
    },
    after: () => temp.close(),
    deadlineS: 180,
  },
);
