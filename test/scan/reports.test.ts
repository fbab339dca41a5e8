// What a listener learns about a scan, a move and a removal: enough to name every row and whoever could see it, without a query.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

interface Shelf {
  readonly temp: TempApp;
  readonly libraryId: string;
  scan(): Promise<void>;
  /** What the feed delivers while `work` runs. */
  heard(work: () => Promise<void>): Promise<readonly Report[]>;
  remove(): Promise<void>;
}

const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    for (const [series, count] of [
      ['Alpha', 3],
      ['Beta', 2],
    ] as const)
      for (let n = 1; n <= count; n += 1)
        writeBook(join(temp.shelf, series, `${series} ${n}.cbz`), 1, `${series} ${n}`.padEnd(5000 + n));
    const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
    const address = `/api/v1/libraries/${made.json.id}`;
    let heard: Report[] = [];
    temp.app.db.feed.listen({ onBatch: ({ reports }) => heard.push(...reports), forget: () => undefined });
    await use({
      temp,
      libraryId: made.json.id,
      scan: async () => {
        temp.advance(1000);
        assert.is((await temp.call('POST', `${address}/scan`, { token })).status, 200);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
      },
      heard: async (work) => {
        heard = [];
        await work();
        return heard;
      },
      remove: async () => {
        assert.is((await temp.call('DELETE', address, { token })).status, 204);
        await until('its rows are gone', () =>
          heard.some(({ kind, change }) => kind === 'library' && change === 'removed'),
        );
      },
    });
  } finally {
    await temp.close();
  }
};

interface Row {
  readonly key: number;
  readonly id: string;
  readonly series: number;
  readonly library: number;
}

const rowsOf = (shelf: Shelf, kind: 'book' | 'series'): Promise<Row[]> =>
  shelf.temp.app.db.all<Row>(
    `SELECT id AS key, lower(hex(uuid)) AS id, ${kind === 'book' ? 'series_id' : '0'} AS series, library_id AS library FROM ${kind} ORDER BY key`,
  );

/** The rows that reports of this kind and change name. */
const named = (reports: readonly Report[], kind: string, change: string): Row[] =>
  reports
    .filter((report) => report.kind === kind && report.change === change)
    .flatMap(({ keys, publicIds, seriesKey, libraryKey }) =>
      (keys === 'all' ? [] : keys).map((key, at) => ({
        key,
        id: publicIds?.[at]?.replaceAll('-', '') ?? 'none',
        series: seriesKey ?? 0,
        library: libraryKey ?? 0,
      })),
    )
    .sort((a, b) => a.key - b.key);

block('what listeners hear of rows that come, move and go', (check) => {
  check('a scan reports each new series and book with its parents', () =>
    withShelf(async (shelf) => {
      const reports = await shelf.heard(() => shelf.scan());
      const [books, series] = [await rowsOf(shelf, 'book'), await rowsOf(shelf, 'series')];
      assert.is(books.length, 5);
      assert.equal(named(reports, 'book', 'created'), books);
      assert.equal(named(reports, 'series', 'created'), series);
    }),
  );
  check('a book that moves to another series is reported with both series', () =>
    withShelf(async (shelf) => {
      await shelf.scan();
      const [alpha, beta] = await rowsOf(shelf, 'series');
      const [first] = await rowsOf(shelf, 'book');
      renameSync(join(shelf.temp.shelf, 'Alpha', 'Alpha 1.cbz'), join(shelf.temp.shelf, 'Beta', 'Beta 9.cbz'));
      const reports = await shelf.heard(() => shelf.scan());
      assert.ok(alpha !== undefined && beta !== undefined && first !== undefined);
      const libraryKey = alpha.library;
      assert.equal(
        reports
          .filter(({ before }) => before !== undefined)
          .map(({ kind, change, keys, seriesKey, libraryKey, before }) => ({
            kind,
            change,
            keys,
            seriesKey,
            libraryKey,
            before,
          })),
        [
          {
            kind: 'book',
            change: 'updated',
            keys: [first.key],
            seriesKey: beta.key,
            libraryKey,
            before: { libraryKey, seriesKey: alpha.key },
          },
        ],
      );
      const [temporary, ...others] = named(reports, 'book', 'removed');
      assert.equal([temporary, ...others], named(reports, 'book', 'created'));
      assert.is(temporary?.series, beta.key);
    }),
  );
  check('the removal of a library reports everything that was in it', () =>
    withShelf(async (shelf) => {
      await shelf.scan();
      const [books, series] = [await rowsOf(shelf, 'book'), await rowsOf(shelf, 'series')];
      const reports = await shelf.heard(() => shelf.remove());
      assert.equal(named(reports, 'book', 'removed'), books);
      assert.equal(named(reports, 'series', 'removed'), series);
      assert.equal(
        reports.filter(({ kind, change }) => kind === 'library' && change === 'removed').map((one) => one.publicIds),
        [[shelf.libraryId]],
      );
    }),
  );
});
