// Books are sorted by their numbers with the fractions, in every list, and on every surface.
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token: string;

const ask = async (path: string, method = 'GET', body?: unknown) => {
  const answer = await temp.call(method, path, { token, ...(body !== undefined && { body }) });
  assert.ok(answer.status < 300, `${path}: ${answer.status}`);
  return answer.json;
};

/** Their titles say another order, and so do the names of the files. */
const TITLES = { 1: 'i', 1.5: 'a', 2: 'h', 10: 'f', 10.25: 'e', 10.5: 'b', 11: 'c' } as const;
const NUMBERS = Object.keys(TITLES)
  .map(Number)
  .sort((one, other) => one - other);

const info = (number: string): Buffer =>
  Buffer.from(`<ComicInfo><Number>${number}</Number><Title>${TITLES[Number(number) as 1]}</Title></ComicInfo>`);

const stock = async (): Promise<void> => {
  const strategies = { metadata: 'named', filename: 'numbered', smart: 'both' } as const;
  for (const [numberStrategy, folder] of Object.entries(strategies)) {
    for (const [number, title] of Object.entries(TITLES)) {
      const name = folder === 'named' ? title : `c${number}`;
      const more = folder === 'numbered' ? [] : [{ name: 'ComicInfo.xml', bytes: info(number) }];
      writeBook(join(temp.shelf, folder, `Series of ${folder}`, `${name}.cbz`), 1, `${folder} ${name}`, more);
    }
    writeBook(join(temp.shelf, folder, `Series of ${folder}`, 'none.cbz'), 1, `${folder} none`);
    const body = { name: folder, path: join(temp.shelf, folder), numberStrategy, scanImmediately: true };
    await ask('/api/v1/libraries', 'POST', body);
    await until('the scan ends', () => temp.app.scans.active().length === 0);
  }
};

interface Book {
  readonly id: string;
  readonly path: string;
  readonly title: string;
}

/** What the book was made with; NaN for the one without a number. */
const numberOf = ({ path, title }: Pick<Book, 'path' | 'title'>): number => {
  const named = /c([\d.]+)\.cbz$/.exec(path)?.[1];
  if (named !== undefined) return Number(named);
  return Number(Object.entries(TITLES).find(([, one]) => path.endsWith(`/${one}.cbz`) || title === one)?.[0]);
};

block('the order of numbers', (check) => {
  check('lists by number, chapter number and series compare fractions, in both directions', async () => {
    temp = await tempApp();
    token = await temp.tokenOf('admin');
    await stock();
    for (const { id, name } of (await ask('/api/v1/libraries')).data) {
      // In the library that takes numbers from metadata or names, or else by position, the last file is in eighth place.
      const all = name === 'both' ? [1, 1.5, 2, Number.NaN, 10, 10.25, 10.5, 11] : [...NUMBERS, Number.NaN];
      const numbers = all.filter((one) => !Number.isNaN(one));
      for (const sort of ['number', 'chapter_number', 'series'])
        for (const [direction, want] of [
          ['asc', numbers],
          ['desc', numbers.toReversed()],
        ] as const) {
          const { data } = await ask(`/api/v1/libraries/${id}/books?sort=${sort}&order=${direction}`);
          const found = (data as Book[]).map(numberOf).filter((one) => !Number.isNaN(one));
          assert.equal(found, want, `${name} by ${sort} ${direction}`);
        }
    }
  });
  check('the books of a series, the next book, and the apps agree', async () => {
    for (const { id, name } of (await ask('/api/v1/series')).data) {
      const books: Book[] = await ask(`/api/v1/series/${id}/books`);
      const found = books.filter((book) => !Number.isNaN(numberOf(book)));
      assert.equal(found.map(numberOf), NUMBERS, name);
      for (const [at, book] of books.entries()) {
        const { prev, next } = await ask(`/api/v1/books/${book.id}/adjacent`);
        assert.equal([prev?.id, next?.id], [books[at - 1]?.id, books[at + 1]?.id], `${name} ${book.path}`);
      }
      const { content } = await ask(`/komga/api/v1/series/${id}/books?unpaged=true`);
      const shown = (content as { metadata: { numberSort: number }; url: string; name: string }[])
        .map((book) => numberOf({ path: book.url, title: book.name }))
        .filter((one) => !Number.isNaN(one));
      assert.equal(shown, NUMBERS, `${name} in apps`);
      const feed = await ask(`/opds/v2/series/${id}`);
      const titles = (feed.publications as { metadata: { title: string } }[]).map(({ metadata }) => metadata.title);
      const own = new Map(books.map((book) => [book.title, numberOf(book)]));
      const positions = titles.flatMap((title) => (Number.isNaN(own.get(title) ?? Number.NaN) ? [] : [own.get(title)]));
      assert.equal(positions, NUMBERS, `${name} in the catalogue`);
    }
    assert.equal(temp.faults, []);
    await temp.close();
  });
});
