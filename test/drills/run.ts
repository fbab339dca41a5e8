// Lets happen to the program what may happen to a server, then kills it at random moments, and compares what is left with what it
// acknowledged.
//   npm run drills [-- --kills N] [--seed S] [WORD ...]     (a WORD is a part of a drill's name; the kills are called kills)
import { parseArgs } from 'node:util';
import { FAULTS, runFault } from './faults.js';
import { runKills } from './kills.js';

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed))
  throw new Error('--kills and --seed take numbers');
const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));
let [held, wrong] = [0, 0];
for (const name of Object.keys(FAULTS).filter(isWanted)) {
  const found = await runFault(name, console.log);
  if (found === null) continue;
  held += Number(found.length === 0);
  wrong += Number(found.length > 0);
}
console.log(`${held} drills held, ${wrong} lost`);
if (!isWanted('kills')) process.exit(wrong === 0 ? 0 : 1);
console.log(`seed ${seed}`);
const toll = await runKills({ kills, seed, say: console.log });
console.log(`${toll.kills} kills, ${toll.lost.length} lost, ${toll.faults.length} faults`);
process.exit(wrong + toll.lost.length + toll.faults.length === 0 ? 0 : 1);
