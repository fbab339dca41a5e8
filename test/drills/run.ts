// Kills the program at random moments and compares what is left with what it acknowledged.
//   npm run drills [-- --kills N] [--seed S]
import { parseArgs } from 'node:util';
import { runKills } from './kills.js';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed))
  throw new Error('--kills and --seed take numbers');
console.log(`seed ${seed}`);
const toll = await runKills({ kills, seed, say: console.log });
console.log(`${toll.kills} kills, ${toll.lost.length} lost, ${toll.faults.length} faults`);
process.exit(toll.lost.length + toll.faults.length === 0 ? 0 : 1);
