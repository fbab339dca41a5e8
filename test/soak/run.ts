// Uses the real program for a long time in every way at once, and finds out whether anything that it holds, or the time it takes, grows.
//   npm run soak [-- --minutes N] [--seed S]     (in less than 20 minutes most figures still grow to their usual size)
import { parseArgs } from 'node:util';
import { soak } from './soak.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error('--minutes takes a number above 0, --seed a whole one');
const { growing, failures, lost, faults } = await soak({ minutes, seed, say: console.log });
for (const [word, sentences] of Object.entries({ failure: failures, lost, fault: faults }))
  for (const sentence of [...new Set(sentences)].slice(0, 20)) console.log(`${word}: ${sentence}`);
console.log(
  `${failures.length} failures, ${lost.length} lost, ${faults.length} faults; ` +
    (growing.length === 0 ? 'every slope is 0 within its noise' : `grows: ${growing.join(', ')}`),
);
process.exit(growing.length + failures.length + lost.length + faults.length === 0 ? 0 : 1);
