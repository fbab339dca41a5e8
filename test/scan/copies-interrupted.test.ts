// A process that is killed while a used copy takes over what people did with its original. Wherever the kill was, the next scan leaves one
// series that has all of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { comicInfo, paged } from './changing-shelf.js';

const APP = JSON.stringify(new URL('../started/app.js', import.meta.url).href);
const BOOKS = 3;
/** More transactions than the scan needs. */
const STEPS_MAX = 40;

/** Time goes on from process to process: a book that was added after the last scan is one that may have been moved. */
const HOUR_MS = 3_600_000;
let startMs = Date.UTC(2026, 0, 1);

/** What the steps change. */
const STATE = `SELECT json_array(
  (SELECT json_group_array(json_array(id, series_id, deleted)) FROM book),
  (SELECT json_group_array(json_array(id, summary, age_rating, locks)) FROM series),
  (SELECT json_group_array(json_array(series_id)) FROM collection_series),
  (SELECT json_group_array(json_array(book_id, series_id)) FROM want_to_read),
  (SELECT json_group_array(json_array(series_id)) FROM series_sharing_tag),
  (SELECT json_group_array(json_array(series_id, hex(of_book), selected)) FROM cover),
  (SELECT json_group_array(json_array(book_id, current_page)) FROM read_progress)) AS state`;

const PLACE = `(SELECT f.path || '/' || b.file_name FROM book b JOIN folder f ON f.id = b.folder_id WHERE`;

/** What is stored about the books and their series, without keys. */
const STORED = {
  series: 'SELECT path AS at, book_count AS value FROM series WHERE book_count > 0 ORDER BY path',
  summaries: `SELECT path AS at, summary AS value FROM series WHERE summary <> '' AND book_count > 0`,
  ratings: 'SELECT path AS at, age_rating AS value FROM series WHERE age_rating IS NOT NULL AND book_count > 0',
  collected: 'SELECT s.path AS at, 1 AS value FROM collection_series x JOIN series s ON s.id = x.series_id',
  wanted: 'SELECT s.path AS at, 1 AS value FROM want_to_read x JOIN series s ON s.id = x.series_id',
  tags: `SELECT s.path AS at, t.name AS value FROM series_sharing_tag x JOIN series s ON s.id = x.series_id AND s.book_count > 0
    JOIN sharing_tag t ON t.id = x.sharing_tag_id`,
  covers: `SELECT iif(c.series_id IS NULL, 'collection', (SELECT s.path FROM series s WHERE s.id = c.series_id)) AS at,
    ${PLACE} b.uuid = c.of_book AND b.deleted = 0) AS value FROM cover c WHERE c.selected = 1 ORDER BY 1`,
  places: `SELECT ${PLACE} b.id = p.book_id AND b.deleted = 0) AS at, p.current_page AS value FROM read_progress p ORDER BY 1`,
} as const;

const COPY = 'Copies/Saga';

const EXPECTED: Readonly<Record<keyof typeof STORED, readonly (readonly [at: string, value: string | number])[]>> = {
  series: [
    [COPY, BOOKS],
    ['Others', 9],
  ],
  summaries: [[COPY, 'Mine']],
  ratings: [[COPY, 18]],
  collected: [[COPY, 1]],
  wanted: [[COPY, 1]],
  tags: [[COPY, 'adults']],
  covers: [
    [COPY, `${COPY}/Saga 2.cbz`],
    ['collection', `${COPY}/Saga 1.cbz`],
  ],
  places: [
    [`${COPY}/Saga 1.cbz`, 5],
    [`${COPY}/Saga 2.cbz`, 4],
  ],
};

const storedIn = async ({ app }: TempApp): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const [name, sql] of Object.entries(STORED))
    all[name] = (await app.db.all<{ at: string; value: unknown }>(sql)).map(({ at, value }) => [at, value]);
  return all;
};

/** Scans on this folder; in the transaction that would make the change with this number, the process dies. Returns whether it did. */
const diesAt = async (folder: string, step: number): Promise<boolean> => {
  startMs += HOUR_MS;
  const script = `const { tempApp } = await import(${APP});
    let before, changes = 0;
    const begin = () => async (tx) => {
      const [{ state }] = await tx.all(${JSON.stringify(STATE)});
      if (before !== undefined && state !== before && ++changes === ${step}) process.kill(process.pid, 'SIGKILL');
      before = state;
    };
    const clock = { now: () => ${startMs}, elapsed: () => 0 };
    const { app, call, tokenOf } = await tempApp({ folder: ${JSON.stringify(folder)}, engine: { clock, inspection: { setup: '', begin } } });
    const token = await tokenOf('admin');
    const { json } = await call('GET', '/api/v1/libraries', { token });
    await call('POST', '/api/v1/libraries/' + json.data[0].id + '/scan', { token });
    while (app.scans.active().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.ok(code === 0 || signal === 'SIGKILL', `${code} ${signal}`);
  return signal === 'SIGKILL';
};

interface Opened {
  readonly temp: TempApp;
  ask(method: string, path: string, body?: unknown): ReturnType<TempApp['call']>;
  scan(query?: string): Promise<void>;
  /** By the end of its path. */
  book(path: string): Promise<{ readonly id: string; readonly seriesId: string }>;
}

const opened = async (folder: string, use: (opened: Opened) => Promise<void>): Promise<void> => {
  startMs += HOUR_MS;
  let elapsed = 0;
  const clock = { now: () => startMs + elapsed, elapsed: () => elapsed };
  const temp = await tempApp({ folder, engine: { clock } });
  try {
    const token = await temp.tokenOf('admin');
    const ask: Opened['ask'] = async (method, path, body) => {
      const answer = await temp.call(method, `/api/v1${path}`, { token, ...(body !== undefined && { body }) });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.bytes}`);
      return answer;
    };
    const isQuiet = (): boolean => temp.app.scans.active().length === 0;
    await use({
      temp,
      ask,
      scan: async (query = '') => {
        await until('the resumed scan ends', isQuiet);
        elapsed += 1000;
        const { json } = await ask('GET', '/libraries');
        await ask('POST', `/libraries/${json.data[0].id}/scan${query}`);
        await until('the scan ends', isQuiet);
      },
      book: async (path) => {
        const { json } = await ask('GET', '/books?pageSize=500');
        const found = json.data.find((row: { path: string }) => row.path.endsWith(path));
        assert.ok(found !== undefined, `${path} is a book`);
        return found;
      },
    });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

