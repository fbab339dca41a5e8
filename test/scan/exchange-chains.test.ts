// Chains of renumbered files that are longer than a transaction: each book follows its content, also if the server stops in the middle.
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { paged } from './changing-shelf.js';

const PAGES = 4;
const OTHERS = 3;

interface Row {
  readonly name: string;
  readonly id: string;
  readonly page: number | null;
}

/** Chapters 1 to `count`; all books whose number divides by 3 were read to page 3. */
class LongSeries {
  temp: TempApp;
  readonly #folder: string;
  /** Of each chapter. */
  readonly ids = new Map<number, string>();
  token = '';
  library = '';

  constructor(temp: TempApp, folder: string) {
    this.temp = temp;
    this.#folder = folder;
  }

  path(n: number): string {
    return join(this.temp.shelf, 'Saga', `Ch ${n}.cbz`);
  }

  write(n: number): void {
    writeFileSync(this.path(n), writeZip(paged(`chapter ${n}`, PAGES)));
    utimesSync(this.path(n), n, n);
  }

  /** Before all others, which are renumbered. */
  insert(count: number): void {
    this.shift(count);
    writeFileSync(this.path(1), writeZip(paged('inserted', PAGES)));
  }

  /** Each chapter gets the number that follows. */
  shift(count: number): void {
    for (let n = count; n > 0; n -= 1) renameSync(this.path(n), this.path(n + 1));
  }

  async scan(): Promise<string> {
    this.temp.advance(1000);
    await this.temp.call('POST', `/api/v1/libraries/${this.library}/scan`, { token: this.token });
    await until('the scan ends', () => this.temp.app.scans.active().length === 0, 60_000);
    const answer = await this.temp.call('GET', `/api/v1/libraries/${this.library}/scan-status`, { token: this.token });
    return answer.json.status;
  }

  rows(): Promise<readonly Row[]> {
    return this.temp.app.db.all<Row>(
      `SELECT b.file_name AS name, hex(b.uuid) AS id, r.current_page AS page
       FROM book b LEFT JOIN read_progress r ON r.book_id = b.id WHERE b.deleted = 0 AND b.file_name LIKE 'Ch %'`,
    );
  }

  async restart(): Promise<void> {
    await this.temp.close();
    this.temp = await tempApp({ folder: this.#folder });
    this.token = await this.temp.tokenOf('admin');
  }

  /** The next scan fails when it gives a book this path; returns how many books have another path by then. */
  async scanUntil(name: string): Promise<number> {
    const before = new Map((await this.rows()).map((row) => [row.id, row.name]));
    const change = (sql: string) => this.temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));
    await change(
      `CREATE TRIGGER cut BEFORE UPDATE OF file_name ON book WHEN NEW.file_name = '${name}' BEGIN SELECT RAISE(ABORT, 'cut short'); END`,
    );
    assert.is(await this.scan(), 'failed');
    await change('DROP TRIGGER cut');
    return (await this.rows()).filter((row) => before.has(row.id) && before.get(row.id) !== row.name).length;
  }

  /** `placeOf`: the number that a chapter has now; undefined: it is gone. */
  async check(count: number, total: number, placeOf: (chapter: number) => number | undefined): Promise<void> {
    const found = new Map((await this.rows()).map((row) => [row.name, row]));
    assert.is(found.size, total);
    for (let chapter = 1; chapter <= count; chapter += 1) {
      const place = placeOf(chapter);
      const id = this.ids.get(chapter);
      const page = chapter % 3 === 0 ? 3 : null;
      if (place === undefined)
        assert.not.ok(
          [...found.values()].some((row) => row.id === id),
          `${chapter} is gone`,
        );
      else {
        const name = `Ch ${place}.cbz`;
        assert.equal(found.get(name), { name, id, page }, `chapter ${chapter}`);
      }
    }
    const due = await this.temp.app.db.all(
      "SELECT 1 FROM book WHERE deleted = 0 AND (due = 1 OR file_name LIKE '%/%')",
    );
    assert.equal(due, [], 'every book is read, and at the path of a file');
    const [{ n } = { n: 0 }] = await this.temp.app.db.all<{ n: number }>('SELECT book_count AS n FROM library');
    assert.is(n, total + OTHERS);
  }
}

