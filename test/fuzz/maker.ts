// Makes hostile files in a process of its own, so that the memory of the one that reads them is that of reading. Started by made-files.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { inputsOf, type Recipe, recipes } from './inputs.js';
import type { MadeFile } from './made-files.js';
import { formatOf, SUBJECTS } from './seeds.js';

const BATCH = 64;
/** So that runs with neighbouring seeds have nothing in common. */
const SEED_STEP = 1_000_003;

/** The same recipes for the same seed, however many are wanted. */
function* recipesFrom(seed: number): Generator<{ readonly recipe: Recipe; readonly number: number }> {
  for (let batch = 0; ; batch += 1) {
    const made = fc.sample(recipes, { seed: (seed * SEED_STEP + batch) | 0, numRuns: BATCH });
    for (const [at, recipe] of made.entries()) yield { recipe, number: batch * BATCH + at };
  }
}

const [word, seed, folder] = process.argv.slice(2);
const subject = SUBJECTS.find((one) => one === word);
if (subject === undefined || seed === undefined || folder === undefined) throw new Error('subject, seed and folder');
const inputOf = inputsOf(subject);
const made = recipesFrom(Number(seed));

process.on('message', () => {
  const { recipe, number } = made.next().value;
  const { name, bytes } = inputOf(recipe);
  const path = join(folder, `${subject}-${number}.${formatOf(subject)}`);
  writeFileSync(path, bytes);
  process.send?.({ number, path, from: name, recipe: JSON.stringify(recipe) } satisfies MadeFile);
});
process.on('disconnect', () => process.exit(0));
