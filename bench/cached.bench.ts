// A thousand different resized pages out of the cache, more than any part of it keeps in memory, compared with the bare library sending as
// many buffers of their mean size.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeLibrary, PLANS } from './corpus.js';
import { loadMany } from './load.js';
import { compared, has, median, type Suite } from './measure.js';
import { portOf, spawnPinned } from './pages.bench.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const CONNECTIONS = 16;
const PAGES = 1000;
const FIRST_WIDTH = 900;
const IN_FLIGHT = 4;

const pathsOf = async (program: Running): Promise<readonly string[]> => {
  const { data } = await program.call('GET', '/books?pageSize=500');
  const books = data.map((book: { id: string }) => book.id) as string[];
  const { pagesPerBook } = PLANS.pages300;
  return Array.from({ length: PAGES }, (_, n) => {
    const page = Math.floor(n / books.length);
    const width = FIRST_WIDTH + Math.floor(page / pagesPerBook);
    return `/api/v1/books/${books[n % books.length]}/pages/${(page % pagesPerBook) + 1}?width=${width}`;
  });
};

/** Makes every page; returns their mean size in bytes. */
const fill = async ({ port, token }: Running, paths: readonly string[]): Promise<number> => {
  let bytes = 0;
  const left = paths.values();
  const one = async (): Promise<void> => {
    for (const path of left) {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
      if (!reply.ok) throw new Error(`a page was answered with status ${reply.status}`);
      bytes += (await reply.arrayBuffer()).byteLength;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
  return Math.round(bytes / paths.length);
};

const residentMb = (pid: number): number =>
  Math.round(Number(/^Pss_Anon: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024);

export const cached: Suite = async ({ quick, folder }) => {
  const root = await makeLibrary(folder, PLANS.pages300);
  const program = await startProgram(join(folder, 'data-cached'), false, has('taskset') ? ['taskset', '-c', '0'] : []);
  await scan(program, await libraryOf(program, root), 'normal');
  const paths = await pathsOf(program);
  const size = await fill(program, paths);
  const bare = spawnPinned(process.execPath, [
    fileURLToPath(new URL('./bare-uws.js', import.meta.url)),
    `${size}x${PAGES}`,
  ]);
  const bareOrigin = `http://127.0.0.1:${await portOf(bare)}`;
  const origin = `http://127.0.0.1:${program.port}`;
  const barePaths = paths.map((_, n) => `/${n}`);
  const auth = [`Authorization: Bearer ${program.token}`];
  const [rounds, seconds] = quick ? [3, 2] : [5, 4];
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds; n += 1) {
    ours.push((await loadMany(origin, paths, auth, CONNECTIONS, seconds)).perSecond);
    theirs.push((await loadMany(bareOrigin, barePaths, [], CONNECTIONS, seconds)).perSecond);
  }
  const anonymous = residentMb(program.pid);
  bare.kill('SIGKILL');
  await program.stop();
  return [
    compared({
      id: 'resized-cached',
      work: `resized page from the cache, ${PAGES} different ones of ${Math.round(size / 1000)} kB, ${CONNECTIONS} connections`,
      limit: 'bare uWS, as many buffers of the same size',
      unit: 'req/s',
      ours: median(ours),
      bare: median(theirs),
      target: { kind: 'min', value: 0.6 },
      note: `${anonymous} MB of anonymous memory afterwards`,
    }),
  ];
};
