// A page of a book that has to be analysed first: readers who leave, and files that take longer than anybody waits.
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { bytesOfUuid } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

/** Reading a hole of this size takes a while, even on a fast machine. */
const HOLE_BYTES = 800 * 1024 * 1024;

interface Shelf {
  readonly temp: TempApp;
  readonly bookId: string;
  readonly row: () => Promise<{ id: number; due: number; analyzed: number; attempts: number; file_size: number }>;
}

/** One book, whose file is replaced by a much larger one after the scan. */
const withGrownBook = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    const path = join(temp.shelf, 'Alpha', 'One.cbz');
    writeBook(path, 2, 'One');
    await temp.call('POST', '/api/v1/libraries', {
      token,
      body: { name: 'Shelf', path: temp.shelf, scanImmediately: true },
    });
    await until('the scan ends', () => temp.app.scans.active().length === 0);
    const { json } = await temp.call('GET', '/api/v1/books', { token });
    const zip = readFileSync(path);
    truncateSync(path, HOLE_BYTES);
    writeFileSync(path, zip, { flag: 'a' });
    const bookId: string = json.data[0].id;
    const row: Shelf['row'] = async () => {
      const [found] = await temp.app.db.all<Awaited<ReturnType<Shelf['row']>>>(
        'SELECT id, due, analyzed, attempts, file_size FROM book WHERE uuid = ?',
        [bytesOfUuid(bookId)],
      );
      if (found === undefined) throw new Error('no such book');
      return found;
    };
    await use({ temp, bookId, row });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

const isOf = (kind: string, thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === kind;

block('analyses that somebody waits for', (check) => {
  check('when the reader leaves, the analysis ends and the book stays as it was', () =>
    withGrownBook(async ({ temp: { app }, bookId, row }) => {
      const before = await row();
      const reader = new AbortController();
      const page = Promise.resolve(
        app.pages.page({
          viewer: unrestricted(1),
          bookId,
          pageNumber: 1,
          wish: {},
          has: () => false,
          signal: () => reader.signal,
        }),
      );
      await until('the analysis runs', () => app.pool.load().running === 1);
      reader.abort();
      assert.ok(isOf('Cancelled', await thrownBy(() => page)));
      await until('no thread works on it', () => app.pool.load().running === 0);
      assert.equal(await row(), before);
    }),
  );
  check('past the deadline the reader is told to wait, and the background reads the file', () =>
    withGrownBook(async ({ temp: { app }, bookId, row }) => {
      const { id: key, file_size: before } = await row();
      const asker = { user: 1, signal: new AbortController().signal };
      const thrown = await thrownBy(() => app.analyses.now({ key, id: bookId }, asker, 1));
      assert.ok(isOf('Overloaded', thrown));
      await until('the background reads it', async () => (await row()).due === 0, 60_000);
      const after = await row();
      assert.ok(after.file_size > before, 'the new file was read');
      assert.is(after.attempts, 0);
    }),
  );
});
