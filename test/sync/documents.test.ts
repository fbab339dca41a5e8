// Documents of e-readers and the books that they are: names, copies, and what others read meanwhile.
import { renameSync, rmSync } from 'node:fs';
import { writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type DeviceShelf, openDeviceShelf } from './device-shelf.js';
import { type Device, md5 } from './devices.js';

let on: DeviceShelf;

const pages = async (device: Device, document: string, ...all: readonly number[]): Promise<void> => {
  for (const page of all) {
    on.shelf.temp.advance(5000);
    const { status } = await device.push({ document, progress: `${page}`, percentage: page / 10 });
    assert.is(status, 200);
  }
};

const told = async (device: Device, document: string): Promise<unknown> => {
  const { json } = await device.pull(document);
  return json.progress === undefined ? undefined : [json.progress, json.device_id];
};

const names = (check: Check): void => {
  check(
    'a file that was renamed is found by its former name, and one that was changed by its former hash',
    async () => {
      const before = await on.bookAt('first.cbz');
      await pages(on.kobo, md5('first.cbz'), 2);
      renameSync(on.place('A/first.cbz'), on.place('A/second.cbz'));
      await on.scan();
      const renamed = await on.bookAt('second.cbz');
      assert.is(renamed.id, before.id);
      await pages(on.kobo, md5('first.cbz'), 3);
      assert.equal(await on.progressOf(renamed), [3, false]);
      await pages(on.kobo, md5('second.cbz'), 4);
      assert.equal(await on.progressOf(renamed), [4, false]);
      writeBook(on.place('A/second.cbz'), 10, 'other bytes');
      await on.scan();
      const changed = await on.bookAt('second.cbz');
      assert.equal([changed.id, changed.koreaderHash === before.koreaderHash], [before.id, false]);
      await pages(on.kobo, before.koreaderHash, 5);
      assert.equal(await on.progressOf(changed), [5, false]);
      await pages(on.kobo, changed.koreaderHash, 6);
      assert.equal(await on.progressOf(changed), [6, false]);
    },
  );
  check(
    'a file is found by the name under which catalogues offer it, if its own has the extension of another format',
    async () => {
      const name = 'G/really a zip.cbr';
      writeBook(on.place(name), 10, 'misnamed');
      await on.scan();
      const book = await on.bookAt(name);
      await pages(on.kobo, md5('really a zip.cbz'), 6);
      assert.equal(await on.progressOf(book), [6, false]);
      await pages(on.kobo, md5('really a zip.cbr'), 7);
      assert.equal(await on.progressOf(book), [7, false]);
    },
  );
  check('devices with different copies of a book are told the words of the other', async () => {
    const book = await on.bookAt('second.cbz');
    await pages(on.kobo, md5('first.cbz'), 7);
    assert.equal(await told(on.kindle, book.koreaderHash), ['7', 'kobo']);
  });
  check('a name that several books have is nobody’s until one of them is read', async () => {
    const [one, two] = [await on.bookAt('B/01.cbz'), await on.bookAt('C/01.cbz')];
    await pages(on.kobo, md5('01.cbz'), 3);
    assert.equal([await on.progressOf(one), await on.progressOf(two)], [undefined, undefined]);
    assert.equal(await told(on.kindle, md5('01.cbz')), ['3', 'kobo']);
    await on.asAnn('PUT', `/books/${two.id}/progress`, { currentPage: 4 });
    await pages(on.kobo, md5('01.cbz'), 5);
    assert.equal([await on.progressOf(one), await on.progressOf(two)], [undefined, [5, false]]);
  });
  check('of equal files the one that was read last is meant, and none is refused', async () => {
    const [one, two] = [await on.bookAt('twin-1.cbz'), await on.bookAt('twin-2.cbz')];
    assert.is(one.koreaderHash, two.koreaderHash);
    await pages(on.kobo, one.koreaderHash, 2);
    const first = (await on.progressOf(one)) === undefined ? two : one;
    const second = first === one ? two : one;
    on.shelf.temp.advance(1);
    await on.asAnn('PUT', `/books/${second.id}/progress`, { currentPage: 3 });
    assert.is((await on.kobo.pull(one.koreaderHash)).json.progress, '3');
    await pages(on.kobo, one.koreaderHash, 4);
    assert.equal(
      [await on.progressOf(first), await on.progressOf(second)],
      [
        [2, false],
        [4, false],
      ],
    );
  });
  check('a book that is gone is a document like any other', async () => {
    const book = await on.bookAt('leaving.cbz');
    await pages(on.kobo, book.koreaderHash, 2);
    rmSync(on.place('E/leaving.cbz'));
    await on.scan();
    await pages(on.kobo, book.koreaderHash, 3);
    assert.equal(await told(on.kindle, book.koreaderHash), ['3', 'kobo']);
  });
};

