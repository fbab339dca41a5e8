// Covers that follow a scan: which are made, in which order, and what keeps them from it.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { AppError } from '../../core/model/errors.js';
import { uuidOfBytes, uuidOfHex } from '../../core/model/ids.js';
import { fixture } from '../../fixtures/index.js';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { allMade, BOOKS, bookPath, type CoveredShelf, door, onShelf } from './covered-shelf.js';

const ended = (shelf: CoveredShelf): Promise<void> =>
  until('the task ends', async () => !['pending', 'running'].includes((await shelf.tasks())[0]?.state ?? 'pending'));

const coverCounts = ({ coversTotal, coversProcessed }: Record<string, unknown>): unknown[] => [
  coversTotal,
  coversProcessed,
];

block('covers that follow a scan', (check) => {
  check('the scan ends before they are made; then they come, and viewing them makes none', async () => {
    const gate = door();
    await onShelf(
      async (shelf) => {
        await shelf.scan();
        const status = await shelf.status();
        assert.equal([status.status, status.filesProcessed, ...coverCounts(status)], ['completed', BOOKS, BOOKS, 0]);
        const { data } = (await shelf.api('GET', '/books')).json;
        assert.ok(
          data.every(({ analyzed, pageCount }: Record<string, unknown>) => analyzed === true && pageCount === 2),
        );
        gate.open();
        await allMade(shelf);
        assert.equal(coverCounts(await shelf.status()), [BOOKS, BOOKS]);
        for (const { id } of data) assert.is((await shelf.api('GET', `/books/${id}/thumbnail`)).status, 200);
        assert.is(shelf.jobs.length, BOOKS);
        assert.ok(shelf.jobs.every(({ lane }) => lane === 'background'));
      },
      { gate: () => gate.opened },
    );
  });
  check('the newest books are the first', () =>
    onShelf(async (shelf) => {
      const { pages, db } = shelf.temp.app;
      const { makeCover } = pages;
      const begun: string[] = [];
      pages.makeCover = (id, signal) => {
        begun.push(id);
        return makeCover.call(pages, id, signal);
      };
      await shelf.scan();
      await allMade(shelf);
      const rows = await db.all<{ uuid: Uint8Array }>('SELECT uuid FROM book ORDER BY id DESC');
      assert.equal(
        begun,
        rows.map(({ uuid }) => uuidOfBytes(uuid)),
      );
    }),
  );
  check('a cover that somebody looks at is made at once, and not again', async () => {
    const gate = door();
    await onShelf(
      async (shelf) => {
        await shelf.scan();
        const id = await shelf.idOf('Book 1.cbz');
        const { status, header } = await shelf.api('GET', `/books/${id}/thumbnail`);
        assert.equal([status, header('content-type')], [200, 'image/jpeg']);
        gate.open();
        await allMade(shelf);
        const own = shelf.jobs.filter(({ path, lane }) => path.endsWith('/Book 1.cbz') && lane === 'interactive');
        assert.is(own.length, 1);
      },
      { gate: ({ lane }) => (lane === 'background' ? gate.opened : undefined) },
    );
  });
  check('a book whose pages do not decode gets a remark, and is not tried again', () =>
    onShelf(async (shelf) => {
      const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000', 'hex');
      const path = join(shelf.temp.shelf, 'Series', 'Torn.cbz');
      writeFileSync(path, writeZip([{ name: '1.png', bytes: Buffer.concat([head, Buffer.alloc(40)]) }]));
      await shelf.scan();
      await allMade(shelf);
      await ended(shelf);
      const remarks = await shelf.temp.app.db.all('SELECT type, message FROM book_error');
      assert.equal(remarks, [
        {
          type: 'page_extraction',
          message: 'The images of these pages end too early, so parts of them may be missing: 1.',
        },
        { type: 'thumbnail', message: 'None of the first pages can be decoded, so the book has no cover.' },
      ]);
      const jobs = shelf.jobs.length;
      await shelf.scan();
      assert.equal([await shelf.left(), shelf.jobs.length - jobs], [0, 0]);
      assert.is((await shelf.tasks()).length, 1);
    }),
  );
  check('a book without any page, and one that is deleted while its cover is due, leave nothing behind', async () => {
    const gate = door();
    await onShelf(
      async (shelf) => {
        writeFileSync(join(shelf.temp.shelf, 'Series', 'Broken.cbz'), 'no archive');
        await shelf.scan();
        assert.is(await shelf.left(), BOOKS);
        rmSync(bookPath(shelf.temp, 3));
        await shelf.scan('?acceptMissing=true');
        assert.is(await shelf.left(), BOOKS - 1);
        gate.open();
        await allMade(shelf);
        await ended(shelf);
        const status = await shelf.status();
        assert.equal(coverCounts(status), [status.filesTotal, status.filesTotal]);
      },
      { gate: () => gate.opened },
    );
  });
  check('a cancelled task leaves them due; the end of the next scan begins it anew', async () => {
    const gate = door();
    await onShelf(
      async (shelf) => {
        await shelf.scan();
        await until('it runs', () => shelf.jobs.length > 0);
        const id = uuidOfHex((await shelf.tasks())[0]?.id ?? '');
        await shelf.temp.app.tasks.cancel(id);
        assert.equal([(await shelf.tasks())[0]?.state, await shelf.left()], ['cancelled', BOOKS]);
        assert.ok(Object.values(await shelf.states()).every((state) => state === 1));
        gate.open();
        await shelf.scan();
        await allMade(shelf);
      },
      { gate: () => gate.opened },
    );
  });
  check('a disk that does not answer ends the task and blames no book; a busy server is waited for', async () => {
    let silent = true;
    let busy = 1;
    await onShelf(
      async (shelf) => {
        await shelf.scan();
        await ended(shelf);
        const [task] = await shelf.tasks();
        assert.equal([task?.state, await shelf.left()], ['failed', BOOKS]);
        assert.match(task?.error ?? '', /does not respond/);
        silent = false;
        await shelf.scan();
        await allMade(shelf);
        assert.is(busy, 0);
      },
      {
        gate: () => {
          if (silent) throw new AppError('FileUnreadable', 'The disk does not respond.', { code: 'ETIMEDOUT' });
          if (busy > 0) {
            busy -= 1;
            throw new AppError('Overloaded');
          }
        },
      },
    );
  });
  check('books that cannot be read now keep their covers due: the disk may not be mounted', async () => {
    const gate = door();
    await onShelf(
      async (shelf) => {
        await shelf.scan();
        const away = `${shelf.temp.shelf} unmounted`;
        renameSync(shelf.temp.shelf, away);
        gate.open();
        await ended(shelf);
        renameSync(away, shelf.temp.shelf);
        assert.equal([shelf.jobs.length, await shelf.left()], [BOOKS, BOOKS]);
        assert.ok(Object.values(await shelf.states()).every((state) => state === 1));
        await shelf.scan();
        await allMade(shelf);
      },
      { gate: () => gate.opened },
    );
  });
  check('a deep scan remakes covers that are gone or of other bytes, and keeps the others', () =>
    onShelf(async (shelf) => {
      await shelf.scan();
      await allMade(shelf);
      await ended(shelf);
      writeBook(bookPath(shelf.temp, 2), 2, 'other bytes');
      const before = shelf.jobs.length;
      await shelf.scan('?mode=deep');
      await allMade(shelf);
      assert.equal(
        shelf.jobs.slice(before).map(({ path }) => path),
        [bookPath(shelf.temp, 2)],
      );
    }),
  );
  check('the cover of a packed RAR comes with its analysis, since its pages are unpacked then', () =>
    onShelf(async (shelf) => {
      const name = 'rar5-solid.cbr';
      writeFileSync(join(shelf.temp.shelf, name), readFileSync(fixture(`books/${name}`)));
      await shelf.scan();
      await allMade(shelf);
      assert.is((await shelf.api('GET', `/books/${await shelf.idOf(name)}/thumbnail`)).status, 200);
      assert.is(shelf.jobs.filter(({ path }) => path.endsWith(name)).length, 0);
    }),
  );
});
