// One truth: what is read in an app of one kind is read in all others, whatever the book, and its read-through is in the history.

import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PERSON, startAppServer } from './app-server.js';

let server: AppServer;
let comics: App;
let catalog: App;
let device: App;

interface Book {
  readonly id: string;
  readonly koreaderHash: string;
  readonly pageCount: number;
  readonly isEpub: boolean;
  /** It has positions instead of pages. */
  readonly isText: boolean;
}

const TEXT = 'incomplete-theft.epub';

const bookAt = async (part: string): Promise<Book> => {
  const { json } = await server.native('GET', '/books?pageSize=100');
  const found = json.data.find(({ path }: { path: string }) => path.includes(part));
  return { ...found, isEpub: part.endsWith('.epub'), isText: part === TEXT };
};

/** A place in a text, as the list of its positions names it; in other books, pages are positions. */
const locatorAt = async (page: number, { id, isText, pageCount }: Book) =>
  isText
    ? (await comics.send('GET', `/api/v1/books/${id}/positions`)).json.positions[page - 1]
    : { href: '', type: 'image/jpeg', locations: { position: page, totalProgression: page / pageCount } };

/** Documents about the same book are newer than what was read before. */
const documentAt = async (page: number, book: Book) => ({
  modified: new Date(Date.now() + 1000).toISOString(),
  device: { id: 'tablet', name: 'Tablet' },
  locator: await locatorAt(page, book),
});

/** An e-reader names the item of an EPUB, and the page of anything else. */
const notationOf = async (page: number, book: Book): Promise<string> => {
  if (!book.isEpub) return String(page);
  const { positions } = (await comics.send('GET', `/api/v1/books/${book.id}/positions`)).json;
  const items = [...new Set(positions.map(({ href }: { href: string }) => href))];
  return `/body/DocFragment[${items.indexOf(positions[page - 1].href) + 1}].0`;
};

const succeeded = ({ status }: { readonly status: number }): void => assert.ok(status < 300, String(status));

type Write = (book: Book, page: number) => Promise<void>;

const WRITES = {
  'native progress': async ({ id }, page) =>
    succeeded(await server.native('PUT', `/books/${id}/progress`, { currentPage: page })),
  'native progression': async (book, page) =>
    succeeded(await server.native('PUT', `/books/${book.id}/progression`, await documentAt(page, book))),
  'comic-server progress': ({ id }, page) => comics.change('PATCH', `/api/v1/books/${id}/read-progress`, { page }),
  'comic-server progression': async (book, page) =>
    comics.change('PUT', `/api/v1/books/${book.id}/progression`, await documentAt(page, book)),
  'OPDS pages': async ({ id }, page) => {
    await catalog.image(`/v1.2/books/${id}/pages/${page - 1}?zero_based=true`);
  },
  'e-reader sync': async (book, page) => {
    const [progress, percentage] = [await notationOf(page, book), page / book.pageCount];
    const body = { document: book.koreaderHash, progress, percentage, device: 'Kobo' };
    succeeded(await device.send('PUT', '/syncs/progress', { body }));
  },
} satisfies Record<string, Write>;

type Read = (book: Book) => Promise<unknown>;

const READS = {
  'native progress': async ({ id }) => (await server.native('GET', `/books/${id}/progress`)).json?.currentPage,
  'native progression': async ({ id }) =>
    (await server.native('GET', `/books/${id}/progression`)).json?.locator.locations.position,
  'comic-server progress': async ({ id }) => (await comics.send('GET', `/api/v1/books/${id}`)).json.readProgress?.page,
  'comic-server progression': async ({ id }) =>
    (await comics.send('GET', `/api/v1/books/${id}/progression`)).json?.locator.locations.position,
  'OPDS 1.2': async ({ id }) => {
    const feed = (await catalog.send('GET', `/v1.2/books/${id}`)).bytes.toString();
    const page = /pse:lastRead="(\d+)"/.exec(feed)?.[1];
    return page === undefined ? undefined : Number(page);
  },
  'OPDS 2.0': async ({ id }) => {
    const text = (await catalog.send('GET', `/v2/books/${id}`)).bytes.toString();
    return JSON.parse(text).readingProgress?.currentPage;
  },
  'OPDS 2.0, as a share': async ({ id, pageCount }) => {
    const text = (await catalog.send('GET', `/v2/books/${id}`)).bytes.toString();
    return Math.round((JSON.parse(text).readingProgress?.progressPercent * pageCount) / 100);
  },
  'e-reader sync': async (book) => {
    const { json } = await device.send('GET', `/syncs/progress/${book.koreaderHash}`);
    const page = Math.round(json.percentage * book.pageCount);
    return json.progress === (await notationOf(page, book)) ? page : json;
  },
} satisfies Record<string, Read>;

