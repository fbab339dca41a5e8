// Quickly compares this checkout with another built one: both programs run in turn on the same kind of data. Each pair starts new processes,
// since processes differ by several per cent. Above 1 is worse; intervals as in compare.ts.
//   node dist/bench/pairs.js OTHER [--pairs 10] [pages|resize|scan|lists|asked]…
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { askedCases, readSome } from './asked-cases.js';
import { makeLibrary, PLANS } from './corpus.js';
import { type Costs, rowsOf, TABLE_HEAD } from './interval.js';
import { namesFrom } from './lists.bench.js';
import { GROUPS, type Names } from './lists-cases.js';
import { ask, timesOf } from './lists-load.js';
import { load } from './load.js';
import { cpuSeconds, median } from './measure.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = process.env.LONGBOX_BENCH_DIR ?? join(ROOT, 'bench', 'out');

/** One built checkout and its data folder. */
interface Side {
  readonly root: string;
  readonly data: string;
}

/** Costs of one side in one pair, by line. */
type Figures = Readonly<Record<string, number>>;

interface PairSuite {
  /** Prepares the data folder of a side. */
  prepare(side: Side, folder: string): Promise<void>;
  measure(side: Side, pair: number, folder: string): Promise<Figures>;
}

const start = (side: Side, keep: boolean): Promise<Running> => startProgram(side.data, keep, [], {}, side.root);

const CONNECTIONS = 16;
const LOAD_SECONDS = 2;
/** Long enough for most hot code to be compiled. */
const WARM_SECONDS = 6;

/** CPU microseconds of one answer. */
const cpuOf = async (program: Running, path: string): Promise<number> => {
  const url = `http://127.0.0.1:${program.port}/api/v1${path}`;
  const auth = [`Authorization: Bearer ${program.token}`];
  await load(url, auth, CONNECTIONS, WARM_SECONDS);
  const before = cpuSeconds(program.pid);
  const { perSecond } = await load(url, auth, CONNECTIONS, LOAD_SECONDS);
  return ((cpuSeconds(program.pid) - before) / (perSecond * LOAD_SECONDS)) * 1e6;
};

const booksOf = async (program: Running): Promise<readonly string[]> => {
  const { data } = await program.call('GET', '/books?pageSize=500');
  return data.map(({ id }: { readonly id: string }) => id);
};

const scanned = async (side: Side, folder: string): Promise<void> => {
  const root = await makeLibrary(folder, PLANS.pages300);
  const program = await start(side, false);
  await scan(program, await libraryOf(program, root), 'normal');
  await program.stop();
};

const pages: PairSuite = {
  prepare: scanned,
  measure: async (side) => {
    const program = await start(side, true);
    const [book] = await booksOf(program);
    const figures = {
      'CPU of a warm original page, 300 kB': await cpuOf(program, `/books/${book}/pages/1`),
      'CPU of a resized page from the cache': await cpuOf(program, `/books/${book}/pages/1?width=800`),
      'CPU of a warm thumbnail': await cpuOf(program, `/books/${book}/thumbnail`),
    };
    await program.stop();
    return figures;
  },
};

const IN_FLIGHT = 6;

const resizeAll = async (program: Running, books: readonly string[], width: number): Promise<number> => {
  const count = books.length * PLANS.pages300.pagesPerBook;
  let next = 0;
  const started = performance.now();
  const caller = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const path = `/books/${books[at % books.length]}/pages/${Math.floor(at / books.length) + 1}?width=${width}`;
      const reply = await fetch(`http://127.0.0.1:${program.port}/api/v1${path}`, {
        headers: { authorization: `Bearer ${program.token}` },
      });
      if (reply.status !== 200) throw new Error(`a page was answered with ${reply.status}`);
      await reply.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return performance.now() - started;
};

const resize: PairSuite = {
  prepare: scanned,
  measure: async (side, pair) => {
    const program = await start(side, true);
    const books = await booksOf(program);
    await resizeAll(program, books.slice(0, 2), 500 + pair);
    const before = cpuSeconds(program.pid);
    const ms = await resizeAll(program, books, 800 + pair);
    const figures = {
      'resized page, miss': ms,
      'CPU of a resized page, miss': cpuSeconds(program.pid) - before,
    };
    await program.stop();
    return figures;
  },
};

const TINY = { ...PLANS.tiny100k, name: 'tiny1k', books: 1000 };

