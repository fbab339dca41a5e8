// Lists, filters, searches and progress writes on a million books, by users of the real program over the socket: idle, after a change of
// the catalog, and during a scan.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { uuidOfHex } from '../core/model/ids.js';
import { databasePath } from '../core/start.js';
import { withConnection } from '../core/store/connection.js';
import { makeLibrary, PLANS } from './corpus.js';
import { type Bare, openBare } from './lists-bare.js';
import { GROUPS, type Group, type Names } from './lists-cases.js';
import { firstAnswers } from './lists-first.js';
import { ask, type LoopDelay, loopDelay, measure, type Served, type Times, timesOf } from './lists-load.js';
import { absolute, type Line, round, type Suite } from './measure.js';
import { million } from './million.js';
import { userName } from './million-rows.js';
import { LOGIN, libraryOf, scan, startProgram } from './program.js';

/** Concurrent callers, and the number of answers for each case. A 99th percentile of fewer than 200 is the slowest answer. */
const LOADS = [
  { callers: 1, idle: 220, scanning: 220, quick: 8 },
  { callers: 16, idle: 256, scanning: 256, quick: 32 },
  { callers: 64, idle: 256, scanning: 256, quick: 64 },
] as const;
const USERS = 10;
const COLD_ROUNDS = 3;
const AFTER_CHANGE_MS = 50;
const CALLERS = LOADS.map(({ callers }) => callers);

type Phase = 'idle' | 'scanning';

interface SeenCase {
  readonly name: string;
  readonly byCallers: ReadonlyMap<number, Times>;
}

interface Seen {
  readonly group: Group;
  readonly phase: Phase;
  readonly cases: readonly SeenCase[];
}

export const namesFrom = (folder: string): Promise<Names> =>
  withConnection(databasePath(folder), async (db) => {
    const ids = async (sql: string): Promise<string[]> =>
      (await db.all<{ id: string }>(`SELECT hex(uuid) AS id FROM ${sql}`)).map(({ id }) => uuidOfHex(id));
    return {
      library: (await ids('library WHERE id = 1'))[0] ?? '',
      longSeries: (await ids('series WHERE id = 1'))[0] ?? '',
      books: await ids('book WHERE deleted = 0 AND id % 1999 = 1'),
      series: await ids('series WHERE book_count > 0 AND id % 79 = 1'),
    };
  });

const measureGroup = async (served: Served, group: Group, phase: Phase, quick: boolean): Promise<Seen> => {
  const cases: SeenCase[] = [];
  for (const one of group.cases) {
    const byCallers = new Map<number, Times>();
    for (const { callers, ...counts } of LOADS) {
      const own = timesOf(await measure(served, one, callers, quick ? counts.quick : counts[phase]));
      byCallers.set(callers, own);
      details.push({ phase, name: one.name, callers, p50: round(own.p50), p99: round(own.p99) });
    }
    cases.push({ name: one.name, byCallers });
  }
  return { group, phase, cases };
};

const details: Record<string, string | number>[] = [];

const pair = (times: Times | undefined): string => `${round(times?.p50 ?? 0, 1)} / ${round(times?.p99 ?? 0, 1)}`;

const HEADING = `each case by itself, here the slowest of each: p50 / p99 in ms at ${CALLERS.join(', ')} callers`;
/** So many cases of a group are named. */
const NAMED = 3;

const slowestFirst = (cases: readonly SeenCase[], callers: number): readonly SeenCase[] => {
  const p99 = ({ byCallers }: SeenCase): number => byCallers.get(callers)?.p99 ?? 0;
  return [...cases].sort((a, b) => p99(b) - p99(a));
};

/** No times of different cases are mixed: fast ones would hide a slow one. */
const lineOf = ({ group, phase, cases }: Seen, bareMs: number | undefined): Line => {
  const slowest = slowestFirst(cases, 1);
  const within = cases.filter(({ byCallers }) => (byCallers.get(1)?.p99 ?? 0) < group.targetMs).length;
  const meanwhile = phase === 'scanning' ? ', while a scan runs' : '';
  const named = slowest.slice(0, NAMED).map(({ name, byCallers }) => `${name}, ${pair(byCallers.get(1))}`);
  return {
    id: `lists-${group.id}${phase === 'scanning' ? '-scan' : ''}`,
    work: `${group.work}${meanwhile}, 1,000,000 books`,
    limit: `${HEADING}; p99 < ${group.targetMs} ms at 1 caller`,
    ours: CALLERS.map((callers) => pair(slowestFirst(cases, callers)[0]?.byCallers.get(callers))).join(', '),
    bare: bareMs === undefined ? '' : `${round(bareMs)} ms bare`,
    ratio: null,
    target: null,
    met: within === cases.length,
    note: `${within} of ${cases.length} cases; slowest: ${named.join('; ')}`,
  };
};

const bareOf = async (bare: Bare, { bare: wanted, cases, id }: Group, names: Names): Promise<number | undefined> => {
  if (!wanted || id === 'derived') return undefined;
  const times: number[] = [];
  for (const one of cases) {
    const ms = await bare.ms(one, names);
    times.push(ms);
    details.push({ phase: 'bare', name: one.name, callers: 1, p50: round(ms), p99: round(ms) });
  }
  return timesOf(times).p50;
};

