// Files that are renumbered take paths of others: each book follows its content, with all that people did to it.
import { renameSync, rmSync, utimesSync } from 'node:fs';
import fc from 'fast-check';
import { writeZip } from '../../bench/zip-writer.js';
import { uuidOfHex } from '../../core/model/ids.js';
import { SYSTEM } from '../../core/store/feed.js';
import { assert, block, IS_FULL } from '../kit.js';
import { type ChangingShelf, comicInfo, paged, withChangingShelf } from './changing-shelf.js';

const PAGES = 8;
const work = (name: string, tag?: string): Buffer =>
  writeZip([...paged(name, PAGES), ...(tag === undefined ? [] : [comicInfo(tag)])]);

const pathOf = (n: number): string => `Saga/Ch ${n}.cbz`;

/** Chapters 1 to 4, each read to the page after its number and with a title, a list and a want-to-read entry; others around them. */
const withChapters = (use: (shelf: ChangingShelf, ids: readonly string[]) => Promise<void>): Promise<void> =>
  withChangingShelf(async (shelf) => {
    for (let n = 1; n <= 9; n += 1) shelf.write(`Others/Other ${n}.cbz`, paged(`other ${n}`, 5));
    for (let n = 1; n <= 4; n += 1) {
      shelf.put(pathOf(n), work(`chapter ${n}`));
      // Files of the same size are told apart by their times.
      utimesSync(shelf.path(pathOf(n)), n, n);
    }
    await shelf.scan();
    const ids: string[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const { id } = await shelf.book(`Ch ${n}.cbz`);
      ids.push(id);
      await shelf.read(id, n + 1);
      assert.is((await shelf.api('PATCH', `/books/${id}/metadata`, { title: `Mine ${n}` })).status, 200);
    }
    await use(shelf, ids);
  });

/** What chapter is at a path: the book with its progress and its title. */
const isAt = async (shelf: ChangingShelf, ids: readonly string[], chapter: number, path: string): Promise<void> => {
  const book = await shelf.book(path);
  assert.is(book.id, ids[chapter - 1], `${path} is chapter ${chapter}`);
  assert.is(book.title, `Mine ${chapter}`);
  assert.is(book.pageCount, PAGES);
  assert.is((await shelf.progress(book.id))?.currentPage, chapter + 1);
  const page = await shelf.api('GET', `/books/${book.id}/pages/1`);
  assert.is(page.status, 200);
  assert.ok(page.bytes.includes(`chapter ${chapter} 1`), `${path} shows chapter ${chapter}`);
};

const isNew = async (shelf: ChangingShelf, ids: readonly string[], path: string): Promise<void> => {
  const book = await shelf.book(path);
  assert.not.ok(ids.includes(book.id), `${path} is another book`);
  assert.is(await shelf.progress(book.id), undefined);
  assert.is((await shelf.api('GET', `/books/${book.id}/pages/1`)).status, 200);
};

const move = (shelf: ChangingShelf, from: number, to: number): void =>
  renameSync(shelf.path(pathOf(from)), shelf.path(pathOf(to)));

const swap = (shelf: ChangingShelf, one: string, other: string): void => {
  renameSync(shelf.path(one), shelf.path('Saga/x'));
  renameSync(shelf.path(other), shelf.path(one));
  renameSync(shelf.path('Saga/x'), shelf.path(other));
};

interface Change {
  readonly op: 'insert' | 'delete' | 'swap' | 'retag' | 'restore';
  readonly at: number;
  readonly other: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  op: fc.constantFrom('insert', 'insert', 'delete', 'swap', 'swap', 'retag', 'restore'),
  at: fc.nat(20),
  other: fc.nat(20),
});

/** Chapters in their order. */
class Chapters {
  order: string[] = ['a', 'b', 'c', 'd', 'e'];
  gone: string[] = [];
  readonly ids = new Map<string, string>();
  readonly #tags = new Map<string, number>();
  readonly #shelf: ChangingShelf;
  #time = 1;
  #made = 0;

  constructor(shelf: ChangingShelf) {
    this.#shelf = shelf;
  }

  apply({ op, at, other }: Change): void {
    const [one, two] = [at % Math.max(1, this.order.length), other % Math.max(1, this.order.length)];
    const [chapter, second] = [this.order[one], this.order[two]];
    if (op === 'insert') this.order.splice(one, 0, `new ${this.#fresh()}`);
    else if (op === 'restore') this.order.splice(one, 0, ...this.gone.splice(at % Math.max(1, this.gone.length), 1));
    else if (chapter === undefined || second === undefined) return;
    else if (op === 'delete') this.gone.push(...this.order.splice(one, 1));
    else if (op === 'retag') this.#tags.set(chapter, (this.#tags.get(chapter) ?? 0) + 1);
    else [this.order[one], this.order[two]] = [second, chapter];
  }