const scans: PairSuite = {
  prepare: async () => undefined,
  measure: async (side, _pair, folder) => {
    const root = await makeLibrary(folder, TINY);
    const program = await start(side, false);
    const library = await libraryOf(program, root);
    const cpu = async (mode: 'normal' | 'deep'): Promise<readonly [number, number]> => {
      const [before, started] = [cpuSeconds(program.pid), performance.now()];
      await scan(program, library, mode);
      return [performance.now() - started, cpuSeconds(program.pid) - before];
    };
    const [firstMs, firstCpu] = await cpu('normal');
    const again: number[] = [];
    for (let n = 0; n < 10; n += 1) again.push((await cpu('normal'))[0]);
    const [deepMs, deepCpu] = await cpu('deep');
    await program.stop();
    const restarted = await start(side, true);
    await restarted.stop();
    return {
      'first scan of 1,000 small books': firstMs,
      'CPU of that scan': firstCpu,
      'scan that finds nothing new': median(again),
      'deep scan of the same books': deepMs,
      'CPU of the deep scan': deepCpu,
      'start to the first answer': restarted.startMs,
    };
  },
};

const LIST_ROUNDS = 4;

const lists: PairSuite = {
  prepare: async (side) => {
    const made = join(side.root, 'bench', 'out', 'million');
    if (!existsSync(made))
      throw new Error(`${side.root} has no database of a million books; npm run bench -- lists makes it`);
    cpSync(made, side.data, { recursive: true });
  },
  measure: async (side) => {
    const names: Names = await namesFrom(side.data);
    const program = await start(side, true);
    const served = { program, tokens: [program.token], names };
    const figures: Record<string, number> = {};
    for (const group of GROUPS) {
      let sum = 0;
      for (const one of group.cases) {
        await ask(served, one, 0);
        const times: number[] = [];
        for (let turn = 1; turn <= LIST_ROUNDS; turn += 1) times.push(await ask(served, one, turn));
        sum += timesOf(times).p50;
      }
      figures[`${group.work}, 1,000,000 books`] = sum;
    }
    await program.stop();
    return figures;
  },
};

/** Milliseconds of one answer among sixteen connections, each made for its request. */
const asked: PairSuite = {
  prepare: async (side, folder) => {
    const root = await makeLibrary(folder, TINY);
    const program = await start(side, false);
    await scan(program, await libraryOf(program, root), 'normal');
    await readSome(program);
    await program.stop();
  },
  measure: async (side) => {
    const program = await start(side, true);
    const figures: Record<string, number> = {};
    for (const { name, path, body } of await askedCases(program)) {
      const url = `http://127.0.0.1:${program.port}/api/v1${path}`;
      const headers = [`Authorization: Bearer ${program.token}`, 'Content-Type: application/json'];
      const shots = { isNew: true, ...(body === undefined ? {} : { body }) };
      await load(url, headers, CONNECTIONS, WARM_SECONDS, shots);
      figures[`${name}, made for each request`] =
        1000 / (await load(url, headers, CONNECTIONS, LOAD_SECONDS, shots)).perSecond;
    }
    await program.stop();
    return figures;
  },
};

const SUITES: Readonly<Record<string, PairSuite>> = { pages, resize, scan: scans, lists, asked };

/** Prints the table so far to stderr after each pair. */
const run = async (name: string, suite: PairSuite, other: string, pairs: number): Promise<string[]> => {
  const sides = [
    { name: 'ours', root: ROOT, data: join(FOLDER, `pairs-${name}-ours`) },
    { name: 'theirs', root: other, data: join(FOLDER, `pairs-${name}-theirs`) },
  ] as const;
  const lines = new Map<string, Costs>();
  for (const side of sides) {
    rmSync(side.data, { recursive: true, force: true });
    await suite.prepare(side, FOLDER);
  }
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const side of pair % 2 === 0 ? sides : [...sides].reverse())
      for (const [work, cost] of Object.entries(await suite.measure(side, pair, FOLDER))) {
        const line = lines.get(work) ?? { work, ours: [], theirs: [] };
        lines.set(work, line);
        line[side.name].push(cost);
      }
    process.stderr.write(`${name}: pair ${pair + 1} of ${pairs}\n${rowsOf(lines.values()).join('\n')}\n`);
  }
  for (const { data } of sides) rmSync(data, { recursive: true, force: true });
  return rowsOf(lines.values());
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '10' } },
});
const [other, ...names] = positionals;
if (other === undefined || names.some((name) => SUITES[name] === undefined)) {
  console.error(`usage: node dist/bench/pairs.js OTHER_CHECKOUT [--pairs 10] [${Object.keys(SUITES).join(' ')}]`);
  process.exit(2);
}
console.log(TABLE_HEAD);
for (const [name, suite] of Object.entries(SUITES))
  if (names.length === 0 || names.includes(name))
    for (const row of await run(name, suite, resolve(other), Number(values.pairs))) console.log(row);
