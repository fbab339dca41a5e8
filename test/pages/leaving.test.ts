// Readers who leave before their page is there, and files that take longer to read than anybody waits.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { AppError } from '../../core/model/errors.js';
import { bytesOfUuid } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { Content } from '../../core/pages/content.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

const PIXEL = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
/** Reading a hole of this size takes a while, even on a fast machine. */
const HOLE_BYTES = 800 * 1024 * 1024;

/** Resolves when the scan of the shelf has ended; the id of its only book. */
const scanned = async (temp: TempApp): Promise<string> => {
  const token = await temp.tokenOf('admin');
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  await temp.call('POST', '/api/v1/libraries', { token, body });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  const { json } = await temp.call('GET', '/api/v1/books', { token });
  return json.data[0].id;
};

const pageOf = ({ app }: TempApp, bookId: string, signal: AbortSignal): Content | Promise<Content> =>
  app.pages.page({
    viewer: unrestricted(1),
    bookId,
    pageNumber: 1,
    wish: {},
    has: () => false,
    signal: () => signal,
  });

const firstPage = async (temp: TempApp, bookId: string, signal: AbortSignal): Promise<Content> =>
  pageOf(temp, bookId, signal);

interface Shelf {
  readonly temp: TempApp;
  readonly bookId: string;
  readonly row: () => Promise<{ id: number; due: number; analyzed: number; attempts: number; file_size: number }>;
}

/** One book, whose file is replaced by a much larger one after the scan. */
const withGrownBook = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const path = join(temp.shelf, 'Alpha', 'One.cbz');
    writeBook(path, 2, 'One');
    const bookId = await scanned(temp);
    const zip = readFileSync(path);
    truncateSync(path, HOLE_BYTES);
    writeFileSync(path, zip, { flag: 'a' });
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

block('readers who leave or wait long', (check) => {
  check(
    'a page that was read moments ago is not read from disk when the file of its book is checked again',
    async () => {
      const temp = await tempApp();
      try {
        writeBook(join(temp.shelf, 'Alpha', 'One.cbz'), 2, 'One');
        const bookId = await scanned(temp);
        const { signal } = new AbortController();
        const heatOf = (content: Content): boolean => {
          assert.is(content.kind, 'file');
          if (content.kind === 'file') content.release();
          return content.kind === 'file' && content.hot;
        };
        assert.is(heatOf(await pageOf(temp, bookId, signal)), false);
        const answers: (Content | Promise<Content>)[] = [];
        await until('the file is checked again', () => {
          const page = pageOf(temp, bookId, signal);
          if (page instanceof Promise) answers.push(page);
          else heatOf(page);
          return answers.length > 0;
        });
        for (const answer of answers) assert.is(heatOf(await answer), true);
      } finally {
        await temp.close();
      }
    },
  );
  check('when the reader leaves, the analysis ends and the book stays as it was', () =>
    withGrownBook(async ({ temp, bookId, row }) => {
      const { app } = temp;
      const before = await row();
      const reader = new AbortController();
      const page = firstPage(temp, bookId, reader.signal);
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
      const again = await thrownBy(() => app.analyses.now({ key, id: bookId }, asker));
      assert.ok(isOf('Overloaded', again), 'who asks again does not take a thread');
      await until('the background reads it', async () => (await row()).due === 0, 60_000);
      const after = await row();
      assert.ok(after.file_size > before, 'the new file was read');
      assert.is(after.attempts, 0);
    }),
  );
  check('who leaves while a page is unpacked gets nothing; others get the page', async () => {
    const temp = await tempApp();
    try {
      const path = join(temp.shelf, 'Alpha', 'One.cbz');
      mkdirSync(dirname(path));
      writeFileSync(path, writeZip([{ name: '1.gif', bytes: PIXEL, isDeflated: true }]));
      const bookId = await scanned(temp);
      const staying = new AbortController().signal;
      await temp.app.pages.table({ viewer: unrestricted(1), bookId });
      const pages = [AbortSignal.abort(), staying].map((signal) => firstPage(temp, bookId, signal));
      const [left, stayed] = await Promise.allSettled(pages);
      assert.ok(left?.status === 'rejected' && isOf('Cancelled', left.reason));
      assert.ok(stayed?.status === 'fulfilled' && stayed.value.kind === 'bytes');
      assert.equal(Buffer.from(stayed.value.bytes), PIXEL);
    } finally {
      await temp.close();
    }
  });
});