/** The original is read, edited, listed, wanted and tagged, and has a chosen cover; so is a book of the copy, in part. Then it is deleted. */
const prepare = (folder: string, isNew: boolean): Promise<void> =>
  opened(folder, async ({ temp, ask, scan, book }) => {
    const { shelf } = temp;
    for (const name of ['Others', 'Saga']) mkdirSync(join(shelf, name), { recursive: true });
    for (let n = 1; n <= 9; n += 1)
      writeFileSync(join(shelf, 'Others', `Other ${n}.cbz`), writeZip(paged(`other ${n}`, 5)));
    for (let n = 1; n <= BOOKS; n += 1)
      writeFileSync(join(shelf, 'Saga', `Saga ${n}.cbz`), writeZip(paged(`saga ${n}`, 6)));
    await ask('POST', '/libraries', { name: 'Shelf', path: shelf });
    await scan();
    mkdirSync(join(shelf, 'Copies'));
    cpSync(join(shelf, 'Saga'), join(shelf, COPY), { recursive: true });
    if (isNew) writeFileSync(join(shelf, COPY, 'Saga 3.cbz'), writeZip([...paged('saga 3', 6), comicInfo('Three')]));
    await scan(isNew ? '?folder=Copies' : '');
    const [first, second] = [await book(`${shelf}/Saga/Saga 1.cbz`), await book(`${shelf}/Saga/Saga 2.cbz`)];
    const copy = await book(`${COPY}/Saga 2.cbz`);
    if (isNew) await ask('PATCH', `/series/${copy.seriesId}/metadata`, { imprint: 'Small' });
    await ask('PUT', `/books/${first.id}/progress`, { current_page: 5 });
    await ask('PUT', `/books/${second.id}/progress`, { current_page: 4 });
    await ask('PUT', `/books/${copy.id}/progress`, { current_page: 2 });
    const { seriesId } = first;
    await ask('PATCH', `/series/${seriesId}/metadata`, { summary: 'Mine', ageRating: 18 });
    const { json: collection } = await ask('POST', '/collections', { name: 'Mine' });
    await ask('POST', `/collections/${collection.id}/series`, { seriesIds: [seriesId] });
    await ask('PATCH', `/collections/${collection.id}/cover/source`, { source: `book:${first.id}` });
    await ask('PATCH', `/series/${seriesId}/cover/source`, { source: `book:${second.id}` });
    await ask('POST', '/want-to-read', { seriesId });
    const { json: tag } = await ask('POST', '/admin/sharing-tags', { name: 'adults' });
    await ask('POST', `/series/${seriesId}/sharing-tags`, { sharingTagId: tag.id });
    rmSync(join(shelf, 'Saga'), { recursive: true });
  });

const killed = async (isNew: boolean): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), 'longbox-copies-killed-'));
  const [folder, ready] = [join(root, 'now'), join(root, 'ready')];
  // Copied books would have other times, as if they had changed.
  const data = join(folder, 'data');
  try {
    mkdirSync(folder);
    await prepare(folder, isNew);
    cpSync(data, ready, { recursive: true });
    let step = 1;
    for (; step < STEPS_MAX; step += 1) {
      rmSync(data, { recursive: true });
      cpSync(ready, data, { recursive: true });
      const isKilled = await diesAt(folder, step);
      await opened(folder, async (now) => {
        for (const scan of ['the next scan', 'the one after it']) {
          await now.scan();
          assert.equal(await storedIn(now.temp), EXPECTED, `step ${step}, ${scan}`);
        }
      });
      if (!isKilled) break;
    }
    assert.ok(step > 3 && step < STEPS_MAX, `${step - 1} kills`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

block('a used copy takes over, and the process is killed', (test) => {
  test('after any of its steps, the next scan completes it and nothing is lost', () => killed(false));
  test('nor if no complete scan has seen the copy, and one of its books is another file', () => killed(true));
});
