// The command `scan DIR`: what a folder contains and how fast it can be read, without a database.
import { resolve } from 'node:path';
import { checkRoot } from '../../core/catalog/roots.js';
import { systemClock } from '../../core/engine/clock.js';
import { openPool } from '../../core/engine/pool.js';
import { traceOf } from '../../core/model/errors.js';
import { type Survey, survey } from '../../core/scan/dry-run.js';
import type { Config } from '../config/config.js';
import { limitsOf, poolOptionsOf } from '../config/engine-options.js';
import { counted, printable } from './printable.js';
import { createProgressWriter } from './progress-line.js';

const MEGABYTE = 1_000_000;
const round = (value: number): number => Math.round(value * 100) / 100;
const perSecond = (count: number, ms: number): number => round(count / Math.max(0.001, ms / 1000));

const asJson = (folder: string, found: Survey): string =>
  JSON.stringify({
    folder,
    folders: found.folders,
    books: found.books,
    pages: found.pages,
    bytes: found.bytes,
    seconds: { walk: round(found.walkMs / 1000), analyse: round(found.analysisMs / 1000) },
    booksPerSecond: perSecond(found.books, found.analysisMs),
    pagesPerSecond: perSecond(found.pages, found.analysisMs),
    megabytesPerSecond: perSecond(found.bytes / MEGABYTE, found.analysisMs),
    unreadable: found.unreadable,
    unreadableCount: found.unreadableCount,
  });

const asText = (folder: string, found: Survey): string => {
  const lines = [
    printable(folder),
    `  ${counted(found.books, 'book')} with ${counted(found.pages, 'page')} in ${counted(found.folders, 'folder')}, ${round(found.bytes / MEGABYTE)} MB`,
    `  walk      ${round(found.walkMs / 1000)} s`,
    `  analysis  ${round(found.analysisMs / 1000)} s: ${perSecond(found.books, found.analysisMs)} books/s, ${perSecond(found.pages, found.analysisMs)} pages/s, ${perSecond(found.bytes / MEGABYTE, found.analysisMs)} MB/s`,
    ...(found.unreadableCount === 0 ? [] : [`  ${found.unreadableCount} unreadable:`]),
    ...found.unreadable.map(({ path, message }) => `    ${printable(path)}: ${printable(message)}`),
  ];
  return lines.join('\n');
};

interface Wanted {
  readonly folder: string;
  readonly json: boolean;
  /** Whether an unreadable book is a failure. */
  readonly strict: boolean;
}

/** Exit code 0; if it is strict, 1 when a book cannot be read. */
export const scanCommand = async (config: Config, { folder, json, strict }: Wanted): Promise<number> => {
  const root = await checkRoot(resolve(folder), []);
  const progress = createProgressWriter(process.stderr, systemClock);
  const pool = openPool({
    ...poolOptionsOf(config),
    onFault: (thrown) => {
      progress.clear();
      process.stderr.write(`${traceOf(thrown)}\n`);
    },
  });
  const started = performance.now();
  try {
    const thumbnail = { side: config.thumbnail.maxDimension, quality: config.thumbnail.jpegQuality };
    const found = await survey({ pool, limits: limitsOf(config), thumbnail }, root, (books) => {
      if (process.stderr.isTTY !== true) return;
      const ratePerS = perSecond(books, performance.now() - started);
      progress.show({
        phase: 'discovering',
        libraryName: root,
        filesFound: books,
        booksDone: books,
        booksTotal: 0,
        errors: 0,
        ratePerS,
      });
    });
    progress.clear();
    process.stdout.write(`${json ? asJson(root, found) : asText(root, found)}\n`);
    return strict && found.unreadableCount > 0 ? 1 : 0;
  } finally {
    await pool.close();
  }
};
