// The inspection itself: what it says about reports whose public ids or parents are missing or wrong.
import type { Tx } from '../../core/store/db.js';
import { created, type PublicRow, type Report, removed, SYSTEM } from '../../core/store/feed.js';
import { type ChangedRow, reportOf } from '../changed-rows.js';
import { wrongParents } from '../feed-parents.js';
import { assert, block } from '../kit.js';
import { openTempDb } from '../temp-db.js';

const HEX = '0198C0DE00007000800000000000000A';
const OTHER: PublicRow = { id: 3, hex: '0198C0DE00007000800000000000000B' };
const ID = '0198c0de-0000-7000-8000-00000000000a';

const BOOK: ChangedRow = {
  kind: 'book',
  key: 3,
  change: 'removed',
  aspects: 127,
  libraryKey: 1,
  seriesKey: 2,
  hex: HEX,
  oldLibrary: null,
  oldSeries: null,
  userKey: null,
};

const MOVED: ChangedRow = { ...BOOK, change: 'updated', hex: null, oldLibrary: 1, oldSeries: 5 };

block('the comparison of reports with rows', (check) => {
  const wrong = async (rows: readonly ChangedRow[], reports: readonly Report[]): Promise<readonly string[]> => {
    const { db, close } = await openTempDb('parents');
    try {
      return await db.write(SYSTEM, 'interactive', (tx: Tx) => wrongParents(tx, rows, reports, true));
    } finally {
      await close();
    }
  };
  const inPlace = { libraryKey: 1, seriesKey: 2 };
  const right = `removed book 3 ${ID} in library 1 series 2`;

  check('right ids and parents pass', async () => {
    const row = { id: 3, hex: HEX };
    assert.equal(await wrong([BOOK], [removed('book', [row], inPlace)]), []);
    assert.equal(await wrong([MOVED], [{ ...reportOf(MOVED), aspects: 1 }]), []);
  });
  check('a report without them, or of another row, series or change, fails', async () => {
    const bare: Report = { kind: 'book', change: 'removed', keys: [3], aspects: 127, ...inPlace };
    assert.equal(await wrong([BOOK], [bare]), [`does not report: ${right}`]);
    assert.equal(await wrong([BOOK], [{ ...bare, keys: 'all' }]), [`does not report: ${right}`]);
    assert.equal(await wrong([BOOK], [removed('book', [OTHER], inPlace)]), [
      `does not report: ${right}`,
      'reports what did not happen: removed book 3 0198c0de-0000-7000-8000-00000000000b in library 1 series 2',
    ]);
    const row = { id: 3, hex: HEX };
    assert.equal(await wrong([BOOK], [removed('book', [row], { libraryKey: 1 })]), [
      `does not report: ${right}`,
      `reports what did not happen: removed book 3 ${ID} in library 1 series undefined`,
    ]);
    assert.is((await wrong([BOOK], [created('book', [row], inPlace)])).length, 2);
  });
  check('a move without the place before fails', async () => {
    const { before: _, ...report } = reportOf(MOVED);
    assert.equal(await wrong([MOVED], [report]), [
      'does not report: updated book 3 undefined in library 1 series 2, before: library 1 series 5',
    ]);
  });
});
