// Apps that only fetch pages, through the catalogue: what is stored of readers of any pace, and of two who read at once.
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const LONG = 30;
const SHORT = 10;
const AHEAD = [0, 1, 3, 10];
const AT_ONCE_MS = 50;

/** Seconds on each page, from the first one on. */
const PACES: readonly (readonly number[])[] = [
  [5, 5, 5, 5, 5, 5, 5, 5],
  [1, 1, 1, 1, 5, 5, 5, 5],
  [1, 1, 1, 30, 5, 5, 5, 5],
  [1, 1, 5, 5, 5, 5, 5, 5],
  [5, 5, 5, 0.7, 5, 5, 5, 5],
  [5, 5, 1, 1, 1, 1, 5, 5],
  [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 2],
  [2, 2, 2, 2, 2, 2, 2, 2],
];
/** To the end of the short book. */
const TO_THE_END: readonly (readonly number[])[] = [Array(10).fill(2.5), [...Array(9).fill(2), 8], Array(10).fill(12)];

let temp: TempApp;
let token: string;
const unread = { long: [] as string[], short: [] as string[] };

const fetchPage = async (book: string, page: number, app: string): Promise<void> => {
  const path = `/opds/v1.2/books/${book}/pages/${page}`;
  const { status } = await temp.call('GET', path, { token, headers: { 'user-agent': app } });
  assert.is(status, 200);
};

interface Copy {
  readonly book: string;
  readonly pageCount: number;
  readonly ahead: number;
  readonly app?: string;
}

/** An app with a reader in a book: it has the page on the screen, and some of the next ones. */
class Reading {
  readonly copy: Copy;
  #has = 0;

  constructor(copy: Copy) {
    this.copy = copy;
  }

