// The place inside a page: stored with the page, lost with it, and no reason to call a book read.
import type { ProgressChange } from '../../core/reading/completion.js';
import {
  advanceProgress,
  clearProgress,
  markBookRead,
  type Progress,
  readProgress,
  updateProgress,
} from '../../core/reading/progress.js';
import { progressRecords } from '../../core/reading/records.js';
import { assert, block } from '../kit.js';
import { openStock, readerOf, type Stock } from './stock.js';

let stock: Stock;

const ME = readerOf(1);

const strip = async (pages = 3): Promise<string> => {
  await stock.reset(1, 1);
  return (await stock.add({ series: 1, number: 1, pages, analyzed: true })).id;
};

const changed = async (id: string, change: ProgressChange): Promise<Progress> => {
  const record = await updateProgress(stock, ME, id, change);
  if (record === undefined) throw new Error('there is no record');
  return record;
};

const placeOf = ({ currentPage, pageOffset, completed }: Progress) => [currentPage, pageOffset, completed];

block(
  'reading: the place inside a page',
  (check) => {
    check('is stored with the page, and is part of the share that was read', async () => {
      const id = await strip(4);
      const record = await changed(id, { currentPage: 3, pageOffset: 0.5 });
      assert.equal(placeOf(record), [3, 0.5, false]);
      assert.is(record.percentage, 2.5 / 4);
      assert.equal(await readProgress(stock.db, ME.viewer, id), record);
      const { items } = await progressRecords(stock.db, ME.viewer, true, { page: 1, pageSize: 10 });
      assert.equal(items.map(placeOf), [[3, 0.5, false]]);
      assert.is(items[0]?.percentage, 2.5 / 4);
    });
    check('goes with the page, and stays when a client that knows pages alone names the same one', async () => {
      const id = await strip(4);
      await changed(id, { currentPage: 2, pageOffset: 0.25 });
      assert.equal(placeOf(await changed(id, { currentPage: 2 })), [2, 0.25, false]);
      assert.equal(placeOf(await changed(id, { isCompleted: false })), [2, 0.25, false]);
      assert.equal(placeOf(await changed(id, { currentPage: 3 })), [3, null, false]);
      await changed(id, { currentPage: 2, pageOffset: 0.25 });
      assert.equal(placeOf(await changed(id, { percentage: 0.5 })), [2, null, false]);
    });
    check('in the last page, a book is not read while the client says so, and is when its end is reached', async () => {
      for (const pages of [1, 3]) {
        const id = await strip(pages);
        const inLast = { currentPage: pages, pageOffset: 0.48, isCompleted: false };
        assert.equal(placeOf(await changed(id, inLast)), [pages, 0.48, false]);
        assert.equal(placeOf(await changed(id, { currentPage: pages })), [pages, null, true]);
        assert.equal(placeOf(await changed(id, inLast)), [pages, 0.48, false]);
        assert.equal(placeOf(await changed(id, { currentPage: pages, pageOffset: 0.9 })), [pages, null, true]);
        await changed(id, inLast);
        assert.equal(placeOf((await markBookRead(stock, ME, id)) as Progress), [pages, null, true]);
      }
    });
    check('without it, the last page is the end, whatever the client says', async () => {
      const id = await strip();
      assert.equal(placeOf(await changed(id, { currentPage: 3, isCompleted: false })), [3, null, true]);
    });
    check('an app that fetches the last page finishes a book that was left inside it', async () => {
      const id = await strip();
      await changed(id, { currentPage: 3, pageOffset: 0.1, isCompleted: false });
      await advanceProgress(stock, ME, id, 2);
      assert.equal(placeOf((await readProgress(stock.db, ME.viewer, id)) as Progress), [3, 0.1, false]);
      await advanceProgress(stock, ME, id, 3);
      assert.equal(placeOf((await readProgress(stock.db, ME.viewer, id)) as Progress), [3, null, true]);
    });
    check('an older place changes nothing, and a cleared book has none', async () => {
      const id = await strip();
      await changed(id, { currentPage: 2, pageOffset: 0.7 });
      const late = { currentPage: 2, pageOffset: 0.1, at: stock.clock.now() - 5_000 };
      assert.equal(placeOf(await changed(id, late)), [2, 0.7, false]);
      await clearProgress(stock, ME.viewer, id);
      assert.is(await readProgress(stock.db, ME.viewer, id), undefined);
    });
  },
  {
    before: async () => {
      stock = await openStock();
    },
    after: () => stock.close(),
  },
);
