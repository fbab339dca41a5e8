// What a few books of a folder would be called and numbered: their files are opened for what they say, one after the other.
import { join } from 'node:path';
import { factsToStore } from '../catalog/apply-rules.js';
import { AppError } from '../model/errors.js';
import { stemOf } from '../model/formats.js';
import type { BookFacts } from '../model/metadata.js';
import type { LibraryRules } from '../model/strategies.js';
import type { ScanParts } from './context.js';

const EXAMPLES_MAX = 8;
/** Nobody waits longer than this for examples; those found until then are shown. */
const TOGETHER_MS = 10_000;

export interface ExampleBook {
  readonly fileName: string;
  readonly seriesName: string;
  readonly title: string;
  /** Null where its place in the series decides. */
  readonly number: number | null;
}

interface Sampled {
  readonly name: string;
  readonly samples: readonly string[];
  readonly folders: readonly string[];
}

interface Sample {
  readonly seriesName: string;
  readonly folderPath: string;
  readonly fileName: string;
}

/** The first file of each series, then the second of each, and so on. */
const samplesOf = (series: readonly Sampled[]): readonly Sample[] => {
  const longest = Math.max(0, ...series.map(({ samples }) => samples.length));
  return Array.from({ length: longest }, (_, at) => at)
    .flatMap((at) =>
      series.flatMap(({ name, samples, folders }): Sample[] => {
        const [fileName, folderPath] = [samples[at], folders[at]];
        return fileName === undefined || folderPath === undefined ? [] : [{ seriesName: name, folderPath, fileName }];
      }),
    )
    .slice(0, EXAMPLES_MAX);
};

const takesMetadata = ({ bookStrategy, numberStrategy }: LibraryRules): boolean =>
  bookStrategy === 'smart' ||
  bookStrategy === 'metadata_first' ||
  numberStrategy === 'smart' ||
  numberStrategy === 'metadata';

interface Asked {
  readonly root: string;
  readonly rules: LibraryRules;
  readonly series: readonly Sampled[];
}

type Facts = Pick<BookFacts, 'title' | 'volume' | 'chapter' | 'number'> | null;

/** What a file says; nothing if it cannot be read, which the scan will report. */
const factsIn = async (
  { pool, limits }: Pick<ScanParts, 'pool' | 'limits'>,
  { root }: Asked,
  { folderPath, fileName }: Sample,
  signal: AbortSignal,
): Promise<Facts> => {
  try {
    const input = { path: join(root, folderPath, fileName), root, limits };
    return (await pool.run('describe', input, { lane: 'background', signal })).metadata?.book ?? null;
  } catch (thrown) {
    if (thrown instanceof AppError && !signal.aborted) return null;
    throw thrown;
  }
};

export const exampleBooks = async (
  parts: Pick<ScanParts, 'pool' | 'limits'>,
  asked: Asked,
  signal: AbortSignal,
): Promise<readonly ExampleBook[]> => {
  const { rules } = asked;
  const samples = samplesOf(asked.series);
  const examples: ExampleBook[] = [];
  const endMs = performance.now() + TOGETHER_MS;
  for (const sample of samples) {
    if (performance.now() > endMs) break;
    const facts = takesMetadata(rules) ? await factsIn(parts, asked, sample, signal) : null;
    const { title, number } = factsToStore(rules, sample, facts);
    const { seriesName, fileName } = sample;
    const isByOrder = rules.numberStrategy === 'file_order';
    examples.push({ fileName, seriesName, title: title ?? stemOf(fileName), number: isByOrder ? null : number });
  }
  return examples;
};