/** A text has no pages that could be sent one by one. */
const OF_PAGES: ReadonlySet<string> = new Set(['OPDS pages', 'OPDS 1.2']);

const readBy = async (book: Book): Promise<readonly (readonly [string, unknown])[]> => {
  const readers = Object.entries(READS).filter(([name]) => !book.isText || !OF_PAGES.has(name));
  return Promise.all(readers.map(async ([name, read]) => [name, await read(book)] as const));
};

const kinds = (check: Check): void => {
  for (const [index, [written, write]] of Object.entries(WRITES).entries())
    for (const [kind, part, page] of [
      ['a comic', `Zot v0${index + 1}`, 3],
      ['a PDF', 'four-pages.pdf', 2 + (index % 2)],
      ['an EPUB of images', 'comic-fxl-rtl.epub', 3 + (index % 2)],
      ['an EPUB of text', TEXT, 11 + index],
    ] as const) {
      if (part === TEXT && OF_PAGES.has(written)) continue;
      check(`a page of ${kind} read by ${written} is read by all others`, async () => {
        const book = await bookAt(part);
        await server.native('DELETE', `/books/${book.id}/progress`);
        await write(book, page);
        await until('it is stored', async () => (await READS['native progress'](book)) === page);
        const found = await readBy(book);
        assert.equal(
          found,
          found.map(([name]) => [name, page]),
        );
      });
    }
  check('a share of a text is read by all that tell shares, beside a page that tells nothing', async () => {
    const book = await bookAt(TEXT);
    const share = 20 / book.pageCount;
    succeeded(await server.native('PUT', `/books/${book.id}/progress`, { currentPage: 1, progressPercentage: share }));
    const names = ['native progression', 'comic-server progression', 'OPDS 2.0, as a share', 'e-reader sync'] as const;
    const found = await Promise.all(names.map((name) => READS[name](book)));
    assert.equal(found, [20, 20, 20, 20]);
  });
};

const finished = (check: Check): void => {
  for (const name of ['native progress', 'comic-server progress', 'e-reader sync'] as const)
    check(`a book finished by ${name} has one more read-through in its history, and is finished for all`, async () => {
      const book = await bookAt('Zot v20');
      await server.native('DELETE', `/books/${book.id}/progress`);
      const history = async (): Promise<number> =>
        (await server.native('GET', `/books/${book.id}/read-history`)).json.readCount;
      const before = await history();
      await WRITES[name](book, book.pageCount);
      assert.is(await history(), before + 1);
      const { json } = await comics.send('GET', `/api/v1/books/${book.id}`);
      assert.is(json.readProgress.completed, true);
      assert.is((await server.native('GET', `/books/${book.id}/progress`)).json.completed, true);
      assert.is((await device.send('GET', `/syncs/progress/${book.koreaderHash}`)).json.percentage, 1);
    });
};

const hidden = (check: Check): void => {
  check('a library that is closed to a person is closed in all', async () => {
    const book = await bookAt('Zot v10');
    const { json: me } = await server.native('GET', '/auth/me');
    const before = [
      await comics.send('GET', `/api/v1/books/${book.id}`),
      await catalog.send('GET', `/v1.2/books/${book.id}`),
      await catalog.send('GET', `/v2/books/${book.id}`),
    ];
    assert.equal(
      before.map(({ status }) => status),
      [200, 200, 200],
    );
    const closed = await server.admin('PATCH', `/users/${me.id}`, { libraryIds: [] });
    assert.is(closed.status, 200, JSON.stringify(closed.json));
    const after = [
      await server.native('GET', `/books/${book.id}`),
      await comics.send('GET', `/api/v1/books/${book.id}`),
      await catalog.send('GET', `/v1.2/books/${book.id}`),
      await catalog.send('GET', `/v2/books/${book.id}`),
    ];
    assert.equal(
      after.map(({ status }) => status),
      [404, 404, 404, 404],
    );
    assert.equal((await device.send('GET', `/syncs/progress/${book.koreaderHash}`)).json, {});
    assert.is((await comics.send('GET', '/api/v1/books')).json.totalElements, 0);
  });
};

block(
  'one truth',
  (check) => {
    kinds(check);
    finished(check);
    hidden(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      const basic = { Authorization: basicOf(PERSON.username, PERSON.password) };
      comics = server.app('/komga', basic);
      catalog = server.app('/opds', basic);
      device = server.app('/koreader', { 'x-auth-user': server.key, 'x-auth-key': '' });
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
