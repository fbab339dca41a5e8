// The first answer to each list: after a start, after a scan, and after a rest in which memory was freed. Each is asked once in a row of
// all, which begins with another one at each start.
import { setTimeout as rest } from 'node:timers/promises';
import { type Case, GROUPS, type Group, type Names } from './lists-cases.js';
import { ask, closeConnections, type Served, timesOf } from './lists-load.js';
import { absolute, IDLE_MAX_MB, IDLE_TARGET, type Line, residentMb, round } from './measure.js';
import { userName } from './million-rows.js';
import { LOGIN, libraryOf, type Running, scan, startProgram } from './program.js';

const STARTS = 3;
/** How long the program is left alone before it is asked. */
const ALONE_MS = 3000;
/**
 * Threads end after this time instead of 30 s, and memory is freed a second later: a rest of ten minutes becomes a scan, which needs
 * threads, and this pause.
 */
const ENVIRONMENT = { SVC_POOL__IDLE_TIMEOUT_MS: '2000' };
const TRIMMED_MS = 8000;
const NAMED = 3;

/** Asked alone, before the client and its connection are used to it, this would be measured too. */
const CLIENT: Case = { name: 'health', ask: () => ({ method: 'GET', path: '/health' }) };

const SITUATIONS = ['after a start', 'after a scan', 'after a rest'] as const;
type Situation = (typeof SITUATIONS)[number];

type First = Map<Situation, Map<string, number[]>>;

const LISTS: readonly Group[] = GROUPS.filter(({ id }) => id !== 'progress');
const CASES = LISTS.flatMap(({ cases }) => cases);

const rotated = <T>(list: readonly T[], by: number): readonly T[] => [...list.slice(by), ...list.slice(0, by)];

const askAll = async (served: Served, start: number, starts: number, into: Map<string, number[]>): Promise<void> => {
  closeConnections();
  for (let turn = 0; turn < 20; turn += 1) await ask(served, CLIENT, turn);
  for (const one of rotated(CASES, Math.floor((start * CASES.length) / starts)))
    into.set(one.name, [...(into.get(one.name) ?? []), await ask(served, one, 1)]);
};

const tokenOf = async (program: Running): Promise<string> =>
  (await program.call('POST', '/auth/login', { username: userName(1), password: LOGIN.password })).access_token;

const lineOf = (group: Group, situation: Situation, seen: ReadonlyMap<string, readonly number[]>): Line => {
  const cases = group.cases
    .map(({ name }) => ({ name, times: timesOf(seen.get(name) ?? []) }))
    .sort((a, b) => b.times.p50 - a.times.p50);
  const text = ({ p50, p99 }: { readonly p50: number; readonly p99: number }): string =>
    `${round(p50, 1)} / ${round(p99, 1)}`;
  const within = cases.filter(({ times }) => times.p50 < group.targetMs).length;
  return {
    ...absolute(
      `lists-first-${group.id}-${situation.replaceAll(' ', '-')}`,
      `first answer ${situation}: ${group.work}, 1,000,000 books`,
      `median / slowest of the starts in ms, slowest case; median < ${group.targetMs} ms`,
      text(cases[0]?.times ?? { p50: 0, p99: 0 }),
      within === cases.length,
    ),
    note: `${within} of ${cases.length} cases; slowest: ${cases
      .slice(0, NAMED)
      .map(({ name, times }) => `${name}, ${text(times)}`)
      .join('; ')}`,
  };
};

interface Memory {
  readonly when: string;
  /** Of each start, in megabytes. */
  readonly resident: readonly { readonly all: number; readonly own: number }[];
}

const memoryLine = ({ when, resident }: Memory): Line => {
  const most = (of: 'all' | 'own'): number => Math.max(...resident.map((one) => one[of]));
  return absolute(
    `lists-memory-${when.replaceAll(' ', '-')}`,
    `resident memory, idle ${when}, 1,000,000 books`,
    IDLE_TARGET,
    `${most('all')} MB (${most('own')} MB without mapped files)`,
    most('own') <= IDLE_MAX_MB,
  );
};

export interface FirstAnswers {
  readonly lines: readonly Line[];
  readonly details: readonly Record<string, string | number>[];
}

/** `root`: a folder of small books, scanned for the second situation. */
export const firstAnswers = async (data: string, names: Names, root: string, quick: boolean): Promise<FirstAnswers> => {
  const starts = quick ? 1 : STARTS;
  const first: First = new Map(SITUATIONS.map((situation) => [situation, new Map()]));
  const into = (situation: Situation): Map<string, number[]> => first.get(situation) ?? new Map();
  const [started, rested]: [Memory['resident'][number][], Memory['resident'][number][]] = [[], []];
  for (let start = 0; start < starts; start += 1) {
    const program = await startProgram(data, true, [], ENVIRONMENT);
    const served = { program, tokens: [await tokenOf(program)], names };
    await rest(ALONE_MS);
    started.push(residentMb(program.pid));
    await askAll(served, start, starts, into('after a start'));
    const library = await libraryOf(program, root);
    await scan(program, library, start === 0 ? 'normal' : 'deep');
    await rest(ALONE_MS / 3);
    await askAll(served, start, starts, into('after a scan'));
    await scan(program, library, 'deep');
    await rest(TRIMMED_MS);
    rested.push(residentMb(program.pid));
    await askAll(served, start, starts, into('after a rest'));
    await program.stop();
  }
  const details = [...first].flatMap(([phase, seen]) =>
    [...seen].map(([name, times]) => ({ phase: `first ${phase}`, name, callers: 1, ...rounded(times) })),
  );
  const memory = [
    { when: 'after a start', resident: started },
    { when: 'after a rest', resident: rested },
  ];
  const lines = SITUATIONS.flatMap((situation) => LISTS.map((group) => lineOf(group, situation, into(situation))));
  return { lines: [...lines, ...memory.map(memoryLine)], details };
};

const rounded = (times: readonly number[]): { readonly p50: number; readonly p99: number } => {
  const { p50, p99 } = timesOf(times);
  return { p50: round(p50), p99: round(p99) };
};
