// Searches that name fields, and what manifests say of numbers and layouts, as apps made for the comic server send and read them.
import { assert, block, type Check } from '../kit.js';
import { ADMIN, type App, type AppServer, basicOf, startAppServer, VOLUMES } from './app-server.js';

let server: AppServer;
let app: App;

const booksBy = async (search: string): Promise<number> =>
  (await app.send('GET', `books?search=${encodeURIComponent(search)}`)).json.totalElements;

const seriesBy = async (fullTextSearch: string): Promise<string[]> => {
  const { json } = await app.send('POST', 'series/list', { body: { fullTextSearch } });
  return json.content.map(({ metadata }: { metadata: { title: string } }) => metadata.title);
};

const ZOT = 'Zot';

const found = (check: Check): void => {
  check('books are found by each field, and by several with words', async () => {
    for (const [search, count] of [
      ['author:"Ann Author"', VOLUMES],
      ['writer:ann', VOLUMES],
      ['penciller:"Bo Pencil"', VOLUMES],
      ['penciller:"Ann Author"', 0],
      ['publisher:house', VOLUMES],
      ['tag:robots', VOLUMES],
      ['genre:adventure', VOLUMES],
      ['language:en tag:robots', VOLUMES],
      ['title:v24', 1],
      ['release_date:2024 tag:robots', VOLUMES],
      ['release_date:1999', 0],
      ['release_date:2024-03-02', 2],
      ['release_date:[2024-02 TO 2024-03]', 4],
      ['release_date:[2025 TO *]', 0],
      ['read:true tag:robots', 0],
      ['read:unread tag:robots', VOLUMES],
      ['status:ready tag:robots', VOLUMES],
      ['tag:robots v24', 1],
    ] as const)
      assert.is(await booksBy(search), count, search);
  });
  check('series are found likewise', async () => {
    for (const search of ['genre:drama', 'TITLE:zot', 'publisher:House', `book_count:${VOLUMES}`, 'status:ongoing zot'])
      assert.equal(await seriesBy(search), [ZOT], search);
    for (const search of ['genre:western', 'status:ended zot', 'book_count:[90 TO *]', 'writer:"Bo Pencil"'])
      assert.equal(await seriesBy(search), [], search);
  });
  check('what is not understood is searched as words, and never refused', async () => {
    for (const search of ['zot:', ':zot', 'genre: zot', 'genre:"', 'read:perhaps', 'release_date:soon', 'colour:red'])
      assert.is((await app.send('GET', `series?search=${encodeURIComponent(search)}`)).status, 200, search);
    assert.equal(await seriesBy('zot'), [ZOT]);
    assert.is(await booksBy('colour:robots genre:adventure'), 0, 'words that nothing contains');
  });
  check('the books of a read list are searched in the same way', async () => {
    const { content } = (await app.send('GET', 'books?search=title%3Av24')).json;
    const body = { name: 'One', ordered: true, bookIds: [content[0].id] };
    const { json } = await app.send('POST', 'readlists', { body });
    const inList = async (search: string) =>
      (await app.send('GET', `readlists/${json.id}/books?search=${encodeURIComponent(search)}`)).json.totalElements;
    assert.equal([await inList('tag:robots'), await inList('tag:pirates')], [1, 0]);
  });
};

const manifests = (check: Check): void => {
  check('a manifest has the number of the metadata, and both spellings of the layout', async () => {
    const { content } = (await app.send('GET', 'books?unpaged=true')).json;
    const idOf = (name: string): string => content.find((one: { name: string }) => one.name.startsWith(name)).id;
    const changed = await app.send('PATCH', `books/${idOf('Zot v03')}/metadata`, { body: { numberSort: 2.5 } });
    assert.is(changed.status, 204);
    const { metadata } = (await app.send('GET', `books/${idOf('Zot v03')}/manifest`)).json;
    assert.equal(metadata.belongsTo.series, [{ name: ZOT, position: 2.5 }]);
    for (const [name, layout] of [
      ['comic-fxl-rtl', 'fixed'],
      ['incomplete-theft', 'reflowable'],
    ] as const) {
      const said = (await app.send('GET', `books/${idOf(name)}/manifest/epub`)).json.metadata;
      assert.equal([said.layout, said.rendition], [layout, { layout }], name);
    }
  });
};

block(
  'searches with fields, and manifests',
  (check) => {
    found(check);
    manifests(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      app = server.app('/komga/api/v1/', { Authorization: basicOf(ADMIN.username, ADMIN.password) });
    },
    after: () => server.stop(),
  },
);