const withSeries = async (count: number, use: (series: LongSeries) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-chains-'));
  const series = new LongSeries(await tempApp({ folder }), folder);
  try {
    const { shelf } = series.temp;
    for (const name of ['Saga', 'Others']) mkdirSync(join(shelf, name));
    for (let n = 1; n <= OTHERS; n += 1)
      writeFileSync(join(shelf, 'Others', `Other ${n}.cbz`), writeZip(paged(`other ${n}`, 5)));
    for (let n = 1; n <= count; n += 1) series.write(n);
    series.token = await series.temp.tokenOf('admin');
    const body = { name: 'Shelf', path: shelf };
    series.library = (await series.temp.call('POST', '/api/v1/libraries', { token: series.token, body })).json.id;
    assert.is(await series.scan(), 'completed');
    for (const { name, id } of await series.rows()) series.ids.set(Number(/\d+/.exec(name)?.[0]), id);
    await series.temp.app.db.write(SYSTEM, 'interactive', (tx) =>
      tx.run(
        `INSERT INTO read_progress (uuid, user_id, book_id, series_id, current_page, completed, live, started_at, updated_at)
         SELECT randomblob(16), u.id, b.id, b.series_id, 3, 0, 1, 1, 1 FROM book b CROSS JOIN (SELECT id FROM user ORDER BY id LIMIT 1) u
         WHERE b.file_name LIKE 'Ch %' AND CAST(substr(b.file_name, 4) AS INTEGER) % 3 = 0`,
      ),
    );
    await use(series);
  } finally {
    await series.temp.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const next = (chapter: number): number => chapter + 1;

/** The last chapter becomes the first. */
const turn = (series: LongSeries, count: number): void => {
  series.shift(count);
  renameSync(series.path(count + 1), series.path(1));
};

const stops = (check: Check): void => {
  for (const cut of [40, 170, 290])
    check(`a chain that is interrupted at ${cut} is completed after the next start`, () =>
      withSeries(310, async (series) => {
        series.insert(310);
        const moved = await series.scanUntil(`Ch ${cut}.cbz`);
        assert.is(moved, Math.floor((311 - cut) / 100) * 100, 'whole batches, from the end');
        await series.restart();
        assert.is(await series.scan(), 'completed');
        await series.check(310, 311, next);
      }),
    );
  check('so is one whose first file is renamed again in the meantime', () =>
    withSeries(210, async (series) => {
      series.shift(210);
      assert.is(await series.scanUntil('Ch 50.cbz'), 100);
      renameSync(series.path(2), series.path(999));
      await series.restart();
      assert.is(await series.scan(), 'completed');
      await series.check(210, 210, (chapter) => (chapter === 1 ? 999 : chapter + 1));
    }),
  );
  for (const cut of [30, 120, 215])
    check(`so is a circle that is interrupted at ${cut}`, () =>
      withSeries(220, async (series) => {
        turn(series, 220);
        const moved = await series.scanUntil(`Ch ${cut}.cbz`);
        assert.ok(moved < 220, `${moved} have moved`);
        await series.restart();
        assert.is(await series.scan(), 'completed');
        await series.check(220, 220, (chapter) => (chapter % 220) + 1);
      }),
    );
};

block('long chains of renumbered files', (check) => {
  check('a chapter is inserted before 350 others', () =>
    withSeries(350, async (series) => {
      series.insert(350);
      assert.is(await series.scan(), 'completed');
      await series.check(350, 351, next);
      assert.is(await series.scan(), 'completed');
      await series.check(350, 351, next);
    }),
  );
  check('the first of 250 is deleted, and the others move up', () =>
    withSeries(250, async (series) => {
      rmSync(series.path(1));
      for (let n = 2; n <= 250; n += 1) renameSync(series.path(n), series.path(n - 1));
      assert.is(await series.scan(), 'completed');
      await series.check(250, 249, (chapter) => (chapter === 1 ? undefined : chapter - 1));
    }),
  );
  for (const count of [101, 200, 250])
    check(`the last of ${count} becomes the first`, () =>
      withSeries(count, async (series) => {
        turn(series, count);
        assert.is(await series.scan(), 'completed');
        await series.check(count, count, (chapter) => (chapter % count) + 1);
      }),
    );
  stops(check);
});
