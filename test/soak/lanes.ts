// Runs all lanes of a load at once against a house, until a signal; notes how long each turn took, and what failed.
import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { seeded } from '../../bench/corpus.js';
import { until } from '../app.js';
import type { House } from '../drills/house.js';
import { type Latencies, PROBE } from './latency.js';
import { LOAD, type Random } from './load.js';
import { LARGE_BOOKS } from './shelf.js';

const BARE = fileURLToPath(new URL('../../bench/bare-node.js', import.meta.url));
const PROBE_MS = 200;
const PROBE_BYTES = 20_000;
const FAILURES_MAX = 1000;

export interface Running {
  readonly failures: string[];
  /** Resolves when every lane has ended, after the signal. */
  readonly ended: Promise<void>;
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

/** Asks a bare server in a process of its own. */
const probing = async (folder: string, latencies: Latencies, signal: AbortSignal): Promise<void> => {
  const bare = spawn(process.execPath, [BARE, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [said] = await once(bare.stdout, 'data');
    const port = /port (\d+)/.exec(String(said))?.[1];
    while (!signal.aborted) {
      const began = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/${PROBE_BYTES}`)).arrayBuffer();
      latencies.note(PROBE, performance.now() - began);
      await rest(PROBE_MS, signal);
    }
  } finally {
    bare.kill();
  }
};

/** Of the books that are there, those that were made to be resized. */
const largeOf = async (house: House): Promise<readonly string[]> => {
  let large: readonly string[] = [];
  await until('the large books are read', async () => {
    const { json } = await house.ask('GET', '/books?pageSize=500');
    const books: readonly { id: string; path: string; pageCount: number }[] = json?.data ?? [];
    large = books.filter(({ path, pageCount }) => path.includes('/Large/') && pageCount > 0).map(({ id }) => id);
    return large.length === LARGE_BOOKS;
  });
  return large;
};

export const runLanes = async (
  house: House,
  seed: number,
  latencies: Latencies,
  signal: AbortSignal,
): Promise<Running> => {
  setMaxListeners(0, signal); // every lane waits for it
  const large = await largeOf(house);
  const failures: string[] = [];
  const dice = seeded(seed);
  const random: Random = (below) => Math.floor(dice() * below);
  const fail = (name: string, thrown: unknown): void => {
    if (failures.length < FAILURES_MAX) failures.push(`${name}: ${thrown instanceof Error ? thrown.message : thrown}`);
  };
  const lane = async (name: string, number: number): Promise<void> => {
    const kind = LOAD[name];
    for (let n = 0; kind !== undefined && !signal.aborted; n += 1) {
      const began = performance.now();
      try {
        const tookMs = await kind.run({ house, random, lane: number, n, large, signal });
        latencies.note(name, tookMs ?? performance.now() - began);
      } catch (thrown) {
        fail(name, thrown);
      }
      await rest(kind.pauseMs / 2 + random(kind.pauseMs), signal);
    }
  };
  const lanes = Object.entries(LOAD).flatMap(([name, { lanes: count }]) =>
    Array.from({ length: count }, (_, number) => lane(name, number)),
  );
  const probe = probing(house.folder, latencies, signal).catch((thrown: unknown) => fail(PROBE, thrown));
  return { failures, ended: Promise.all([...lanes, probe]).then(() => undefined) };
};
