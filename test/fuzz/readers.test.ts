// A short, repeatable piece of the fuzzing in this process: the same few hundred hostile files each time. `npm run fuzz` goes on from here.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { BookFormat } from '../../core/model/formats.js';
import { wasTrapped } from '../../workers/heaps.js';
import { assert, block } from '../kit.js';
import { exercise } from './exercise.js';
import { runsHere } from './here.js';
import { inputsOf, recipes } from './inputs.js';

const SEED = 20_261;
/** As many as take about two seconds. */
const RUNS: Readonly<Record<BookFormat, number>> = { cbz: 120, cbr: 300, cbt: 300, epub: 300, pdf: 60 };
/** One PDF document may stay open until another is asked for or some seconds have passed. */
const KEPT_OPEN = 1;

const openFiles = (): number | null => {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null; // no such folder on this system
  }
};

let folder = '';

const fuzzed = async (format: BookFormat): Promise<void> => {
  const inputOf = inputsOf(format);
  const path = join(folder, `book.${format}`);
  const property = fc.asyncProperty(recipes, async (recipe) => {
    const { name, bytes } = inputOf(recipe);
    writeFileSync(path, bytes);
    assert.equal((await exercise(runsHere, path)).findings, [], name);
  });
  // Libraries that are loaded on first use open files of their own.
  await fc.assert(property, { seed: SEED, numRuns: 5 });
  const before = openFiles();
  await fc.assert(property, { seed: SEED, numRuns: RUNS[format] });
  const after = openFiles();
  if (before !== null && after !== null) assert.ok(after <= before + KEPT_OPEN, `${before} open files became ${after}`);
  assert.not.ok(wasTrapped(), 'compiled code was left in the middle');
};

block(
  'hostile books',
  (check) => {
    for (const format of ['cbz', 'cbr', 'cbt', 'epub', 'pdf'] as const)
      check(
        `${format}: every change of a book gives pages or an error that blames the book, and closes its files`,
        () => fuzzed(format),
      );
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-fuzz-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
