// Memory and start: idle, under load, over many rescans; time from the start of the program to its first answer.
import { join } from 'node:path';
import { makeLibrary, PLANS } from './corpus.js';
import { leakLines } from './leak.js';
import { load } from './load.js';
import { absolute, IDLE_MAX_MB, IDLE_TARGET, type Line, median, residentMb, type Suite } from './measure.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

/** Short, so that threads end during the measurement. */
const ENVIRONMENT = { SVC_POOL__IDLE_TIMEOUT_MS: '2000' };
const LOAD_MAX_MB = 512;
const START_MAX_MS = 700;

const text = ({ all, own }: { readonly all: number; readonly own: number }): string =>
  `${all} MB (${own} MB without mapped files)`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Originals, resized pages and thumbnails together, while a deep scan runs. */
const underLoad = async (program: Running, libraryId: string): Promise<number> => {
  let most = 0;
  const look = (): void => {
    most = Math.max(most, residentMb(program.pid).all);
  };
  const timer = setInterval(look, 50);
  const { data } = await program.call('GET', '/books?pageSize=200');
  const base = `http://127.0.0.1:${program.port}/api/v1/books/`;
  const auth = [`Authorization: Bearer ${program.token}`];
  const resized = async (): Promise<void> => {
    for (let n = 0; n < 200; n += 1) {
      const reply = await fetch(`${base}${data[n % data.length].id}/pages/${(n % 20) + 1}?width=700`, {
        headers: { authorization: `Bearer ${program.token}` },
      });
      await reply.arrayBuffer();
    }
  };
  await Promise.all([
    scan(program, libraryId, 'deep', look),
    load(`${base}${data[0].id}/pages/1`, auth, 16, 3),
    resized(),
    resized(),
    resized(),
    resized(),
  ]);
  clearInterval(timer);
  return most;
};

const starts = async (data: string, books: number, quick: boolean): Promise<Line> => {
  const times: number[] = [];
  for (let n = 0; n < (quick ? 3 : 7); n += 1) {
    const program = await startProgram(data, true);
    times.push(program.startMs);
    await program.stop();
  }
  return absolute(
    'start',
    `start of the program to its first answer, ${books} books`,
    `≤ ${START_MAX_MS} ms (for 1,000,000 books)`,
    `${Math.round(median(times))} ms`,
    median(times) <= START_MAX_MS,
  );
};

export const memory: Suite = async ({ quick, folder }) => {
  const plan = quick ? { ...PLANS.tiny100k, name: 'tiny10k', books: 10_000 } : PLANS.tiny100k;
  const tiny = await makeLibrary(folder, plan);
  const usual = await makeLibrary(folder, PLANS.usual);
  const data = join(folder, 'data-memory');
  const program = await startProgram(data, false, [], ENVIRONMENT);
  await pause(1000);
  const idle = residentMb(program.pid);
  const tinyId = await libraryOf(program, tiny);
  let most = 0;
  await scan(program, tinyId, 'normal', () => {
    most = Math.max(most, residentMb(program.pid).all);
  });
  const usualId = await libraryOf(program, usual);
  await scan(program, usualId, 'normal');
  most = Math.max(most, await underLoad(program, usualId));
  await pause(6000);
  const after = residentMb(program.pid);
  await program.stop();
  return [
    absolute('memory-idle', 'resident memory, idle after the start', IDLE_TARGET, text(idle), idle.own <= IDLE_MAX_MB),
    absolute(
      'memory-after',
      'resident memory, idle after the load below',
      IDLE_TARGET,
      text(after),
      after.own <= IDLE_MAX_MB,
    ),
    absolute(
      'memory-load',
      `resident memory, peak: scan of ${plan.books} books, deep scan with readers`,
      `≤ ${LOAD_MAX_MB} MB`,
      `${most} MB`,
      most <= LOAD_MAX_MB,
    ),
    ...(await leakLines(folder, data, tiny, quick ? 20 : 50, ENVIRONMENT)),
    await starts(data, plan.books + PLANS.usual.books, quick),
  ];
};
