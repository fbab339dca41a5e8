// kill -9 in the middle of a scan, again and again: each start goes on, and in the end every count is exact. Likewise between a scan and the
// covers that follow it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDb } from '../../core/store/db.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { until, writeBook } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';
import { kill, startProgram } from './program.js';

const [BOOKS, KILLS] = IS_FULL ? [2000, 20] : [600, 3];
/** Enough for a kill to come before the last cover. */
const COVERED = IS_FULL ? 2000 : 300;
/** Analysed books between two kills, at least: one that comes before anything was done counts against the scan. */
const STEP = 15;
/** There are no kills once so many are left: a book that was alone when a kill came goes last, and a second one would set it aside. */
const LEFT = 400;

const countIn = async (data: string, where: string): Promise<number> => {
  const db = await openDb({ path: join(data, 'longbox.db'), readers: 1, readDeadlineMs: 5000, queueLength: 10 });
  try {
    const [row] = await db.all<{ n: number }>(`SELECT count(*) AS n FROM book WHERE ${where}`);
    return row?.n ?? 0;
  } finally {
    await db.close();
  }
};

const analysedIn = (data: string): Promise<number> => countIn(data, 'analyzed = 1');

const exactCounts = `SELECT
  (SELECT count(*) FROM book WHERE deleted = 0) AS books, (SELECT book_count FROM library) AS counted,
  (SELECT count(*) FROM book WHERE analyzed = 1 AND due = 0 AND attempts = 0 AND analysis_error IS NULL) AS analysed,
  (SELECT sum(page_count) FROM book) AS pages, (SELECT sum(page_count) FROM series) AS seriesPages, (SELECT series_count FROM library) AS series`;

/** What the rows say about books that were not analysed. */
const LEFT_OUT = `SELECT file_name AS file, analyzed, due, attempts, analysis_kind AS kind, analysis_error AS error,
  page_count AS pages, (SELECT group_concat(type || ': ' || message, '; ') FROM book_error WHERE book_id = book.id) AS remarks
  FROM book WHERE analyzed = 0 OR due <> 0 OR attempts <> 0 OR analysis_error IS NOT NULL ORDER BY id LIMIT 20`;

block(
  'killed in the middle of a scan',
  (check) => {
    check(
      'kill -9 again and again: it goes on each time, nothing is lost or quarantined, the database is sound',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'longbox-kill-'));
        const [shelf, data] = [join(folder, 'shelf'), join(folder, 'data')];
        try {
          for (let n = 0; n < BOOKS; n += 1)
            writeBook(join(shelf, `Series ${n % 40}`, `Book ${n}.cbz`), 3, `book ${n}`);
          let [reached, kills] = [0, 0];
          while (kills < KILLS && reached < BOOKS - LEFT) {
            const program = await startProgram([shelf, '--data', data]);
            const goal = reached + STEP;
            await until(`${goal} books are analysed`, async () => {
              reached = await analysedIn(data);
              return reached >= goal;
            });
            await kill(program);
            reached = await analysedIn(data);
            assert.ok(reached < BOOKS, 'the kill came in the middle');
            kills += 1;
          }
          assert.ok(kills >= (IS_FULL ? 4 : 2), `${kills} kills`);
          const program = await startProgram([shelf, '--data', data]);
          await until('the scan completes', () => /scan of shelf completed/.test(program.printed()), 60_000);
          program.child.kill('SIGTERM');
          assert.is(await program.ended, 0, program.printed());
          const db = await openDb({
            path: join(data, 'longbox.db'),
            readers: 1,
            readDeadlineMs: 5000,
            queueLength: 10,
          });
          const [counts] = await db.all<Record<string, number>>(exactCounts);
          const left = await db.all(LEFT_OUT);
          await db.close();
          const exact = {
            books: BOOKS,
            counted: BOOKS,
            analysed: BOOKS,
            pages: BOOKS * 3,
            seriesPages: BOOKS * 3,
            series: 40,
          };
          assert.equal([counts, left], [exact, []], `after ${kills} kills, the last with ${reached} books analysed`);
          assert.equal((await checkDatabase(join(data, 'longbox.db'), false)).faults, []);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
    check('killed between a scan and its covers: the next start makes them', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-kill-covers-'));
      const [shelf, data] = [join(folder, 'shelf'), join(folder, 'data')];
      try {
        for (let n = 0; n < COVERED; n += 1)
          writeBook(join(shelf, `Series ${n % 40}`, `Book ${n}.cbz`), 1, `book ${n}`);
        const first = await startProgram([shelf, '--data', data]);
        await until('the scan completes', () => /scan of shelf completed/.test(first.printed()), 60_000);
        await kill(first);
        assert.ok((await countIn(data, 'cover_due <> 0')) > 0, 'the kill came before the last cover');
        assert.is(await analysedIn(data), COVERED);
        const second = await startProgram([shelf, '--data', data]);
        await until('the covers follow', async () => (await countIn(data, 'cover_due <> 0')) === 0, 60_000);
        second.child.kill('SIGTERM');
        assert.is(await second.ended, 0, second.printed());
        assert.is(await countIn(data, 'analyzed = 1 AND id NOT IN (SELECT book_id FROM book_error)'), COVERED);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  },
  { deadlineS: 150 },
);
