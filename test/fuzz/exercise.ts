// One hostile file through everything that reads books: analysis, then its pages and its cover. What comes back is judged here.

import { unpackContents } from '../../core/model/epub-contents.js';
import { AppError, KINDS } from '../../core/model/errors.js';
import type { Analysis, JobName, Jobs, PageEntry } from '../../core/model/jobs.js';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { LIMITS } from '../limits.js';

/** Runs a job: in this process, or in a thread. */
export type Runs = <K extends JobName>(name: K, input: Jobs[K]['input']) => Promise<Jobs[K]['output']>;

export interface Verdict {
  /** `read`, or the kind of error the book was given. */
  readonly result: string;
  readonly pages: number;
  /** What must not happen, in words; empty when all is well. */
  readonly findings: readonly string[];
}

/** Pages tried of each book: the first ones and the last. */
const PAGES_TRIED = 4;
const BOX = { width: 300, height: 300 };

/** A path of this machine other than that of the book, or a place in a program. */
const LEAKED =
  /(?:^|[\s(:'"])(?:file:\/\/)?\/(?:tmp|home|root|usr|var|opt|work|etc|proc|mnt|app)\/|node_modules|\n\s+at /;

const badSentence = (message: string, path: string): string | undefined => {
  if (message.includes('\0')) return 'has a NUL';
  return LEAKED.test(message.replaceAll(path, '')) ? 'names a path' : undefined;
};

const sentenceFindings = (where: string, message: string, path: string): string[] => {
  const why = badSentence(message, path);
  return why === undefined ? [] : [`${where}: a message ${why}: ${JSON.stringify(message)}`];
};

/** What an error says about the program: nothing when the book is to blame. */
const errorFindings = (where: string, thrown: unknown, path: string): string[] => {
  if (!(thrown instanceof AppError)) return [`${where}: ${thrown instanceof Error ? thrown.stack : String(thrown)}`];
  if (KINDS[thrown.kind].blame !== 'book') return [`${where}: ${thrown.kind}: ${thrown.message}`];
  return sentenceFindings(where, thrown.message, path);
};

const analysisFindings = ({ fault, notes }: Analysis, path: string): string[] => [
  ...(fault === null ? [] : errorFindings('fault', new AppError(fault.kind, fault.message), path)),
  ...notes.flatMap(({ message }) => sentenceFindings('note', message, path)),
];

const soundPages = (table: PageTable): PageEntry[] => {
  const all = Array.from({ length: table.pageCount }, (_, index) => table.entry(index));
  const sound = all.filter((page): page is PageEntry => page !== undefined && page.fault === 0);
  return sound.length <= PAGES_TRIED ? sound : [...sound.slice(0, PAGES_TRIED - 1), ...sound.slice(-1)];
};

const tried = async (where: string, path: string, work: () => Promise<unknown>): Promise<string[]> => {
  try {
    await work();
    return [];
  } catch (thrown) {
    return errorFindings(where, thrown, path);
  }
};

const pageFindings = async (run: Runs, path: string, page: PageEntry): Promise<string[]> => {
  const drawn = page.method === METHOD.pdf;
  const original = drawn
    ? []
    : await tried('original', path, () => run('original', { path, state: null, page, limits: LIMITS }));
  const form = { path, state: null, page, box: BOX, format: null, quality: 80, limits: LIMITS };
  return [...original, ...(await tried('page', path, () => run('page', form)))];
};

/** What an EPUB that was read contains. */
const contentsFindings = async (run: Runs, path: string, analysis: Analysis): Promise<string[]> => {
  if (analysis.epubKind === null || analysis.fault !== null) return [];
  const { sizeBytes, mtimeMs, epubKind: kind } = analysis;
  const input = { path, state: { sizeBytes, mtimeMs }, kind, limits: LIMITS };
  return tried('contents', path, async () => unpackContents((await run('contents', input)).contents));
};

export const exercise = async (run: Runs, path: string): Promise<Verdict> => {
  const thumbnail = { side: 200, quality: 80 };
  let analysis: Analysis;
  try {
    analysis = await run('analyze', { path, limits: LIMITS, thumbnail, withCover: true });
  } catch (thrown) {
    const result = thrown instanceof AppError ? thrown.kind : 'Internal';
    return { result, pages: 0, findings: errorFindings('analyze', thrown, path) };
  }
  const findings = analysisFindings(analysis, path);
  const pages = analysis.pageTable === null ? [] : soundPages(new PageTable(analysis.pageTable));
  for (const page of pages) findings.push(...(await pageFindings(run, path, page)));
  if (pages.length > 0)
    findings.push(...(await tried('cover', path, () => run('cover', { path, pages, thumbnail, limits: LIMITS }))));
  findings.push(...(await contentsFindings(run, path, analysis)));
  return { result: analysis.fault?.kind ?? 'read', pages: pages.length, findings };
};
