// A series whose folder was copied, scanned, and then deleted is the copy, with all that people did to the series.
import { cpSync, rmSync } from 'node:fs';
import { writeZip } from '../../bench/zip-writer.js';
import { assert, block } from '../kit.js';
import { type ChangingShelf, comicInfo, paged, withChangingShelf } from './changing-shelf.js';

/** Three books in a series that is in a collection and has a summary by a user; perhaps the second is read. */
const withSeries = (isRead: boolean, use: (shelf: ChangingShelf, series: string) => Promise<void>): Promise<void> =>
  withChangingShelf(async (shelf) => {
    for (let n = 1; n <= 9; n += 1) shelf.write(`Others/Other ${n}.cbz`, paged(`other ${n}`, 5));
    for (let n = 1; n <= 3; n += 1) shelf.write(`Saga/Saga ${n}.cbz`, paged(`saga ${n}`, 6));
    await shelf.scan();
    const { id, seriesId } = await shelf.book('Saga 2.cbz');
    if (isRead) await shelf.read(id, 4);
    const { json } = await shelf.api('POST', '/collections', { name: 'Mine' });
    assert.ok((await shelf.api('POST', `/collections/${json.id}/series`, { seriesIds: [seriesId] })).status < 300);
    assert.is((await shelf.api('PATCH', `/series/${seriesId}/metadata`, { summary: 'Mine' })).status, 200);
    await use(shelf, seriesId);
    const members = (await shelf.api('GET', `/collections/${json.id}/series`)).json;
    const ids = ((members.data ?? members) as { id: string }[]).map((one) => one.id);
    assert.equal(ids, [seriesId]);
    if (!isRead) return;
    const book = (await shelf.books()).find((one) => one.id === id);
    assert.is((await shelf.progress(book?.id ?? ''))?.currentPage, 4);
  });

const copy = (shelf: ChangingShelf, to = 'Copies/Saga'): void =>
  cpSync(shelf.path('Saga'), shelf.path(to), { recursive: true });

block('copied series', (check) => {
  for (const isRead of [true, false])
    check(`the series is its copy, ${isRead ? 'with a book that was read' : 'though no book was read'}`, () =>
      withSeries(isRead, async (shelf, series) => {
        copy(shelf);
        await shelf.scan();
        rmSync(shelf.path('Saga'), { recursive: true });
        await shelf.scan();
        const saga = (await shelf.books()).filter(({ path }) => path.includes('/Copies/Saga/'));
        assert.equal([saga.length, ...new Set(saga.map(({ seriesId }) => seriesId))], [3, series]);
        assert.is((await shelf.api('GET', `/series/${series}`)).json.summary, 'Mine');
        const names = (await shelf.api('GET', '/series')).json.data.map((one: { id: string }) => one.id);
        assert.is(names.length, 2);
      }),
    );
  check('so is one of retagged files', () =>
    withSeries(true, async (shelf, series) => {
      for (let n = 1; n <= 3; n += 1)
        shelf.put(`Tagged/Chapter ${n}.cbz`, writeZip([...paged(`saga ${n}`, 6), comicInfo(`Tag ${n}`)]));
      await shelf.scan();
      rmSync(shelf.path('Saga'), { recursive: true });
      await shelf.scan();
      assert.is((await shelf.book('Chapter 2.cbz')).seriesId, series);
    }),
  );
  check('a folder with other books too is not the series', () =>
    withSeries(false, async (shelf, series) => {
      copy(shelf);
      shelf.write('Copies/Saga/Own.cbz', paged('own', 7));
      await shelf.scan();
      rmSync(shelf.path('Saga'), { recursive: true });
      await shelf.scan();
      assert.is.not((await shelf.book('Own.cbz')).seriesId, series);
      shelf.write('Saga/Saga 4.cbz', paged('saga 4', 6));
      await shelf.scan();
      assert.is((await shelf.book('Saga 4.cbz')).seriesId, series);
    }),
  );
});
