// What clients ask most, in requests a second: asked again and unchanged, compared with the bare library sending the same answer; and made
// for each request, with 20,000 books compared with 1,000.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AskedCase, askedCases, readSome } from './asked-cases.js';
import { type LibraryPlan, makeLibrary, PLANS } from './corpus.js';
import { load } from './load.js';
import { compared, has, type Line, median, round, type Suite } from './measure.js';
import { portOf, spawnPinned } from './pages.bench.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const CONNECTIONS = 16;
/** Both servers add these by themselves. */
const OWN_HEADERS = /^(?:content-length|date|connection|keep-alive)$/;
const TARGET_AGAIN = 0.5;
const TARGET_SIZE = 0.95;

interface Pace {
  readonly rounds: number;
  readonly seconds: number;
}

const headersOf = ({ token }: Running): string[] => [
  `Authorization: Bearer ${token}`,
  'Content-Type: application/json',
];
const urlOf = ({ port }: Running, path: string): string => `http://127.0.0.1:${port}/api/v1${path}`;
const shotsOf = ({ body }: AskedCase, isNew: boolean) => ({
  ...(body === undefined ? {} : { body }),
  ...(isNew ? { isNew } : {}),
});

const rateOf = (program: Running, one: AskedCase, isNew: boolean, seconds: number): Promise<number> =>
  load(urlOf(program, one.path), headersOf(program), CONNECTIONS, seconds, shotsOf(one, isNew)).then(
    ({ perSecond }) => perSecond,
  );

/** The bare library, with the headers and the body of this answer. */
const bareOf = async (program: Running, one: AskedCase, folder: string) => {
  const reply = await fetch(urlOf(program, one.path), {
    headers: { authorization: `Bearer ${program.token}`, 'content-type': 'application/json' },
    ...(one.body === undefined ? {} : { method: 'POST', body: one.body }),
  });
  const headers = [...reply.headers].filter(([name]) => !OWN_HEADERS.test(name));
  const body = await reply.text();
  const file = join(folder, `asked-${one.id}.json`);
  writeFileSync(file, JSON.stringify({ headers, body }));
  const args = [fileURLToPath(new URL('./bare-uws.js', import.meta.url)), `@${file}`, String(body.length)];
  const bare = spawnPinned(process.execPath, args);
  return { bare, bytes: body.length, url: `http://127.0.0.1:${await portOf(bare)}/answer` };
};

const againLine = async (
  program: Running,
  one: AskedCase,
  folder: string,
  { rounds, seconds }: Pace,
): Promise<Line> => {
  const { bare, bytes, url } = await bareOf(program, one, folder);
  const [ours, theirs]: [number[], number[]] = [[], []];
  await rateOf(program, one, false, 1);
  for (let n = 0; n < rounds; n += 1) {
    ours.push(await rateOf(program, one, false, seconds));
    theirs.push((await load(url, headersOf(program), CONNECTIONS, seconds)).perSecond);
  }
  bare.kill('SIGKILL');
  return compared({
    id: `asked-again-${one.id}`,
    work: `${one.name}, asked again and unchanged, ${round(bytes / 1000)} kB, ${CONNECTIONS} connections`,
    limit: 'bare uWS, the same headers and body',
    unit: 'req/s',
    ours: median(ours),
    bare: median(theirs),
    target: { kind: 'min', value: TARGET_AGAIN },
    note: '',
  });
};

const newLine = async (small: Running, large: Running, one: AskedCase, { rounds, seconds }: Pace): Promise<Line> => {
  const inLarge = (await askedCases(large)).find(({ id }) => id === one.id) ?? one;
  const [few, many]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds; n += 1) {
    few.push(await rateOf(small, one, true, seconds));
    many.push(await rateOf(large, inLarge, true, seconds));
  }
  return compared({
    id: `asked-new-${one.id}`,
    work: `${one.name}, made for each request, 20,000 books`,
    limit: 'the same with 1,000 books',
    unit: 'req/s',
    ours: median(many),
    bare: median(few),
    target: { kind: 'min', value: TARGET_SIZE },
    note: '',
  });
};

/** As many series as a first page has rows: both libraries answer fifty. */
const FIFTY_SERIES: LibraryPlan = { ...PLANS.tiny1k, name: 'asked1k', booksPerSeries: 20 };

const opened = async (folder: string, plan: LibraryPlan, pinned: readonly string[]): Promise<Running> => {
  const root = await makeLibrary(folder, plan);
  const data = join(folder, `data-asked-${plan.name}`);
  const program = await startProgram(data, false, pinned);
  await scan(program, await libraryOf(program, root), 'normal');
  await readSome(program);
  // Started anew: the heap of a program that has just scanned is larger than it stays, the more so the more books it found.
  await program.stop();
  return startProgram(data, true, pinned);
};

export const asked: Suite = async ({ quick, folder }) => {
  const pace = quick ? { rounds: 3, seconds: 2 } : { rounds: 5, seconds: 4 };
  const pinned = has('taskset') ? ['taskset', '-c', '0'] : [];
  const small = await opened(folder, FIFTY_SERIES, pinned);
  const large = await opened(folder, { ...FIFTY_SERIES, name: 'asked20k', books: 20_000 }, pinned);
  const cases = await askedCases(small);
  const lines: Line[] = [];
  for (const one of cases) lines.push(await againLine(small, one, folder, pace));
  for (const one of cases) lines.push(await newLine(small, large, one, pace));
  await large.stop();
  await small.stop();
  return lines;
};
