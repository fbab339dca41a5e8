// What an answer of the program costs it: processor time, which other work on the machine changes least; and for long answers the time to
// the last byte and the memory meanwhile.
import { get } from 'node:http';
import { load, type Shots } from './load.js';
import { cpuSeconds, median, peakMb, resetPeak } from './measure.js';
import type { Running } from './program.js';

const CONNECTIONS = 8;

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
}

/** Answers for each second of processor time that the program spent. */
const perCpuSecond = async (program: Running, path: string, seconds: number, shots: Shots): Promise<number> => {
  const before = cpuSeconds(program.pid);
  const headers = [`Authorization: Bearer ${program.token}`];
  const { perSecond } = await load(`http://127.0.0.1:${program.port}${path}`, headers, CONNECTIONS, seconds, shots);
  return (perSecond * seconds) / (cpuSeconds(program.pid) - before);
};

/** Medians over rounds in which every address has its turn, by address. */
export const ratesOf = async (
  program: Running,
  paths: readonly string[],
  { rounds, seconds }: Pace,
  shots: Shots = {},
): Promise<readonly number[]> => {
  const rates = new Map<string, number[]>(paths.map((path) => [path, []]));
  for (const path of paths) await perCpuSecond(program, path, 1, shots);
  for (let round = 0; round < rounds; round += 1)
    for (const path of round % 2 === 0 ? paths : [...paths].reverse())
      rates.get(path)?.push(await perCpuSecond(program, path, seconds, shots));
  return paths.map((path) => median(rates.get(path) ?? []));
};

export interface LongAnswer {
  readonly ms: number;
  readonly cpuMs: number;
  readonly bytes: number;
  readonly isStreamed: boolean;
}

const longAnswer = (program: Running, path: string): Promise<LongAnswer> =>
  new Promise((resolve, reject) => {
    const [started, before] = [performance.now(), cpuSeconds(program.pid)];
    const headers = { authorization: `Bearer ${program.token}` };
    get({ host: '127.0.0.1', port: program.port, path, headers }, (reply) => {
      let bytes = 0;
      reply.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      reply.once('end', () => {
        if (reply.statusCode !== 200) return reject(new Error(`${reply.statusCode} from ${path}`));
        const cpuMs = (cpuSeconds(program.pid) - before) * 1000;
        const isStreamed = reply.headers['content-length'] === undefined;
        resolve({ ms: performance.now() - started, cpuMs, bytes, isStreamed });
      });
    }).once('error', reject);
  });

/** The median answer, and by how much the peak of resident memory rises when so many are sent at once, for each. */
export const longAnswers = async (
  program: Running,
  path: string,
  { rounds, atOnce }: { readonly rounds: number; readonly atOnce: number },
): Promise<LongAnswer & { readonly megabytes: number }> => {
  const answers: LongAnswer[] = [];
  for (let round = 0; round < rounds; round += 1) answers.push(await longAnswer(program, path));
  const rises: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    resetPeak(program.pid);
    const before = peakMb(program.pid);
    await Promise.all(Array.from({ length: atOnce }, () => longAnswer(program, path)));
    rises.push((peakMb(program.pid) - before) / atOnce);
  }
  const [first] = answers;
  if (first === undefined) throw new Error('no answer was asked for');
  const ms = median(answers.map((one) => one.ms));
  const cpuMs = median(answers.map((one) => one.cpuMs));
  return { ...first, ms, cpuMs, megabytes: median(rises) };
};
