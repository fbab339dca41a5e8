// Given runs, rendered: what the page of results says, and which runs are kept.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { absolute, compared, figure, type Line, skipped } from '../bench/measure.js';
import { keep, keeping, keptRuns, type Run, rendered, worsened } from '../bench/results.js';
import { assert, block } from './kit.js';

const rate = (ours: number): Line =>
  compared({
    id: 'page',
    work: 'a page',
    limit: 'bare',
    unit: 'req/s',
    ours,
    bare: 100,
    target: { kind: 'min', value: 0.8 },
  });

const runOf = (suite: string, lines: readonly Line[], quick = false): Run => ({
  suite,
  date: '2026-01-02',
  machine: '2 x CPU, 8 GB, Node 20.1.0',
  commit: 'abc1234',
  quick,
  lines,
});

const SUITES = ['steps', 'pages', 'memory'];
const rowOf = (text: string, work: string): string =>
  text.split('\n').find((line) => line.startsWith(`| ${work} |`)) ?? 'no such row';

block('bench results', (check) => {
  check('the figures in the README are those of the stored runs', () => {
    const page = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
    const [, table = ''] = /\n## Figures\n([\s\S]*?)\n## /.exec(page('README.md')) ?? [];
    const figures = [...table.matchAll(/\d+(?:\.\d+)? (?:req\/s|images\/s|s|MB)(?=\W)/g)].map(([one]) => one);
    const results = page('bench/RESULTS.md');
    assert.ok(figures.length >= 10);
    assert.equal(
      figures.filter((one) => !results.includes(` ${one}`)),
      [],
    );
  });
  check('a missed target is marked in its row, in the overview and in the list of misses', () => {
    const text = rendered([runOf('pages', [rate(50)])]);
    assert.is(rowOf(text, 'a page'), '| a page | bare | 50 req/s | 100 req/s | 0.5 | ≥ 0.8 | **missed** |  |');
    assert.ok(text.includes('\n| [pages](#pages) | a page | 50 req/s | 0.5 | ≥ 0.8 |\n'));
    assert.ok(text.includes('| [pages](#pages) | 2026-01-02 | abc1234 | full | 1 | 1 | 0 |'));
  });

  check('a line that was not measured is marked, with the reason, and counts as no target', () => {
    const text = rendered([runOf('pages', [skipped('page', 'a page', 'nginx', 'nginx is not installed')])]);
    const row = '| a page | nginx |  |  |  |  | **not measured** | skipped: nginx is not installed |';
    assert.is(rowOf(text, 'a page'), row);
    assert.ok(text.includes('| full | 0 | 0 | 1 |'));
  });

  check('a quick run is marked as such, a full one is not', () => {
    assert.ok(rendered([runOf('pages', [rate(90)], true)]).includes('**A quick run'));
    assert.ok(!rendered([runOf('pages', [rate(90)])]).includes('quick run'));
  });

  check('a section names date, commit, machine, Node and how to run it', () => {
    const text = rendered([runOf('pages', [rate(90)], true)]);
    const line =
      '2026-01-02, commit abc1234, quick run, 2 x CPU, 8 GB, Node 20.1.0. `npm run bench -- --results --quick pages`';
    assert.ok(text.includes(`## pages\n\n${line}`));
  });

  check('a section names the load before it, if it was noted', () => {
    assert.ok(rendered([{ ...runOf('pages', [rate(90)]), load: 1.5 }]).includes('Node 20.1.0, load 1.5 before. `npm'));
    assert.ok(!rendered([runOf('pages', [rate(90)])]).includes('load'));
  });

  check('targets that are met, targets of a figure itself, figures without a target', () => {
    const lines = [
      rate(90),
      absolute('idle', 'idle', '≤ 130 MB', '96 MB', true),
      figure('scan', 'a scan', '9 books/s'),
    ];
    const text = rendered([runOf('memory', lines)]);
    assert.is(rowOf(text, 'a page'), '| a page | bare | 90 req/s | 100 req/s | 0.9 | ≥ 0.8 | yes |  |');
    assert.is(rowOf(text, 'idle'), '| idle | – | 96 MB |  |  | ≤ 130 MB | yes |  |');
    assert.is(rowOf(text, 'a scan'), '| a scan | – | 9 books/s |  |  | none | – |  |');
    assert.ok(text.includes('## Targets missed\n\nNone.'));
  });

  check('a bar in a text does not end its cell', () => {
    const text = rendered([runOf('steps', [figure('pipe', 'a | b', '1 ms')])]);
    assert.ok(text.includes('| a \\| b | – |'));
  });

  check('a run replaces only its own suite, and suites keep their order', () => {
    const [memory, pages] = [runOf('memory', [rate(1)]), runOf('pages', [rate(2)])];
    const fresh = runOf('pages', [rate(3)], true);
    assert.equal(keeping([memory, pages], fresh, SUITES), [fresh, memory]);
  });

  check('a kept run stands in both files, and the sections of the others stay as they were', () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-results-'));
    try {
      keep(folder, runOf('memory', [rate(90)]), SUITES);
      const before = readFileSync(join(folder, 'RESULTS.md'), 'utf8');
      const section = before.slice(before.indexOf('## memory'));
      keep(folder, runOf('steps', [rate(50)], true), SUITES);
      const after = readFileSync(join(folder, 'RESULTS.md'), 'utf8');
      assert.ok(section.length > 0 && after.endsWith(`\n${section}`));
      assert.ok(after.includes('## steps\n'));
      assert.equal(
        keptRuns(folder).map(({ suite }) => suite),
        ['steps', 'memory'],
      );
      writeFileSync(join(folder, 'results.json'), '[]');
      assert.equal(keptRuns(folder), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  check('a ratio worse by more than a quarter is named, if the kept run was as long', () => {
    const fresh = runOf('pages', [rate(50)]);
    assert.equal(worsened([runOf('pages', [rate(90)])], fresh), ['page: 0.9 -> 0.5']);
    assert.equal(worsened([runOf('pages', [rate(55)])], fresh), []);
    assert.equal(worsened([runOf('pages', [rate(90)], true)], fresh), []);
  });
});