const others = (check: Check): void => {
  check('whoever wrote last is told, and time that is set back changes nothing', async () => {
    const book = await on.bookAt('plain.cbz');
    const document = book.koreaderHash;
    await pages(on.kobo, document, 5, 3);
    assert.equal(await told(on.kindle, document), ['3', 'kobo']);
    on.shelf.temp.advance(5000);
    await on.asAnn('PUT', `/books/${book.id}/progress`, { currentPage: 8 });
    assert.is((await on.kobo.pull(document)).json.progress, '8');
    on.shelf.temp.jump(-3_600_000);
    await on.asAnn('PUT', `/books/${book.id}/progress`, { currentPage: 9 });
    assert.is((await on.kobo.pull(document)).json.progress, '9');
    await pages(on.kobo, document, 2);
    assert.equal(await told(on.kindle, document), ['2', 'kobo']);
    await on.asAnn('PUT', `/books/${book.id}/progress`, { currentPage: 7 });
    assert.is((await on.kobo.pull(document)).json.progress, '7');
    on.shelf.temp.jump(3_600_000);
  });
  check('a queue of old reports that arrives late counts in its order', async () => {
    const { koreaderHash: document, id } = await on.bookAt('plain.cbz');
    await on.asAnn('PUT', `/books/${id}/progress`, { currentPage: 9 });
    const sent = [4, 5, 6].map((page) => on.kobo.push({ document, progress: `${page}`, percentage: page / 10 }));
    assert.equal(
      (await Promise.all(sent)).map(({ status }) => status),
      [200, 200, 200],
    );
    const last = (await on.kobo.pull(document)).json.progress;
    assert.equal(await on.progressOf({ id }), [Number(last), false]);
    await pages(on.kobo, document, 4, 6);
    assert.equal(await on.progressOf({ id }), [6, false]);
  });
  check('two devices at once leave what one of them sent', async () => {
    const { koreaderHash: document, id } = await on.bookAt('plain.cbz');
    for (let n = 0; n < 20; n += 1) {
      const page = 1 + (n % 8);
      await Promise.all([
        on.kobo.push({ document, progress: `${page}`, percentage: page / 10 }),
        on.kindle.push({ document, progress: `${page + 1}`, percentage: (page + 1) / 10 }),
        on.asAnn('PUT', `/books/${id}/progress`, { currentPage: 10 - page }),
      ]);
      const { json } = await on.kobo.pull(document);
      assert.equal(await on.progressOf({ id }), [Number(json.progress), json.progress === '10']);
    }
  });
  check('to go back opens the book again and leaves the history', async () => {
    const { koreaderHash: document, id } = await on.bookAt('finished.cbz');
    await pages(on.kobo, document, 10);
    assert.equal(await on.progressOf({ id }), [10, true]);
    await pages(on.kobo, document, 0.1);
    await on.kobo.push({ document, progress: '1', percentage: 0 });
    assert.equal(await on.progressOf({ id }), [1, false]);
    assert.is((await on.asAnn('GET', `/books/${id}/read-history`)).json.readCount, 1);
  });
  check('what was cleared stays so until the next report', async () => {
    const { koreaderHash: document, id } = await on.bookAt('finished.cbz');
    await pages(on.kobo, document, 4);
    on.shelf.temp.advance(5000);
    await on.asAnn('DELETE', `/books/${id}/progress`);
    assert.is(await told(on.kindle, document), undefined);
    await pages(on.kobo, document, 4);
    assert.equal(
      [await told(on.kindle, document), await on.progressOf({ id })],
      [
        ['4', 'kobo'],
        [4, false],
      ],
    );
  });
  check('pages beyond the book, below it and no pages are the nearest, and returned as sent', async () => {
    const { koreaderHash: document, id } = await on.bookAt('plain.cbz');
    for (const [progress, percentage, page] of [
      ['99999', 0.5, 10],
      ['0', 0.31, 4],
      ['-7', 0, 1],
      ['/body/DocFragment[3]/x', 0.5, 5],
      ['❤', -1, 1],
      ['1', 5, 1],
    ] as const) {
      assert.is((await on.kobo.push({ document, progress, percentage })).status, 200);
      assert.equal(
        [(await on.kobo.pull(document)).json.progress, (await on.kobo.pull(document)).json.percentage],
        [progress, percentage],
      );
      assert.is((await on.progressOf({ id }))?.[0], page, progress);
    }
  });
};

block(
  'documents of e-readers',
  (check) => {
    names(check);
    others(check);
  },
  {
    before: async () => {
      on = await openDeviceShelf();
    },
    after: () => on.shelf.temp.close(),
    deadlineS: 120,
  },
);
