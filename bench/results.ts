// The kept runs: bench/results.json has the last one of each suite, and bench/RESULTS.md is rendered from it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './measure.js';

/** One suite, measured once. */
export interface Run {
  readonly suite: string;
  readonly date: string;
  readonly machine: string;
  readonly commit: string;
  /** Load average of the last minute before the suite began. Absent where it was not noted. */
  readonly load?: number;
  readonly quick: boolean;
  readonly lines: readonly Line[];
}

const HEAD = `| Work | Limit | Ours | The limit | Ratio | Target | Met | Note |
|---|---|--:|--:|--:|--:|---|---|`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

const targetOf = ({ target, limit }: Line): string =>
  target === null ? limit : `${target.kind === 'min' ? '≥' : '≤'} ${target.value}`;

const wasMeasured = ({ ours }: Line): boolean => ours !== '';

const metOf = (line: Line): string => {
  if (!wasMeasured(line)) return '**not measured**';
  if (line.met === null) return '–';
  return line.met ? 'yes' : '**missed**';
};

const rowOf = (line: Line): string => {
  const { work, limit, ours, bare, ratio, target, note } = line;
  const cells = [
    work,
    target === null && wasMeasured(line) ? '–' : limit,
    ours,
    bare,
    ratio === null ? '' : String(ratio),
    wasMeasured(line) ? targetOf(line) : '',
    metOf(line),
    note,
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
};

export const table = (lines: readonly Line[]): string => [HEAD, ...lines.map(rowOf)].join('\n');

const missed = (lines: readonly Line[]): readonly Line[] => lines.filter(({ met }) => met === false);
const lengthOf = ({ quick }: Run): string => (quick ? 'quick' : 'full');

const overviewRow = (run: Run): string => {
  const { suite, date, commit, lines } = run;
  const judged = lines.filter(({ met }) => met !== null);
  const counts = [judged.length, missed(lines).length, lines.filter((line) => !wasMeasured(line)).length];
  return `| [${suite}](#${suite}) | ${date} | ${commit} | ${lengthOf(run)} | ${counts.join(' | ')} |`;
};

const OVERVIEW = `| Suite | Date | Commit | Run | Targets | Missed | Not measured |
|---|---|---|---|--:|--:|--:|`;

const section = (run: Run): string => {
  const { suite, date, machine, commit, load, quick, lines } = run;
  const before = load === undefined ? '' : `, load ${load} before`;
  const command = `npm run bench -- --results${quick ? ' --quick' : ''} ${suite}`;
  const caution = quick
    ? ' **A quick run: fewer and shorter rounds than a full one, so single figures scatter more.**'
    : '';
  return `## ${suite}

${date}, commit ${commit}, ${lengthOf(run)} run, ${machine}${before}. \`${command}\`${caution}

${table(lines)}`;
};

const MISSES = `| Suite | Work | Ours | Ratio | Target |
|---|---|--:|--:|---|`;

const missRows = ({ suite, lines }: Run): readonly string[] =>
  missed(lines).map((line) => {
    const ratio = line.ratio === null ? '' : String(line.ratio);
    return `| [${suite}](#${suite}) | ${[line.work, line.ours, ratio, targetOf(line)].map(cell).join(' | ')} |`;
  });

const ABOUT = `Written by \`npm run bench -- --results [--quick] [SUITE…]\` from \`bench/results.json\`; not edited by hand. A run
replaces only the sections of its suites, so sections may be of different commits. Each figure is compared with a limit measured in the same
run on the same machine, whose cores server and client share. The ratio is ours divided by the limit's.`;

/** All that is missed comes first, then every line. */
export const rendered = (runs: readonly Run[]): string => {
  const misses = runs.flatMap(missRows);
  return `${[
    '# Measurements',
    ABOUT,
    [OVERVIEW, ...runs.map(overviewRow)].join('\n'),
    '## Targets missed',
    misses.length === 0 ? 'None.' : [MISSES, ...misses].join('\n'),
    ...runs.map(section),
  ].join('\n\n')}\n`;
};

/** `fresh` in the place of the last run of its suite; in the order of `suites`. */
export const keeping = (runs: readonly Run[], fresh: Run, suites: readonly string[]): readonly Run[] =>
  [...runs.filter(({ suite }) => suite !== fresh.suite), fresh].sort(
    (a, b) => suites.indexOf(a.suite) - suites.indexOf(b.suite),
  );

const DATA = 'results.json';
const PAGE = 'RESULTS.md';

export const keptRuns = (folder: string): readonly Run[] => {
  const file = join(folder, DATA);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Run[]) : [];
};

/** Replaces the run of one suite in both files. */
export const keep = (folder: string, fresh: Run, suites: readonly string[]): void => {
  const runs = keeping(keptRuns(folder), fresh, suites);
  writeFileSync(join(folder, DATA), `${JSON.stringify(runs, null, 2)}\n`);
  writeFileSync(join(folder, PAGE), rendered(runs));
};

/** A ratio that is worse than the kept one by more than this share fails a strict run. */
const WORSE = 0.25;

/** Lines whose ratio moved the wrong way by more than a quarter since the kept run of the same length. */
export const worsened = (runs: readonly Run[], fresh: Run): readonly string[] => {
  const kept = runs.find(({ suite, quick }) => suite === fresh.suite && quick === fresh.quick);
  return fresh.lines.flatMap((line) => {
    const before = kept?.lines.find(({ id }) => id === line.id)?.ratio ?? null;
    if (before === null || line.ratio === null || line.target === null) return [];
    const change = line.target.kind === 'min' ? before / line.ratio - 1 : line.ratio / before - 1;
    return change > WORSE ? [`${line.id}: ${before} -> ${line.ratio}`] : [];
  });
};
