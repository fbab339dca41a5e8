// Runs all attacks against the program and reports what held.
//   npm run attack [-- --large] [--backend uws|node] [KIND ...]   (a KIND is a part of its name)
import { parseArgs } from 'node:util';
import { inMb, type Kind, type Report } from './kind.js';
import { KINDS } from './kinds.js';
import { Siege } from './siege.js';
import type { Backend } from './target.js';

const BACKENDS: readonly Backend[] = ['uws', 'node'];

/** The large run takes minutes; the code behind the network engines is the same for all of them. */
const AS_BEFORE = `already run on ${BACKENDS[0]}, and independent of the network engine`;

interface Plan {
  readonly isLarge: boolean;
  readonly backends: readonly Backend[];
  readonly kinds: readonly Kind[];
}

const planOf = (): Plan => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { large: { type: 'boolean', default: false }, backend: { type: 'string' } },
  });
  const backends = BACKENDS.filter((backend) => values.backend === undefined || backend === values.backend);
  const kinds = KINDS.filter(({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)));
  if (backends.length === 0) throw new Error(`--backend takes one of ${BACKENDS.join(', ')}`);
  if (kinds.length === 0) throw new Error(`the kinds are ${KINDS.map(({ name }) => name).join('; ')}`);
  return { isLarge: values.large, backends, kinds };
};

const lines = (word: string, facts: readonly string[]): string[] =>
  facts.map((fact) => `    ${word.padEnd(6)} ${fact}`);

const print = (backend: Backend, { name }: Kind, report: Report, seconds: number): void => {
  const { peakBytes, pssBytes, tried, held, losses, late } = report;
  const memory =
    peakBytes === 0 ? '' : `, at most ${inMb(peakBytes)}${pssBytes === 0 ? '' : ` (${inMb(pssBytes)} PSS now)`}`;
  const verdict = losses.length > 0 ? `LOST ${losses.length}` : late.length > 0 ? 'late' : 'held';
  console.log(`\n${backend}: ${name}: ${verdict} (${seconds.toFixed(1)} s${memory})`);
  const all = [...lines('tried', tried), ...lines('held', held), ...lines('late', late), ...lines('LOST', losses)];
  for (const line of all) console.log(line);
};

/** True when it held. Other guests of the same host take its processors at times, so what was only late is tried once more. */
const withstands = async (siege: Siege, backend: Backend, kind: Kind): Promise<boolean> => {
  for (let attempts = 0; attempts < 2; attempts += 1) {
    const started = performance.now();
    const report = await siege.attack(kind);
    print(backend, kind, report, (performance.now() - started) / 1000);
    if (report.losses.length > 0 || report.late.length === 0) return report.losses.length === 0;
  }
  return false;
};

const { isLarge, backends, kinds } = planOf();
const lost: string[] = [];
let heldCount = 0;
for (const backend of backends) {
  const siege = new Siege(backend, isLarge);
  const breakOff = (): void => {
    void siege.end().finally(() => process.exit(1)); // do not wait for anything else
  };
  process.on('SIGINT', breakOff);
  process.on('SIGTERM', breakOff);
  for (const kind of kinds) {
    const hindrance =
      isLarge && kind.concerns === 'engine' && backend !== backends[0] ? AS_BEFORE : kind.hindrance(isLarge);
    if (hindrance !== null) {
      console.log(`\n${backend}: ${kind.name}: skipped (${hindrance})`);
      continue;
    }
    if (await withstands(siege, backend, kind)) heldCount += 1;
    else lost.push(`${backend}: ${kind.name}`);
  }
  process.off('SIGINT', breakOff);
  process.off('SIGTERM', breakOff);
  await siege.end();
}
console.log(`\n${heldCount} held, ${lost.length} lost${lost.length === 0 ? '' : `: ${lost.join('; ')}`}`);
process.exit(lost.length === 0 ? 0 : 1);
