// Uses the real program for a long time at a moderate rate, and finds out whether anything it holds grows.
//   npm run soak [-- --minutes N] [--seed S]
import { parseArgs } from 'node:util';
import { seeded } from '../../bench/corpus.js';
import { openHouse } from '../drills/house.js';
import { DEEDS, type Random, ROUND } from './load.js';
import { type Sample, slopeOf } from './slope.js';
import { ALLOWED, type Vitals, vitalsOf } from './vitals.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number above 0');
const SAMPLES = 120;
const PAUSE_MS = 40;

const dice = seeded(Number(values.seed));
const random: Random = (below) => Math.floor(dice() * below);
const house = await openHouse();
const samples: { readonly at: number; readonly vitals: Vitals }[] = [];
const took = new Map<string, number[]>();
const failures: string[] = [];

const quantile = (name: string, share: number): string => {
  const sorted = [...(took.get(name) ?? [])].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
};

const shown = (vitals: Vitals): string =>
  Object.entries(vitals)
    .map(([name, value]) => `${name} ${value.toFixed(1)}`)
    .join(', ');

await house.open();
const pid = house.program().child.pid ?? 0;
const began = performance.now();
const passed = (): number => (performance.now() - began) / 60_000;
let said = 0;
for (let n = 0; passed() < minutes; n += 1) {
  const name = ROUND[n % ROUND.length] ?? 'page';
  const started = performance.now();
  await DEEDS[name]?.(house, random, n).catch((thrown: unknown) => failures.push(String(thrown)));
  const times = took.get(name) ?? [];
  took.set(name, times);
  if (times.length < 100_000) times.push(performance.now() - started);
  if (passed() >= (samples.length * minutes) / SAMPLES)
    samples.push({ at: passed(), vitals: vitalsOf(pid, house.data) });
  if (passed() >= said + 1) {
    said += 1;
    console.log(`${said} min: ${shown(vitalsOf(pid, house.data))}, ${failures.length} failures`);
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
for (const name of took.keys())
  console.log(
    `${name}: ${took.get(name)?.length} times, p50 ${quantile(name, 0.5)} ms, p99 ${quantile(name, 0.99)} ms`,
  );
const growing: string[] = [];
for (const name of Object.keys(ALLOWED) as (keyof Vitals)[]) {
  const series = samples.map(({ at, vitals }): Sample => ({ at, value: vitals[name] }));
  const slope = slopeOf(series, ALLOWED[name]);
  if (slope?.isZero !== true) growing.push(name);
  console.log(`${name}: ${slope?.perMinute.toFixed(4)} ± ${slope?.within.toFixed(4)} per minute`);
}
const lost = await house.lost();
house.program().child.kill('SIGTERM');
const code = await house.program().ended;
for (const sentence of [...new Set(failures)].slice(0, 20)) console.log(`failure: ${sentence}`);
for (const sentence of lost) console.log(`lost: ${sentence}`);
if (code !== 0) console.log(`the program ended with ${code}`);
house.remove();
console.log(growing.length === 0 ? 'slope 0 within its noise' : `grows: ${growing.join(', ')}`);
process.exit(growing.length + failures.length + lost.length + Number(code !== 0) === 0 ? 0 : 1);
