// The surfaces for reader apps: pages and feeds compared with those of the API, whole lists in one answer, and every list of a million books.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LibraryPlan, makeLibrary, PLANS } from './corpus.js';
import { namesFrom } from './lists.bench.js';
import { measure, type Served, type Times, timesOf } from './lists-load.js';
import { absolute, compared, has, type Line, round, type Suite } from './measure.js';
import { million } from './million.js';
import { userName } from './million-rows.js';
import { LOGIN, libraryOf, type Running, scan, startProgram } from './program.js';
import { burstCosts } from './surfaces-bursts.js';
import { type Alike, alikes, CASE_GROUPS, CATALOGUES, type CaseGroup, COMICS } from './surfaces-cases.js';
import { longAnswers, type Pace, ratesOf } from './surfaces-costs.js';

const LONG: LibraryPlan = { ...PLANS.tiny1k, name: 'surfaces2200', books: 2200, booksPerSeries: 2200 };
const MANY: LibraryPlan = { ...PLANS.tiny1k, name: 'surfaces50', booksPerSeries: 20 };
const PINNED = has('taskset') ? ['taskset', '-c', '0'] : [];

const PAGE_TARGET = 0.97;
const FEED_TARGET = 0.5;
const LIST_MAX_MS = 50;
const WHOLE_MAX_MS = 400;
const WHOLE_MAX_MB = 16;

const opened = async (folder: string, name: string, plans: readonly LibraryPlan[]): Promise<Running> => {
  const data = join(folder, `data-surfaces-${name}`);
  const program = await startProgram(data, false, PINNED);
  for (const plan of plans) await scan(program, await libraryOf(program, await makeLibrary(folder, plan)), 'normal');
  await program.stop();
  return startProgram(data, true, PINNED);
};

const pageLines = async (folder: string, rounds: number): Promise<Line[]> => {
  const program = await opened(folder, 'pages', [PLANS.pages300]);
  const { data } = await program.call('GET', '/books?pageSize=1');
  const { id } = data[0];
  const native = `/api/v1/books/${id}/pages/1`;
  const others = [
    ...CATALOGUES.map((prefix) => `${prefix}/books/${id}/pages/0?zero_based=true`),
    `${COMICS}/v1/books/${id}/pages/0?zero_based=true`,
  ];
  // The native page is measured twice: how far its two results differ shows how exact the others are.
  const [bare = Number.NaN, again = Number.NaN, ...ours] = await burstCosts(
    program,
    [native, native, ...others],
    rounds,
  );
  await program.stop();
  return others.map((path, at) => ({
    ...compared({
      id: `surfaces-page-${path.split('/').slice(1, 3).join('-')}`,
      work: `warm original page, 300 kB, through ${path.replace(id, '{id}')}`,
      limit: 'the same page of the API',
      unit: 'req/CPU s',
      ours: 1e6 / (ours[at] ?? Number.NaN),
      bare: 2e6 / (bare + again),
      target: { kind: 'min', value: PAGE_TARGET },
    }),
    note: `medians of ${rounds} alternating bursts; the two measurements of the API's page have a ratio of ${round(bare / again, 3)}`,
  }));
};

const alikeLines = async (program: Running, { id, what, native, others }: Alike, pace: Pace): Promise<Line[]> => {
  const [bare = Number.NaN, ...ours] = await ratesOf(program, [native, ...others], pace, { isNew: true });
  return others.map((path, at) =>
    compared({
      id: `surfaces-${id}-${path.split('/').slice(1, 3).join('-')}`,
      work: `${what} through /${path.split('/').slice(1, 3).join('/')}, made for each request`,
      limit: 'the same list of the API',
      unit: 'req/CPU s',
      ours: ours[at] ?? Number.NaN,
      bare,
      target: { kind: 'min', value: FEED_TARGET },
    }),
  );
};

const wholeLines = async (program: Running, series: string, quick: boolean): Promise<Line[]> => {
  const lines: Line[] = [];
  for (const path of [`/v1/series/${series}/books?unpaged=true`, `/v1/books?unpaged=true&series_id=${series}`]) {
    const times = { rounds: quick ? 3 : 7, atOnce: 4 };
    const { ms, cpuMs, bytes, isStreamed, megabytes } = await longAnswers(program, COMICS + path, times);
    const isMet = ms < WHOLE_MAX_MS && megabytes <= WHOLE_MAX_MB && isStreamed;
    lines.push({
      ...absolute(
        `surfaces-whole-${lines.length + 1}`,
        `2,200 books in one answer of ${round(bytes / 1e6, 1)} MB, ${COMICS}${path.replace(series, '{id}')}`,
        `streamed, < ${WHOLE_MAX_MS} ms, ≤ ${WHOLE_MAX_MB} MB of memory each`,
        `${isStreamed ? 'streamed' : 'in one piece'}, ${round(ms)} ms, ${round(megabytes, 1)} MB`,
        isMet,
      ),
      note: `${round(cpuMs)} ms of processor time; memory as the rise of the peak with ${times.atOnce} at once`,
    });
  }
  return lines;
};

