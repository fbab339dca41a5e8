// Many readers whose apps only fetch pages, followed at once: nobody who is still reading is dropped in favour of others.
import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import type { Reader } from '../../core/reading/progress.js';
import { progressRecords } from '../../core/reading/records.js';
import { StreamedReading } from '../../core/reading/streamed-reading.js';
import { assert, block } from '../kit.js';
import { openStock, readerOf, type Stock } from './stock.js';

const OTHERS = 2500;
const SLOWLY = 20_000;
/** More than are followed at once. */
const OPEN_MAX = 4000;
const DROPPED = 60_000;
/** The id of a device alone takes more. */
const BYTES_EACH = 50;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};
/** Only readers who may write progress are followed. */
const followed = (userKey: number): Reader => {
  const { viewer, device } = readerOf(userKey);
  return { viewer: { ...viewer, permissions: new Set(['ProgressWrite']) }, device };
};
const [ME, OTHER] = [followed(1), followed(2)];

let stock: Stock;
let streamed: StreamedReading;
const faults: unknown[] = [];

const fetchPage = (bookId: string, page: number, reader = ME): void =>
  streamed.note({ reader, bookId, page, askedAt: stock.clock.elapsed() });

const openOthers = (): void => {
  for (let n = 0; n < OTHERS; n += 1) fetchPage(uuidOfHex(newId(n)), 1, OTHER);
};

const storedPage = async (bookId: string): Promise<number | undefined> => {
  const { items } = await progressRecords(stock.db, ME.viewer, false, { page: 1, pageSize: 9 });
  return items.find((record) => record.bookId === bookId)?.currentPage;
};

block(
  'streamed reading',
  (check) => {
    check('somebody who keeps reading is followed, however many others open books in the meantime', async () => {
      const { id } = await stock.add({ series: 1, number: 1, pages: 40, analyzed: true });
      for (let page = 1; page <= 6; page += 1) {
        fetchPage(id, page);
        openOthers();
        stock.advance(SLOWLY);
        await streamed.settle();
      }
      assert.is(await storedPage(id), 6);
    });
    check('what was read is stored before its reading session is dropped', async () => {
      const { id } = await stock.add({ series: 1, number: 2, pages: 40, analyzed: true });
      for (let page = 1; page <= 3; page += 1) {
        fetchPage(id, page);
        stock.advance(SLOWLY);
      }
      fetchPage(id, 4);
      openOthers();
      await streamed.settle();
      assert.is(await storedPage(id), 3);
    });
    check('sessions that are dropped because there are too many leave nothing behind', () => {
      const read = (count: number): void => {
        for (let n = 0; n < count; n += 1) {
          const device = { ...OTHER.device, id: randomUUID() };
          fetchPage(uuidOfHex(newId(n)), 3, { ...OTHER, device }); // a single page that is not the first is on the screen
        }
      };
      read(OPEN_MAX);
      const before = heapBytes();
      read(DROPPED);
      assert.ok(heapBytes() - before < DROPPED * BYTES_EACH, `${heapBytes() - before} bytes`);
    });
    check('no fault was reported', () => assert.equal(faults, []));
  },
  {
    before: async () => {
      stock = await openStock();
      await stock.reset(2, 1);
      streamed = new StreamedReading({ db: stock.db, clock: stock.clock, onFault: (thrown) => faults.push(thrown) });
    },
    after: async () => {
      await streamed.close();
      await stock.close();
    },
  },
);
