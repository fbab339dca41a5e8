// What people set and how it is shown: replacing metadata, people of files that name no role, tags of languages, ISBNs, sort titles.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
let library = '';
/** By title of the series they are in. */
const books = new Map<string, string>();
const series = new Map<string, string>();

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const send = async (method: string, path: string, body: unknown) => {
  const answer = await api(method, path, { body });
  assert.is(answer.status, 200, JSON.stringify(answer.json));
  return answer.json;
};

const idOf = (known: ReadonlyMap<string, string>, name: string): string => known.get(name) ?? '';

const COMIC_INFO =
  '<ComicInfo><Title>One</Title><Number>3</Number><Summary>It begins.</Summary><Writer>Ann, Bo</Writer><Publisher>House</Publisher><LanguageISO>English</LanguageISO><GTIN>9783161484101</GTIN></ComicInfo>';

const scan = async (mode = 'normal'): Promise<void> => {
  await api('POST', `/libraries/${library}/scan?mode=${mode}`);
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
};

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  writeBook(join(temp.shelf, 'Comic', 'c 1.cbz'), 2, 'c', [{ name: 'ComicInfo.xml', bytes: Buffer.from(COMIC_INFO) }]);
  for (const [name, file] of Object.entries({ Novel: 'childrens-literature.epub', Paper: 'comicinfo-in-pdf.pdf' })) {
    mkdirSync(join(temp.shelf, name), { recursive: true });
    copyFileSync(fixture(`books/${file}`), join(temp.shelf, name, file));
  }
  library = (await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf } })).json.id;
  await scan();
  for (const book of (await api('GET', '/books')).json.data) books.set(book.seriesName, book.id);
  for (const one of (await api('GET', '/series')).json.data) series.set(one.title, one.id);
};

const bookOf = async (name: string) => (await api('GET', `/books/${idOf(books, name)}`)).json;

const replacing = (check: Check): void => {
  check('PUT clears what it does not name, PATCH keeps it', async () => {
    const at = `/books/${idOf(books, 'Comic')}/metadata`;
    const patched = await send('PATCH', at, { year: 1999, imprint: 'I', subjects: ['a'], customMetadata: { k: 1 } });
    assert.equal([patched.summary, patched.publisher, patched.year], ['It begins.', 'House', 1999]);
    const put = await send('PUT', at, { imprint: 'Other' });
    assert.equal(
      [put.imprint, put.year, put.summary, put.publisher, put.subjects, put.customMetadata, put.authors, put.writer],
      ['Other', null, null, null, null, null, [], null],
    );
    assert.equal([put.title, put.number], ['One', '3'], 'title and number have a route of their own');
    assert.equal(
      [put.locks.imprintLock, put.locks.yearLock, put.locks.summaryLock, put.locks.authorsJsonLock],
      [true, true, false, false],
      'clearing leaves a lock as it is',
    );
    await scan('deep');
    const { metadata } = await bookOf('Comic');
    assert.equal(
      [metadata.summary, metadata.publisher, metadata.writers, metadata.year, metadata.imprint],
      ['It begins.', 'House', ['Ann', 'Bo'], null, 'Other'],
      'files fill what is not locked',
    );
  });
  check('PUT with names of one role removes everyone else; with a list of authors that list counts', async () => {
    const at = `/books/${idOf(books, 'Comic')}/metadata`;
    await send('PATCH', at, {
      authors: [
        { name: 'Ann', role: 'writer', sortName: 'A' },
        { name: 'Ink', role: 'inker' },
      ],
    });
    const byRole = await send('PUT', at, { writer: 'Ann, Cy' });
    assert.equal(byRole.authors, [
      { name: 'Ann', role: 'writer', sortName: 'A' },
      { name: 'Cy', role: 'writer', sortName: null },
    ]);
    const authors = [{ name: 'Dee', role: 'colorist', sortName: null }];
    const listed = await send('PUT', at, { authors, writer: null, colorist: null });
    assert.equal([listed.authors, listed.colorist, listed.writer], [authors, 'Dee', null]);
    assert.equal((await send('PUT', at, {})).authors, []);
  });
  check('PUT of a series clears what it does not name; its title becomes its folder name again', async () => {
    const at = `/series/${idOf(series, 'Comic')}/metadata`;
    await send('PATCH', at, { title: 'Renamed', titleSort: 'Sorted', year: 1990, summary: 'About' });
    const put = await send('PUT', at, { publisher: 'P' });
    assert.equal([put.title, put.year, put.summary, put.publisher], ['Comic', null, null, 'P']);
    assert.equal([put.locks.publisher, put.locks.year], [true, true]);
  });
};

const people = (check: Check): void => {
  check('a person without a role is an author, and shown where apps look for writers', async () => {
    const shown = await bookOf('Novel');
    assert.equal(
      shown.metadata.authors.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ['Charles Madison Curry', 'author'],
        ['Erle Elsworth Clippinger', 'author'],
      ],
    );
    const names = ['Charles Madison Curry', 'Erle Elsworth Clippinger'];
    const full = (await api('GET', `/books/${idOf(books, 'Novel')}/full`)).json.metadata;
    assert.equal([shown.metadata.writers, full.writers, full.writer], [names, names, names.join(', ')]);
  });
  check('writing the field keeps the roles of those already listed, and replaces the others', async () => {
    const at = `/books/${idOf(books, 'Novel')}/metadata`;
    const changed = await send('PATCH', at, { writer: 'Charles Madison Curry, Zoe' });
    assert.equal(
      changed.authors.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ['Charles Madison Curry', 'author'],
        ['Zoe', 'writer'],
      ],
    );
    await scan('deep');
    assert.equal((await bookOf('Novel')).metadata.writers, ['Charles Madison Curry', 'Zoe'], 'both roles are locked');
    const both = await send('PATCH', at, {
      authors: [
        { name: 'Eve', role: 'author' },
        { name: 'Eve', role: 'writer' },
      ],
    });
    assert.equal([both.writers, both.writer], [['Eve'], 'Eve']);
  });
};

