// Lists while the largest library of the generated database is removed (about 340,000 of a million books), by the real program over the
// socket: node dist/bench/million-removal.js FOLDER [BOOKS] [CALLERS] [SECONDS]. Prints p50, p99 and the longest time of each group before and during
// the removal, the time until the request for it was answered, and its total time. The database is kept; the removal works on a copy.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { uuidOfHex } from '../core/model/ids.js';
import { databasePath } from '../core/start.js';
import { withConnection } from '../core/store/connection.js';
import { GROUPS, type Group, type Names } from './lists-cases.js';
import { ask, type Served, timesOf } from './lists-load.js';
import { MILLION, million } from './million.js';
import type { Size } from './million-rows.js';
import { startProgram } from './program.js';

const WARM_ROUNDS = 2;
const ROUNDS = 5;
const LOOK_EVERY_MS = 250;

const sizeOf = (books: number): Size => {
  const share = books / MILLION.books;
  return {
    ...MILLION,
    books,
    series: Math.ceil(MILLION.series * share),
    progress: Math.ceil(MILLION.progress * share),
  };
};

interface Before {
  /** Requests only name libraries that stay. */
  readonly names: Names;
  readonly removed: { readonly id: string; readonly books: number };
}

const lookAt = (data: string): Promise<Before> =>
  withConnection(databasePath(data), async (db) => {
    const ids = async (sql: string): Promise<string[]> =>
      (await db.all<{ id: string }>(`SELECT hex(uuid) AS id FROM ${sql}`)).map(({ id }) => uuidOfHex(id));
    const [largest] = await db.all<{ id: number; uuid: string; books: number }>(
      `SELECT l.id, hex(l.uuid) AS uuid, (SELECT count(*) FROM book b WHERE b.library_id = l.id) AS books FROM library l
       ORDER BY books DESC LIMIT 1`,
    );
    if (largest === undefined) throw new Error('the database has no library');
    const stays = `library_id <> ${largest.id}`;
    return {
      removed: { id: uuidOfHex(largest.uuid), books: largest.books },
      names: {
        library: (await ids(`library WHERE id <> ${largest.id} ORDER BY book_count DESC LIMIT 1`))[0] ?? '',
        longSeries: (await ids(`series WHERE ${stays} ORDER BY book_count DESC LIMIT 1`))[0] ?? '',
        books: await ids(`book WHERE deleted = 0 AND ${stays} AND id % 199 = 1 LIMIT 500`),
        series: await ids(`series WHERE book_count > 0 AND ${stays} AND id % 7 = 1 LIMIT 500`),
      },
    };
  });

type Times = Map<Group, number[]>;

/** Every case once, shared among that many callers. */
const round = async (served: Served, callers: number, turn: number, times: Times): Promise<void> => {
  const left = GROUPS.flatMap((group) => group.cases.map((one) => ({ group, one }))).values();
  const caller = async (): Promise<void> => {
    for (const { group, one } of left) {
      const ms = await ask(served, one, turn);
      times.set(group, [...(times.get(group) ?? []), ms]);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
};

interface Removal {
  readonly answeredMs: number;
  readonly seconds: number;
  readonly books: number;
}

/** Runs rounds until the task has ended, or so many seconds have passed. */
const during = async (
  served: Served,
  data: string,
  { removed }: Before,
  callers: number,
  times: Times,
  seconds: number,
): Promise<Removal> => {
  const started = performance.now();
  await served.program.call('DELETE', `/libraries/${removed.id}`);
  const answeredMs = performance.now() - started;
  let endedMs: number | undefined;
  const watching = withConnection(databasePath(data), async (db) => {
    for (; endedMs === undefined; await new Promise((done) => setTimeout(done, LOOK_EVERY_MS))) {
      const [task] = await db.all<{ state: string }>("SELECT state FROM task WHERE type = 'remove_library'");
      if (task?.state === 'completed' || performance.now() - started > seconds * 1000) endedMs = performance.now();
      else if (task?.state !== 'pending' && task?.state !== 'running') throw new Error(`the removal ${task?.state}`);
    }
  });
  for (let turn = 1; endedMs === undefined; turn += 1)
    await Promise.race([round(served, callers, turn, times), watching]);
  await watching;
  const [left] = await withConnection(databasePath(data), (db) =>
    db.all<{ n: number }>(`SELECT count(*) AS n FROM book JOIN library l ON l.id = library_id AND hex(l.uuid) = ?`, [
      removed.id.replaceAll('-', '').toUpperCase(),
    ]),
  );
  return { answeredMs, seconds: (endedMs - started) / 1000, books: removed.books - (left?.n ?? 0) };
};

const shown = (ms: number): string => ms.toFixed(1).padStart(8);

const print = (before: Times, meanwhile: Times): void => {
  const columns = ['p50', 'p99', 'asked', 'p50', 'p99', 'longest', 'target'].map((word) => word.padStart(8)).join(' ');
  console.log(`${''.padEnd(52)} ${columns}`);
  for (const group of GROUPS) {
    const [first, then] = [timesOf(before.get(group) ?? []), timesOf(meanwhile.get(group) ?? [])];
    const longest = then.all.at(-1) ?? Number.NaN;
    const isMet = then.p99 < group.targetMs;
    console.log(
      `${group.work.padEnd(52)} ${shown(first.p50)} ${shown(first.p99)} ${String(then.all.length).padStart(8)} ${shown(then.p50)} ` +
        `${shown(then.p99)} ${shown(longest)} ${shown(group.targetMs)} ${isMet ? '' : 'missed'}`,
    );
  }
};

const [folder, booksText = String(MILLION.books), callersText = '1', secondsText = 'Infinity'] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder to build in.');
const size = sizeOf(Number(booksText));
const { folder: made } = await million(folder, size);
const data = join(folder, 'data-removal');
rmSync(data, { recursive: true, force: true });
cpSync(made, data, { recursive: true });
const state = await lookAt(data);
const program = await startProgram(data, true);
const served: Served = { program, tokens: [program.token], names: state.names };
const callers = Number(callersText);
for (let turn = 0; turn < WARM_ROUNDS; turn += 1) await round(served, callers, turn, new Map());
const before: Times = new Map();
for (let turn = 0; turn < ROUNDS; turn += 1) await round(served, callers, turn, before);
const meanwhile: Times = new Map();
const { answeredMs, seconds, books } = await during(served, data, state, callers, meanwhile, Number(secondsText));
console.log(
  `${size.books} books, ${state.removed.books} of them removed; ${callers} callers; milliseconds before and during`,
);
print(before, meanwhile);
console.log(
  `the request was answered after ${answeredMs.toFixed(1)} ms; ${books} books were gone after ${seconds.toFixed(1)} s ` +
    `(${Math.round(books / seconds)} a second)`,
);
await program.stop();
rmSync(data, { recursive: true });
