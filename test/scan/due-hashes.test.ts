// Files that are hashed after their books can be read, as those on a slow disk are: which get their hash, and what keeps them from it.
import { readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { uuidOfHex } from '../../core/model/ids.js';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { allMade, BOOKS, bookPath, type CoveredShelf, door, onShelf } from './covered-shelf.js';

interface Row {
  readonly id: number;
  readonly name: string;
  readonly hash: string;
  readonly due: number;
  readonly revision: number;
  readonly updatedAt: number;
}

const rowsOf = ({ temp }: CoveredShelf): Promise<Row[]> =>
  temp.app.db.all<Row>(
    `SELECT id, file_name AS name, file_hash AS hash, hash_due AS due, revision, updated_at AS updatedAt FROM book WHERE deleted = 0 ORDER BY id`,
  );

/** As a scan of a slow disk leaves them. Returns them as they were, with their hashes. */
const forgetHashes = async (shelf: CoveredShelf): Promise<readonly Row[]> => {
  const before = await rowsOf(shelf);
  assert.ok(before.every(({ hash, due }) => /^[0-9a-f]{16}$/.test(hash) && due === 0));
  assert.is(new Set(before.map(({ hash }) => hash)).size, BOOKS);
  await shelf.temp.app.db.write(null, 'interactive', async (tx) => {
    await tx.run("UPDATE book SET file_hash = '', hash_due = 1");
    tx.report({ kind: 'book', change: 'updated', keys: 'all', aspects: 64 });
  });
  return before;
};

const scanned = async (shelf: CoveredShelf): Promise<readonly Row[]> => {
  await shelf.scan();
  await allMade(shelf);
  return forgetHashes(shelf);
};

const tasksOf = (shelf: CoveredShelf): Promise<{ readonly id: string; readonly state: string }[]> =>
  shelf.temp.app.db.all(
    `SELECT lower(hex(uuid)) AS id, state FROM task WHERE type = 'hash_due_books' ORDER BY id DESC`,
  );

/** Begins the work that is due, and waits for its end. */
const worked = async (shelf: CoveredShelf, state = 'completed'): Promise<void> => {
  const count = (await tasksOf(shelf)).length;
  await shelf.temp.app.due.resume();
  await until('the task ends', async () => {
    const [newest, ...others] = await tasksOf(shelf);
    return others.length >= count && newest?.state === state;
  });
};

const hashesIn = (rows: readonly Row[]): readonly (readonly [string, string])[] =>
  rows.map(({ name, hash }) => [name, hash] as const);

/** What a job of the pool that hashes does first. */
const beforeHashing = ({ temp }: CoveredShelf, act: (path: string) => Promise<void>): void => {
  const { pool } = temp.app;
  const { run } = pool;
  pool.run = async (name, input, options) => {
    if (name === 'hash') {
      await act('path' in input ? input.path : '');
      if (options.signal?.aborted === true) throw new AppError('Cancelled');
    }
    return run.call(pool, name, input, options) as never;
  };
};

block('files that are hashed after the scan', (check) => {
  check('they get the same hashes, and nothing else of the books changes', () =>
    onShelf(async (shelf) => {
      const before = await scanned(shelf);
      await worked(shelf);
      assert.equal(await rowsOf(shelf), before);
      const { data } = (await shelf.api('GET', '/books?pageSize=500')).json;
      assert.equal(
        new Set(data.map(({ fileHash }: Record<string, unknown>) => fileHash)),
        new Set(before.map(({ hash }) => hash)),
      );
      const listed = (await shelf.api('GET', '/tasks?taskType=hash_due_books')).json;
      assert.equal(
        listed.map(({ status, libraryId }: Record<string, unknown>) => [status, libraryId]),
        [['completed', shelf.libraryId]],
      );
    }),
  );
  check('a scan begins the work that an earlier one left', () =>
    onShelf(async (shelf) => {
      const before = await scanned(shelf);
      await shelf.scan();
      await until('the hashes are there', async () => (await rowsOf(shelf)).every(({ due }) => due === 0));
      assert.equal(hashesIn(await rowsOf(shelf)), hashesIn(before));
    }),
  );
  check('a book whose only analysis failed gets its hashes, and those beside it too', () =>
    onShelf(async (shelf) => {
      const before = await scanned(shelf);
      await shelf.temp.app.db.write(null, 'interactive', async (tx) => {
        await tx.run("UPDATE book SET koreader_hash = NULL, analyzed = 0, due = 0 WHERE file_name = 'Book 2.cbz'");
        tx.report({ kind: 'book', change: 'updated', keys: 'all', aspects: 80 });
      });
      await worked(shelf);
      assert.equal(hashesIn(await rowsOf(shelf)), hashesIn(before));
      assert.ok((await rowsOf(shelf)).every(({ due }) => due === 0));
    }),
  );
  check('a file that was replaced is left to the next scan, one that is gone to its return', () =>
    onShelf(async (shelf) => {
      const before = await scanned(shelf);
      writeBook(bookPath(shelf.temp, 2), 3, 'another book');
      const aside = join(shelf.temp.shelf, '..', 'aside.cbz');
      renameSync(bookPath(shelf.temp, 3), aside);
      await worked(shelf);
      const left = (await rowsOf(shelf)).filter(({ due }) => due === 1);
      assert.equal(
        left.map(({ name, hash }) => [name, hash]),
        [
          ['Book 2.cbz', ''],
          ['Book 3.cbz', ''],
        ],
      );
      renameSync(aside, bookPath(shelf.temp, 3));
      await shelf.scan();
      await until('the hashes are there', async () => (await rowsOf(shelf)).every(({ due }) => due === 0));
      const changed = (await rowsOf(shelf)).filter(
        ({ name, hash }) => before.find((row) => row.name === name)?.hash !== hash,
      );
      assert.equal(
        changed.map(({ name, hash }) => [name, hash.length]),
        [['Book 2.cbz', 16]],
      );
      rmSync(aside, { force: true });
    }),
  );
  check('a book that is moved before its file was hashed is still the same book, whatever the time of its file', () =>
    onShelf(async (shelf) => {
      const before = await scanned(shelf);
      const to = join(shelf.temp.shelf, 'Series', 'Moved.cbz');
      renameSync(bookPath(shelf.temp, 4), to);
      utimesSync(to, new Date(), new Date(Date.now() - 3_600_000));
      await shelf.scan();
      await until('the hashes are there', async () => (await rowsOf(shelf)).every(({ due }) => due === 0));
      const moved = (await rowsOf(shelf)).find(({ name }) => name === 'Moved.cbz');
      const original = before.find(({ name }) => name === 'Book 4.cbz');
      assert.equal([moved?.id, moved?.hash], [original?.id, original?.hash]);
      assert.is((await rowsOf(shelf)).length, BOOKS);
    }),
  );
  check('a book whose file was touched and not analysed since keeps its id when it is renamed', () =>
    onShelf(async (shelf) => {
      await shelf.scan();
      await allMade(shelf);
      const before = await rowsOf(shelf);
      const { pool } = shelf.temp.app;
      const { run } = pool;
      pool.run = async (name, input, options) => {
        if (name === 'analyze') throw new AppError('FileUnreadable');
        return run.call(pool, name, input, options) as never;
      };
      utimesSync(bookPath(shelf.temp, 5), new Date(), new Date(Date.now() - 3_600_000));
      await shelf.scan();
      pool.run = run;
      renameSync(bookPath(shelf.temp, 5), join(shelf.temp.shelf, 'Series', 'Renamed.cbz'));
      await shelf.scan();
      const renamed = (await rowsOf(shelf)).find(({ name }) => name === 'Renamed.cbz');
      const original = before.find(({ name }) => name === 'Book 5.cbz');
      assert.equal([renamed?.id, renamed?.hash], [original?.id, original?.hash]);
    }),
  );
  check(
    'a file that was replaced behind the same size and time is analysed again, and its pages get new addresses',
    () =>
      onShelf(async (shelf) => {
        const path = bookPath(shelf.temp, 1);
        const seconds = 1_700_000_000;
        utimesSync(path, seconds, seconds);
        const before = await scanned(shelf);
        const bytes = readFileSync(path);
        bytes.writeUInt8(bytes.readUInt8(10) ^ 1, 10); // the time of an entry
        writeFileSync(path, bytes);
        utimesSync(path, seconds, seconds);
        await worked(shelf);
        const left = (await rowsOf(shelf)).filter(({ due }) => due === 1);
        assert.equal(
          left.map(({ name, hash }) => [name, hash]),
          [['Book 1.cbz', '']],
        );
        await shelf.scan();
        const replaced = (await rowsOf(shelf)).find(({ name }) => name === 'Book 1.cbz');
        const original = before.find(({ name }) => name === 'Book 1.cbz');
        assert.is(replaced?.due, 0);
        assert.is.not(replaced?.hash, original?.hash);
        assert.is.not(replaced?.revision, original?.revision);
      }),
  );
  check('cancelled, the work leaves the rest to the next scan', () =>
    onShelf(async (shelf) => {
      const before = await scanned(shelf);
      const gate = door();
      let begun = 0;
      beforeHashing(shelf, () => {
        begun += 1;
        return gate.opened;
      });
      await shelf.temp.app.due.resume();
      await until('files are being hashed', () => begun > 0);
      const [task] = await tasksOf(shelf);
      const cancelling = shelf.api('POST', `/tasks/${uuidOfHex(task?.id ?? '')}/cancel`);
      gate.open();
      assert.is((await cancelling).status, 200);
      await until('the task ends', async () => (await tasksOf(shelf))[0]?.state === 'cancelled');
      assert.ok((await rowsOf(shelf)).some(({ due }) => due === 1));
      await shelf.scan();
      await until('the hashes are there', async () => (await rowsOf(shelf)).every(({ due }) => due === 0));
      assert.equal(hashesIn(await rowsOf(shelf)), hashesIn(before));
    }),
  );
  check('a book that is due for analysis gets its hash there', () =>
    onShelf(async (shelf) => {
      await scanned(shelf);
      let hashed = 0;
      beforeHashing(shelf, async () => {
        hashed += 1;
      });
      await shelf.scan('?mode=deep');
      await until('the hashes are there', async () => (await rowsOf(shelf)).every(({ due }) => due === 0));
      assert.is(hashed, 0);
      assert.ok((await rowsOf(shelf)).every(({ hash }) => hash.length === 16));
    }),
  );
});