const LANGUAGES: readonly (readonly [given: string, kept: string])[] = [
  ['en', 'en'],
  ['EN', 'en'],
  ['eng', 'en'],
  ['pt_br', 'pt-BR'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['zh-yue', 'yue'],
  ['zh-CHS', 'zh-Hans'],
  ['ZH_cht', 'zh-Hant'],
  ['es-419', 'es-419'],
  ['de-DE-u-co-phonebk', 'de-DE-u-co-phonebk'],
];

const forms = (check: Check): void => {
  const places = (): readonly (readonly [path: string, field: string])[] => [
    [`/books/${idOf(books, 'Comic')}/metadata`, 'languageIso'],
    [`/series/${idOf(series, 'Comic')}/metadata`, 'language'],
  ];
  check('a language is stored as a tag in its canonical spelling', async () => {
    for (const [path, field] of places())
      for (const [given, kept] of LANGUAGES)
        assert.is((await send('PATCH', path, { [field]: given }))[field], kept, given);
  });
  check('an invalid tag is 400, names the field and changes nothing', async () => {
    for (const [path, field] of places()) {
      await send('PATCH', path, { [field]: 'ja' });
      for (const bad of ['English', 'e', 'en-', '-en', 'en--US', 'en US', 'en-toolongsubtag', '日本語', '12', 'en-u'])
        for (const method of ['PATCH', 'PUT']) {
          const answer = await api(method, path, { body: { [field]: bad } });
          assert.equal([answer.status, answer.json.details[0].path], [400, field], bad);
          assert.match(answer.json.message, /language tag such as en/);
        }
      assert.is((await send('PATCH', path, {}))[field], 'ja');
      assert.is((await send('PATCH', path, { [field]: null }))[field], null);
    }
  });
  check('ISBNs are checked by their last digit and stored without hyphens', async () => {
    const at = `/books/${idOf(books, 'Comic')}/metadata`;
    for (const [given, kept] of [
      ['978-3-16-148410-0', '9783161484100'],
      ['0-8044-2957-x; ISBN 978 3 16 148410 0', '080442957X, 9783161484100'],
      ['9783161484100, 978-3161484100', '9783161484100'],
      ['  ', null],
      [',', null],
    ])
      assert.is((await send('PATCH', at, { isbns: given })).isbns, kept, String(given));
  });
  check('an invalid ISBN is 400 with the reason', async () => {
    const at = `/books/${idOf(books, 'Comic')}/metadata`;
    for (const [bad, words] of [
      ['978-3-16-148410-1', /last digit must be 0/],
      ['0804429570', /last digit must be X/],
      ['9783161484100, 1234567890123', /starts with 978 or 979/],
      ['12345', /10 or 13 digits/],
      ['none', /"none" is not one/],
      ['0000000000', /all zeros/],
    ] as const) {
      const answer = await api('PATCH', at, { body: { isbns: bad } });
      assert.equal([answer.status, answer.json.details[0].path], [400, 'isbns'], bad);
      assert.match(answer.json.message, words);
    }
  });
  check('invalid values from files are ignored, and English language names are understood', async () => {
    const at = `/books/${idOf(books, 'Comic')}/metadata/locks`;
    await send('PUT', at, { isbnsLock: false, languageIsoLock: false });
    await scan('deep');
    const { metadata } = await bookOf('Comic');
    assert.equal([metadata.isbns, metadata.languageIso], [null, 'en']);
  });
};

const known = (check: Check): void => {
  check('a series without a sort title shows its title as one, and owns no volume', async () => {
    const id = idOf(series, 'Novel');
    for (const path of [`/series/${id}`, `/series/${id}/metadata`])
      assert.is((await api('GET', path)).json.titleSort, 'Novel');
    assert.is((await api('GET', `/series/${id}/full`)).json.metadata.titleSort, 'Novel');
    const [first] = (await api('GET', '/series')).json.data;
    assert.equal([first.titleSort, first.volumesOwned], [first.title, 0]);
    const unset = { condition: { titleSort: { operator: 'isNull' } } };
    assert.is((await api('POST', '/series/list', { body: unset })).json.total, 3);
  });
  check('a book appears twice in its answer: as it is, and as book next to its metadata', async () => {
    const { book, metadata, remarks, ...own } = await bookOf('Paper');
    assert.equal(book, own);
    assert.equal(remarks, []);
    assert.is(metadata.bookId, own.id);
  });
  check('no answer was a server error', () => assert.equal(temp.faults, []));
};

block(
  'metadata set by users, and how it is shown',
  (check) => {
    for (const part of [replacing, people, forms, known]) part(check);
  },
  { before: stock, after: () => temp.close() },
);