const feedLines = async (folder: string, pace: Pace, quick: boolean): Promise<Line[]> => {
  const program = await opened(folder, 'feeds', [LONG, MANY]);
  const { data } = await program.call('GET', '/series?sort=book_count&order=desc&pageSize=1');
  const [series] = data;
  if (series?.bookCount !== LONG.books) throw new Error(`the longest series has ${series?.bookCount} books`);
  const lines: Line[] = [];
  for (const alike of alikes(series.id)) lines.push(...(await alikeLines(program, alike, pace)));
  lines.push(...(await wholeLines(program, series.id, quick)));
  await program.stop();
  return lines;
};

const NAMED = 3;
const USERS = 10;

const pair = ({ p50, p99 }: Times): string => `${round(p50, 1)} / ${round(p99, 1)}`;

interface SeenCase {
  readonly name: string;
  readonly times: Times;
}

const groupLine = ({ id, work }: CaseGroup, who: string, cases: readonly SeenCase[]): Line => {
  const slowest = [...cases].sort((a, b) => b.times.p99 - a.times.p99);
  const within = cases.filter(({ times }) => times.p99 < LIST_MAX_MS).length;
  const named = slowest.slice(0, NAMED).map(({ name, times }) => `${name}, ${pair(times)}`);
  return {
    ...absolute(
      `surfaces-million-${id}-${who}`,
      `${work}, 1,000,000 books, ${who}`,
      `each by itself, here the slowest: p50 / p99 in ms at 1 caller; p99 < ${LIST_MAX_MS} ms`,
      slowest[0] === undefined ? '' : pair(slowest[0].times),
      within === cases.length,
    ),
    note: `${within} of ${cases.length} cases; slowest: ${named.join('; ')}`,
  };
};

const tokensOf = async (program: Running): Promise<readonly string[]> => {
  const tokens: string[] = [];
  for (let n = 1; n <= USERS; n += 1) {
    const login = { username: userName(n), password: LOGIN.password };
    tokens.push((await program.call('POST', '/auth/login', login)).access_token);
  }
  return tokens;
};

/** Somebody who sees all libraries but one small one, and so nearly all of a million books. */
const restrictedToken = async (program: Running): Promise<string> => {
  const { data } = await program.call('GET', '/libraries?pageSize=500');
  const libraryIds = data.slice(0, -1).map(({ id }: { readonly id: string }) => id);
  const login = { username: 'limited', password: LOGIN.password };
  await program.call('POST', '/users', { ...login, email: 'limited@example.com', libraryIds });
  return (await program.call('POST', '/auth/login', login)).access_token;
};

const millionLines = async (folder: string, quick: boolean): Promise<Line[]> => {
  const { folder: made } = await million(folder);
  const data = join(folder, 'data-surfaces-million');
  rmSync(data, { recursive: true, force: true });
  cpSync(made, data, { recursive: true });
  const names = await namesFrom(data);
  const program = await startProgram(data, true);
  const people = { everything: await tokensOf(program), 'one library hidden': [await restrictedToken(program)] };
  const count = quick ? 20 : 220;
  const [lines, details]: [Line[], object[]] = [[], []];
  for (const [who, tokens] of Object.entries(people)) {
    const served: Served = { program, tokens, names };
    for (const group of CASE_GROUPS) {
      const cases: SeenCase[] = [];
      for (const one of group.cases) {
        const times = timesOf(await measure(served, one, 1, count));
        details.push({ who, name: one.name, p50: round(times.p50), p99: round(times.p99) });
        cases.push({ name: one.name, times });
      }
      lines.push(groupLine(group, who, cases));
    }
  }
  await program.stop();
  rmSync(data, { recursive: true });
  writeFileSync(join(folder, 'surfaces.details.jsonl'), details.map((row) => JSON.stringify(row)).join('\n'));
  return lines;
};

export const surfaces: Suite = async ({ quick, folder }) => {
  const pace = quick ? { rounds: 3, seconds: 2 } : { rounds: 7, seconds: 4 };
  const lines = [...(await pageLines(folder, quick ? 60 : 400)), ...(await feedLines(folder, pace, quick))];
  return [...lines, ...(await millionLines(folder, quick))];
};
