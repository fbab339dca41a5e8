// Random reports of two copies of a book, reading in another app, clearing and clocks that are set: whoever wrote last is told, as in a model of
// few lines.
import fc from 'fast-check';
import { clearProgress, updateProgress } from '../../core/reading/progress.js';
import { SYSTEM } from '../../core/store/feed.js';
import { BookNames } from '../../core/sync/book-names.js';
import { askForDocument, reportDocument, type SyncParts } from '../../core/sync/documents.js';
import { reportChanged } from '../changed-rows.js';
import { assert, block, IS_FULL } from '../kit.js';
import { openStock, readerOf, type Stock } from '../reading/stock.js';
import { md5 } from './devices.js';

const USERS = 2;
const PAGES = 9;
/** The first two are copies of the same book, each on a device of its own; the last is no book. */
const DOCUMENTS = [md5('now'), md5('before'), md5('elsewhere')] as const;

const user = fc.integer({ min: 1, max: USERS });
const page = fc.integer({ min: 1, max: PAGES });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('report' as const), user, page, document: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), user, page }) },
  fc.record({ do: fc.constant('clear' as const), user }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 900, 5000, -3_600_000) }),
);

let stock: Stock;
let parts: SyncParts;

const withBook = async (): Promise<string> => {
  await stock.reset(USERS, 1);
  const { key, id } = await stock.add({ series: 1, number: 1, pages: PAGES, analyzed: true });
  for (const hash of [DOCUMENTS[1], DOCUMENTS[0]])
    await stock.db.write(SYSTEM, 'interactive', async (tx) => {
      await tx.run('UPDATE book SET koreader_hash = ? WHERE id = ?', [hash, key]);
      await reportChanged(tx);
    });
  return id;
};

type Steps = readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[];

const play = async (steps: Steps): Promise<void> => {
  const id = await withBook();
  const last = new Map<string, readonly [progress: string, device: string]>();
  const slot = (of: number, document: number): string => `${of} ${document === 2 ? 'elsewhere' : 'book'}`;
  for (const one of steps) {
    if (one.do === 'wait') stock.advance(one.ms);
    else if (one.do === 'read') {
      await updateProgress(stock, readerOf(one.user), id, { currentPage: one.page });
      last.set(slot(one.user, 0), [`${one.page}`, readerOf(one.user).device.id]);
    } else if (one.do === 'clear') {
      await clearProgress(stock, readerOf(one.user).viewer, id);
      last.delete(slot(one.user, 0));
    } else {
      const deviceId = `device ${one.document}`;
      const place = { progress: `${one.page}`, percentage: one.page / PAGES, device: 'Reader', deviceId };
      await reportDocument(parts, readerOf(one.user).viewer, { ...place, document: DOCUMENTS[one.document] ?? '' });
      last.set(slot(one.user, one.document), [place.progress, deviceId]);
    }
    for (let reader = 1; reader <= USERS; reader += 1)
      for (const [index, document] of DOCUMENTS.entries()) {
        const told = await askForDocument(parts, readerOf(reader).viewer, document);
        assert.equal(told && [told.progress, told.deviceId], last.get(slot(reader, index)), `${reader} ${index}`);
      }
  }
};

block(
  'random e-readers',
  (check) => {
    check('whoever wrote last is told', () =>
      fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 12 }), play), { numRuns: IS_FULL ? 60 : 20 }),
    );
  },
  {
    before: async () => {
      stock = await openStock();
      parts = { ...stock, bookNames: new BookNames(stock.db, stock.clock, () => undefined) };
    },
    after: () => stock.close(),
    deadlineS: 120,
  },
);