/** Each filter right after a series was changed: nothing cached may be used unchecked. Each is judged by its own slowest answer. */
const afterChange = async (served: Served, groups: readonly Group[], rounds: number): Promise<Line> => {
  const cases: { readonly name: string; readonly times: Times }[] = [];
  for (const one of groups.flatMap((group) => group.cases)) {
    const times: number[] = [];
    for (let turn = 0; turn < rounds; turn += 1) {
      await change(served, turn);
      times.push(await ask(served, one, turn));
    }
    const own = timesOf(times);
    details.push({ phase: 'after a change', name: one.name, callers: 1, p50: round(own.p50), p99: round(own.p99) });
    cases.push({ name: one.name, times: own });
  }
  cases.sort((a, b) => b.times.p99 - a.times.p99);
  const within = cases.filter(({ times }) => times.p99 < AFTER_CHANGE_MS).length;
  const named = cases.slice(0, NAMED).map(({ name, times }) => `${name}, ${pair(times)}`);
  return {
    ...absolute(
      'lists-after-change',
      'each filter and search, first page, right after a series was changed, 1,000,000 books',
      `each case by itself, here the slowest: median / slowest of ${rounds} in ms; slowest < ${AFTER_CHANGE_MS} ms`,
      pair(cases[0]?.times),
      within === cases.length,
    ),
    note: `${within} of ${cases.length} cases; slowest: ${named.join('; ')}`,
  };
};

const change = async ({ program, names }: Served, turn: number): Promise<void> => {
  await program.call('PATCH', `/series/${names.series[turn % names.series.length]}/metadata`, {
    summary: `changed ${turn}`,
  });
};

const loopLine = (phase: Phase, { p99, max }: LoopDelay): Line => ({
  id: `lists-loop-${phase}`,
  work: `event-loop delay of the program under all of this${phase === 'scanning' ? ', while a scan runs' : ''}`,
  limit: 'p99 and maximum in ms; p99 < 50 ms',
  ours: `${round(p99, 1)}, ${round(max, 1)}`,
  bare: '',
  ratio: null,
  target: null,
  met: p99 < 50,
  note: '',
});

const TINY = { ...PLANS.tiny100k, name: 'tiny10k', books: 10_000 };

/** Scans of small files, one after the other until stopped: the first finds new books, the others analyse them again. */
const scanning = async (served: Served, root: string): Promise<() => Promise<number>> => {
  const library = await libraryOf(served.program, root);
  let [isWanted, scans] = [true, 0];
  const running = (async () => {
    for (; isWanted; scans += 1) await scan(served.program, library, scans === 0 ? 'normal' : 'deep');
  })();
  return async () => {
    isWanted = false;
    await running;
    return scans;
  };
};

const started = async (folder: string, data: string, loopFile: string): Promise<Served> => {
  const names = await namesFrom(data);
  const probe = new URL('./loop-probe.js', import.meta.url).href;
  const program = await startProgram(data, true, [], {
    NODE_OPTIONS: `--import=${probe}`,
    LONGBOX_LOOP_FILE: loopFile,
  });
  const tokens: string[] = [];
  for (let n = 1; n <= USERS; n += 1) {
    const login = { username: userName(n), password: LOGIN.password };
    tokens.push((await program.call('POST', '/auth/login', login)).access_token);
  }
  if (tokens.some((token) => token === undefined)) throw new Error(`a user of ${folder} could not log in`);
  return { program, tokens, names };
};

const measureAll = async (served: Served, phase: Phase, quick: boolean): Promise<Seen[]> => {
  const seen: Seen[] = [];
  // Progress first: a short scan must not end before it.
  for (const group of [...GROUPS].reverse()) seen.unshift(await measureGroup(served, group, phase, quick));
  return seen;
};

export const lists: Suite = async ({ quick, folder }) => {
  const { folder: made, seconds } = await million(folder);
  if (seconds !== undefined) process.stderr.write(`  made the database in ${Math.round(seconds)} s\n`);
  const root = await makeLibrary(folder, TINY);
  const data = join(folder, 'data-lists');
  rmSync(data, { recursive: true, force: true });
  cpSync(made, data, { recursive: true });
  const first = await firstAnswers(data, await namesFrom(data), root, quick);
  details.push(...first.details);
  const loopFile = join(folder, 'loop.json');
  const served = await started(folder, data, loopFile);
  const bare = await openBare(data);
  const begun = loadavg()[0] ?? 0;
  await loopDelay(served, loopFile);
  const idle = await measureAll(served, 'idle', quick);
  const lines: Line[] = [];
  const loops = [loopLine('idle', await loopDelay(served, loopFile))];
  for (const one of idle) lines.push(lineOf(one, await bareOf(bare, one.group, served.names)));
  await bare.close();
  const filters = GROUPS.filter(({ id }) => /filters|trees|searches/.test(id));
  lines.push(await afterChange(served, filters, quick ? 1 : COLD_ROUNDS));
  await loopDelay(served, loopFile);
  const stop = await scanning(served, root);
  for (const one of await measureAll(served, 'scanning', quick)) lines.push(lineOf(one, undefined));
  loops.push(loopLine('scanning', await loopDelay(served, loopFile)));
  const scans = await stop();
  await served.program.stop();
  rmSync(data, { recursive: true });
  process.stderr.write(`  ${scans} scans meanwhile; load of the machine at the start ${round(begun)}\n`);
  writeFileSync(join(folder, 'lists.details.jsonl'), details.map((row) => JSON.stringify(row)).join('\n'));
  return [...first.lines, ...lines, ...loops];
};