  #fresh(): number {
    this.#made += 1;
    return this.#made;
  }

  /** Files are numbered by their order. */
  write(): void {
    rmSync(this.#shelf.path('Saga'), { recursive: true, force: true });
    for (const [at, chapter] of this.order.entries()) {
      this.#shelf.put(pathOf(at + 1), work(chapter, `tag ${this.#tags.get(chapter) ?? 0}`));
      utimesSync(this.#shelf.path(pathOf(at + 1)), this.#time, this.#time);
      this.#time += 1;
    }
  }

  /** New chapters are read, each to a page of its own. */
  async check(): Promise<void> {
    const found = await this.#shelf.books();
    for (const [at, chapter] of this.order.entries()) {
      const book = found.find(({ path }) => path.endsWith(`/${pathOf(at + 1)}`));
      const known = this.ids.get(chapter);
      const progress = await this.#shelf.progress(book?.id ?? '');
      const page = 2 + ((chapter.charCodeAt(chapter.length - 1) * 7) % (PAGES - 2));
      if (known !== undefined)
        assert.equal([book?.id, progress?.currentPage], [known, page], `${chapter} at ${at + 1}`);
      else {
        assert.is(progress, undefined, `${chapter} is new at ${at + 1}`);
        this.ids.set(chapter, book?.id ?? '');
        await this.#shelf.read(book?.id ?? '', page);
      }
    }
    assert.is(found.filter(({ path }) => path.includes('/Saga/')).length, this.order.length);
  }
}

const play = (scans: readonly (readonly Change[])[]): Promise<void> =>
  withChangingShelf(async (shelf) => {
    for (let n = 1; n <= 12; n += 1) shelf.write(`Others/Other ${n}.cbz`, paged(`other ${n}`, 5));
    const chapters = new Chapters(shelf);
    chapters.write();
    await shelf.scan();
    await chapters.check();
    for (const changes of scans) {
      for (const one of changes) chapters.apply(one);
      chapters.write();
      await shelf.scan();
      await chapters.check();
    }
  });

const MODEL_TIME = IS_FULL ? { deadlineS: 300 } : {};

block(
  'files at paths of other books',
  (check) => {
    check('a chapter is inserted: those after it are renumbered', () =>
      withChapters(async (shelf, ids) => {
        move(shelf, 4, 5);
        move(shelf, 3, 4);
        move(shelf, 2, 3);
        shelf.put(pathOf(2), work('inserted chapter'));
        await shelf.scan();
        await isAt(shelf, ids, 1, 'Ch 1.cbz');
        await isNew(shelf, ids, 'Ch 2.cbz');
        for (const n of [2, 3, 4]) await isAt(shelf, ids, n, `Ch ${n + 1}.cbz`);
        assert.is((await shelf.books()).length, 14);
        await shelf.scan();
        for (const n of [2, 3, 4]) await isAt(shelf, ids, n, `Ch ${n + 1}.cbz`);
      }),
    );
    check('the same, with other tags in every file', () =>
      withChapters(async (shelf, ids) => {
        for (const n of [4, 3, 2]) shelf.put(pathOf(n + 1), work(`chapter ${n}`, `Number ${n + 1}`));
        shelf.put(pathOf(2), work('inserted chapter', 'Number 2'));
        await shelf.scan();
        await isNew(shelf, ids, 'Ch 2.cbz');
        for (const n of [2, 3, 4]) await isAt(shelf, ids, n, `Ch ${n + 1}.cbz`);
      }),
    );
    check('two chapters are swapped, and back', () =>
      withChapters(async (shelf, ids) => {
        swap(shelf, pathOf(2), pathOf(3));
        await shelf.scan();
        await isAt(shelf, ids, 2, 'Ch 3.cbz');
        await isAt(shelf, ids, 3, 'Ch 2.cbz');
        swap(shelf, pathOf(2), pathOf(3));
        await shelf.scan();
        await isAt(shelf, ids, 2, 'Ch 2.cbz');
        await isAt(shelf, ids, 3, 'Ch 3.cbz');
      }),
    );
    check('three change places in a circle, across folders', () =>
      withChapters(async (shelf, ids) => {
        shelf.put(pathOf(2), work('chapter 1', 'one'));
        shelf.put(pathOf(3), work('chapter 2', 'two, which'));
        rmSync(shelf.path(pathOf(1)));
        shelf.put('Others/Other 1.cbz', work('chapter 3', 'three'));
        await shelf.scan();
        await isAt(shelf, ids, 1, 'Ch 2.cbz');
        await isAt(shelf, ids, 2, 'Ch 3.cbz');
        await isAt(shelf, ids, 3, 'Other 1.cbz');
        await isAt(shelf, ids, 4, 'Ch 4.cbz');
        assert.is((await shelf.books()).length, 12);
      }),
    );
    check('a chapter is deleted, and the others move up: its record is gone, until its file is back', () =>
      withChapters(async (shelf, ids) => {
        rmSync(shelf.path(pathOf(2)));
        move(shelf, 3, 2);
        move(shelf, 4, 3);
        await shelf.scan();
        await isAt(shelf, ids, 3, 'Ch 2.cbz');
        await isAt(shelf, ids, 4, 'Ch 3.cbz');
        assert.not.ok((await shelf.books()).some(({ id }) => id === ids[1]));
        shelf.put('Saga/Back.cbz', work('chapter 2', 'retagged'));
        await shelf.scan();
        await isAt(shelf, ids, 2, 'Back.cbz');
      }),
    );
    check('a better scan or a retagged file at the same path is the same book', () =>
      withChapters(async (shelf, ids) => {
        shelf.put(pathOf(2), work('a better scan of it, larger'));
        for (const n of [1, 3, 4]) shelf.put(pathOf(n), work(`chapter ${n}`, `retagged ${n}`.padEnd(20 + n)));
        shelf.write('Saga/Ch 5.cbz', paged('chapter 5', PAGES));
        await shelf.scan();
        for (const n of [1, 3, 4]) await isAt(shelf, ids, n, `Ch ${n}.cbz`);
        const book = await shelf.book('Ch 2.cbz');
        assert.is(book.id, ids[1]);
        assert.is((await shelf.progress(book.id))?.currentPage, 3);
      }),
    );
    check('after an interruption, a file of quite another size is recognised as well', () =>
      withChangingShelf(async (shelf) => {
        for (let n = 1; n <= 9; n += 1) shelf.write(`Others/Other ${n}.cbz`, paged(`other ${n}`, 5));
        // With two pages, the file itself decides.
        const large = [...paged('large', 2), { name: 'scan.txt', bytes: Buffer.alloc(400_000, 7) }];
        shelf.write('Saga/A.cbz', large);
        shelf.write('Saga/B.cbz', paged('small', 2));
        await shelf.scan();
        const ids = [(await shelf.book('A.cbz')).id, (await shelf.book('B.cbz')).id];
        for (const id of ids) await shelf.read(id, 2);
        renameSync(shelf.path('Saga/A.cbz'), shelf.path('Saga/C.cbz'));
        renameSync(shelf.path('Saga/B.cbz'), shelf.path('Saga/A.cbz'));
        const change = (sql: string) => shelf.temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));
        await change("CREATE TRIGGER cut BEFORE DELETE ON book BEGIN SELECT RAISE(ABORT, 'cut short'); END");
        await shelf.scan();
        await change('DROP TRIGGER cut');
        shelf.temp.faults.length = 0;
        await shelf.scan();
        assert.equal([(await shelf.book('C.cbz')).id, (await shelf.book('A.cbz')).id], ids);
        for (const id of ids) assert.is((await shelf.progress(id))?.currentPage, 2);
      }),
    );
    check('nothing is guessed where the same content is at two paths', () =>
      withChapters(async (shelf, ids) => {
        shelf.put(pathOf(3), work('chapter 2', 'one of two'));
        shelf.put(pathOf(5), work('chapter 2', 'the other of two'));
        shelf.put(pathOf(2), work('something else'));
        await shelf.scan();
        for (const n of [2, 3]) assert.is((await shelf.book(`Ch ${n}.cbz`)).id, ids[n - 1]);
        await isNew(shelf, ids, 'Ch 5.cbz');
      }),
    );
    check('lists and the progress of reader apps follow', () =>
      withChapters(async (shelf, ids) => {
        const token = await shelf.temp.tokenOf('admin');
        const marked = await shelf.temp.call(
          'PATCH',
          `/komga/api/v1/books/${ids[2]?.replaceAll('-', '')}/read-progress`,
          {
            token,
            body: { page: 4 },
          },
        );
        assert.is(marked.status, 204);
        const list = await shelf.api('POST', '/readlists', { name: 'Mine' });
        await shelf.api('POST', `/readlists/${list.json.id}/books`, { bookIds: [ids[2]] });
        assert.ok((await shelf.api('POST', '/want-to-read', { bookId: ids[2] })).status < 300);
        move(shelf, 4, 5);
        move(shelf, 3, 4);
        shelf.put(pathOf(3), work('inserted chapter'));
        await shelf.scan();
        const members = (await shelf.api('GET', `/readlists/${list.json.id}/books`)).json;
        const books = (members.data ?? members) as { id: string; path: string }[];
        assert.is(books.map(({ id, path }) => `${id} ${path.slice(-8)}`).join(), `${ids[2]} Ch 4.cbz`);
        const wanted = JSON.stringify((await shelf.api('GET', '/want-to-read')).json);
        assert.ok(wanted.includes(ids[2] ?? '-') && !wanted.includes((await shelf.book('Ch 3.cbz')).id), wanted);
        const app = (await shelf.temp.call('GET', '/komga/api/v1/books?size=100', { token })).json.content;
        const shown = app.find((one: { url: string }) => one.url.endsWith('Ch 4.cbz'));
        assert.is(uuidOfHex(String(shown?.id).replaceAll('-', '')), ids[2]);
        assert.is(shown?.readProgress?.page, 4, JSON.stringify(shown));
      }),
    );
    check('whatever is inserted, deleted, swapped, retagged and restored, each chapter is its book', async () => {
      const scans = fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
      await fc.assert(fc.asyncProperty(scans, play), { numRuns: IS_FULL ? 40 : 8, endOnFailure: !IS_FULL });
    });
  },
  MODEL_TIME,
);
