// How much processor time each of several addresses costs the program: short bursts of requests to each in turn, over and over. The speed
// of a machine varies by a fifth from second to second, and with it rates that are measured one after the other; alternating bursts of a
// twentieth of a second all meet the same conditions.
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { median } from './measure.js';
import type { Running } from './program.js';

const CONNECTIONS = 8;
const REQUESTS = 25;
const WARM_UP = 20;

/** Processor time of all threads, in nanoseconds; `/proc/PID/stat` counts only hundredths of a second. */
const cpuNs = (pid: number): number => {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
  return times.reduce((total, one) => total + one, 0);
};

const answered = (program: Running, agent: Agent, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${program.token}` };
    get({ host: '127.0.0.1', port: program.port, path, headers, agent }, (reply) => {
      reply.resume();
      reply.once('end', () =>
        reply.statusCode === 200 ? resolve() : reject(new Error(`${reply.statusCode} from ${path}`)),
      );
    }).once('error', reject);
  });

const burst = async (program: Running, agent: Agent, path: string): Promise<number> => {
  const before = cpuNs(program.pid);
  const one = async (): Promise<void> => {
    for (let request = 0; request < REQUESTS; request += 1) await answered(program, agent, path);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  return (cpuNs(program.pid) - before) / (CONNECTIONS * REQUESTS);
};

/** Median processor time per answer, in microseconds, for each path. The order rotates, so that no path is always first or last. */
export const burstCosts = async (
  program: Running,
  paths: readonly string[],
  rounds: number,
): Promise<readonly number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const costs: number[][] = paths.map(() => []);
  for (const path of paths) for (let turn = 0; turn < WARM_UP; turn += 1) await burst(program, agent, path);
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < paths.length; turn += 1) {
      const at = (turn + round) % paths.length;
      costs[at]?.push(await burst(program, agent, paths[at] ?? ''));
    }
  agent.destroy();
  return costs.map((ns) => median(ns) / 1000);
};