  /** Opens the book there, or turns to that page; the time that it takes is part of the time on the page. */
  async show(page: number, restMs: number): Promise<void> {
    const { book, pageCount, ahead, app = 'Reader' } = this.copy;
    let leftMs = restMs;
    if (this.#has === 0) this.#has = page - 1;
    while (this.#has < Math.min(page + ahead, pageCount)) {
      this.#has += 1;
      await fetchPage(book, this.#has, app);
      temp.advance(AT_ONCE_MS);
      leftMs -= AT_ONCE_MS;
    }
    await pass(Math.max(0, leftMs));
  }
}

/** The engine stores what is due each second. */
const pass = async (ms: number): Promise<void> => {
  for (let leftMs = ms; leftMs > 0; leftMs -= 1000) {
    temp.advance(Math.min(1000, leftMs));
    await temp.app.streamedReading.settle();
  }
};

const stored = async (book: string): Promise<readonly [page: number | undefined, completed: boolean | undefined]> => {
  const { json } = await temp.call('GET', `/api/v1/books/${book}/progress`, { token });
  return [json?.currentPage, json?.completed];
};

const take = (from: string[]): string => {
  const book = from.pop();
  if (book === undefined) throw new Error('no unread book is left');
  return book;
};

/** Somebody opens a book at its first page and reads. */
const read = async (reading: Reading, seconds: readonly number[], first = 1): Promise<void> => {
  for (const [at, restS] of seconds.entries()) await reading.show(first + at, restS * 1000);
};

const addBooks = async (): Promise<void> => {
  const counts = { long: AHEAD.length * PACES.length + 8, short: 16 };
  for (const [kind, pages] of [
    ['long', LONG],
    ['short', SHORT],
  ] as const)
    for (let n = 0; n < counts[kind]; n += 1) writeBook(join(temp.shelf, kind, `Book ${n}.cbz`), pages, `${kind} ${n}`);
  const headers = { token };
  await temp.call('POST', '/api/v1/libraries', {
    ...headers,
    body: { name: 'Shelf', path: temp.shelf, scanImmediately: true },
  });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  const { json } = await temp.call('GET', '/api/v1/books?pageSize=200', headers);
  for (const { id, pageCount } of json.data) unread[pageCount === LONG ? 'long' : 'short'].push(id);
};

block(
  'apps that only fetch pages',
  (check) => {
    for (const paces of PACES)
      check(`${paces.join(', ')} seconds on a page: the page on the screen is stored`, async () => {
        for (const ahead of AHEAD) {
          const reading = new Reading({ book: take(unread.long), pageCount: LONG, ahead });
          await read(reading, paces);
          await pass(20_000);
          assert.equal(await stored(reading.copy.book), [paces.length, false], `${ahead} ahead`);
        }
      });
    for (const paces of TO_THE_END)
      check(`${paces.join(', ')} seconds on a page, to the end: the book is finished, and not before`, async () => {
        for (const ahead of [0, 2]) {
          const reading = new Reading({ book: take(unread.short), pageCount: SHORT, ahead });
          await read(reading, paces.slice(0, -1));
          const [page = 0, completed = false] = await stored(reading.copy.book);
          assert.ok(page < SHORT && !completed, `${page} with ${ahead} ahead`);
          await read(reading, paces.slice(-1), SHORT);
          await pass(45_000);
          assert.equal(await stored(reading.copy.book), [SHORT, true], `${ahead} ahead`);
        }
      });
    check('two apps that read one book at once are followed each, and the further one is stored', async () => {
      const book = take(unread.long);
      const phone = new Reading({ book, pageCount: LONG, ahead: 0, app: 'Phone' });
      const tablet = new Reading({ book, pageCount: LONG, ahead: 3, app: 'Tablet' });
      for (let turn = 0; turn < 8; turn += 1) {
        await phone.show(2 + turn, 1100);
        await tablet.show(12 + turn, 3000);
      }
      await pass(20_000);
      assert.equal(await stored(book), [19, false]);
    });
    check('who reads another book on another device still looks at the last page of this one', async () => {
      const phone = new Reading({ book: take(unread.short), pageCount: SHORT, ahead: 0, app: 'Phone' });
      const tablet = new Reading({ book: take(unread.long), pageCount: LONG, ahead: 1, app: 'Tablet' });
      for (let page = 1; page <= SHORT; page += 1) {
        await phone.show(page, 1000);
        await tablet.show(page, 2000);
      }
      await tablet.show(SHORT + 1, 2000);
      assert.equal(await stored(phone.copy.book), [SHORT, true]);
      await pass(20_000);
      assert.equal(await stored(tablet.copy.book), [SHORT + 1, false]);
    });
    check('who opens another book on the same device no longer looks at this one', async () => {
      const one = new Reading({ book: take(unread.short), pageCount: SHORT, ahead: 3 });
      await read(one, [5, 5, 5, 5, 5, 5, 1]);
      const other = new Reading({ book: take(unread.long), pageCount: LONG, ahead: 3 });
      await read(other, [60, 60]);
      const [page = 0, completed] = await stored(one.copy.book);
      assert.ok(page <= 7 && completed === false, `${page}`);
    });
    check('progress is never taken back, and a finished book stays finished', async () => {
      const long = new Reading({ book: take(unread.long), pageCount: LONG, ahead: 0 });
      await read(long, [5, 5, 5, 5, 5]);
      for (const page of [4, 3, 2]) {
        await fetchPage(long.copy.book, page, 'Reader');
        await pass(5000);
      }
      assert.equal(await stored(long.copy.book), [5, false]);
      const short = new Reading({ book: take(unread.short), pageCount: SHORT, ahead: 0 });
      await read(short, Array(SHORT).fill(3));
      await fetchPage(short.copy.book, 1, 'Reader');
      await pass(20_000);
      assert.equal(await stored(short.copy.book), [SHORT, true]);
    });
    check('HEAD of a page is no sign of reading', async () => {
      const book = take(unread.long);
      for (const page of [3, 4, 5]) {
        const { status } = await temp.call('HEAD', `/opds/v1.2/books/${book}/pages/${page}`, { token });
        assert.is(status, 200);
        await pass(5000);
      }
      assert.equal(await stored(book), [undefined, undefined]);
    });
    check('a book fetched as a whole is begun at most, and so is one that is leafed through', async () => {
      const whole = new Reading({ book: take(unread.long), pageCount: LONG, ahead: LONG });
      await read(whole, [3600]);
      assert.equal(await stored(whole.copy.book), [1, false]);
      const leafed = new Reading({ book: take(unread.long), pageCount: LONG, ahead: 0 });
      await read(leafed, Array(LONG).fill(0.8));
      await pass(600_000);
      assert.equal(await stored(leafed.copy.book), [undefined, undefined]);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      await addBooks();
    },
    after: () => temp.close(),
  },
);
