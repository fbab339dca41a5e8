// The rules of the strategies: series of paths, titles and numbers of books, and users' patterns.

import { numberOf } from '../../core/catalog/rules/positions.js';
import { matchOf, replaceAll } from '../../core/catalog/rules/run-pattern.js';
import { type SeriesOfFile, seriesOf } from '../../core/catalog/rules/series.js';
import { type BookSource, bookFacts, isGeneric, rewriteTitle } from '../../core/catalog/rules/titles.js';
import type { SeriesStrategy, StrategyConfig } from '../../core/model/strategies.js';
import { patternFault } from '../../core/model/user-pattern.js';
import { assert, block } from '../kit.js';

type SeriesRow = readonly [strategy: SeriesStrategy, config: StrategyConfig, path: string, want: SeriesOfFile];

const BY_FOLDERS = '^(?<publisher>[^/]+)/(?<series>[^/]+)/v(?<volume>\\d+)/';
const SERIES: readonly SeriesRow[] = [
  ['series_volume', null, 'One.cbz', { path: 'One.cbz', name: 'One' }],
  ['series_volume', null, 'A/B/One.cbz', { path: 'A/B', name: 'B' }],
  ['series_volume_chapter', null, 'One.cbz', { path: '//Unsorted', name: 'Unsorted' }],
  ['series_volume_chapter', null, 'A/1.cbz', { path: 'A', name: 'A', volume: null }],
  ['series_volume_chapter', null, 'A/Volume 02/1.cbz', { path: 'A', name: 'A', volume: 2 }],
  ['series_volume_chapter', null, 'X/A/第2巻/1.cbz', { path: 'X/A', name: 'A', volume: 2 }],
  ['series_volume_chapter', null, 'Vol. 3/A/1.cbz', { path: 'Vol. 3/A', name: 'A', volume: 3 }],
  ['series_volume_chapter', null, 'Volume 3/1.cbz', { path: 'Volume 3', name: 'Volume 3', volume: 3 }],
  ['flat', null, '[Group] Title 1.cbz', { path: '//group', name: 'Group' }],
  ['flat', null, 'Saga - 001.cbz', { path: '//saga', name: 'Saga' }],
  ['flat', null, 'Saga_001.cbz', { path: '//saga', name: 'Saga' }],
  ['flat', null, 'x/Saga 001 (2012).cbz', { path: 'x//saga', name: 'Saga' }],
  ['flat', null, '001.cbz', { path: '//001', name: '001' }],
  ['flat', { requireMetadata: true }, 'Saga 001.cbz', { path: '//unknown', name: 'Unknown' }],
  ['flat', { filenamePatterns: ['^(.+?) v\\d'] }, 'The Boys v01.cbz', { path: '//the boys', name: 'The Boys' }],
  ['publisher_hierarchy', null, 'Marvel/X-Men/1.cbz', { path: 'Marvel/X-Men', name: 'X-Men', publisher: 'Marvel' }],
  ['publisher_hierarchy', null, 'Marvel/1.cbz', { path: '//Unsorted', name: 'Unsorted' }],
  ['publisher_hierarchy', { skipDepth: 2 }, 'A/B/C/D/1.cbz', { path: 'A/B/C/D', name: 'D', publisher: 'A/B' }],
  ['publisher_hierarchy', { skip_depth: 0 }, 'A/1.cbz', { path: 'A', name: 'A', publisher: null }],
  ['publisher_hierarchy', { storeSkippedAs: 'imprint' }, 'A/B/1.cbz', { path: 'A/B', name: 'B', publisher: null }],
  [
    'calibre',
    null,
    'Le Guin/The Dispossessed (12)/a.epub',
    { path: 'Le Guin/The Dispossessed (12)', name: 'The Dispossessed' },
  ],
  ['calibre', { stripIdSuffix: false }, 'A/B (12)/a.epub', { path: 'A/B (12)', name: 'B (12)' }],
  [
    'calibre',
    { seriesMode: 'by_author' },
    'Le Guin/The Dispossessed (12)/a.epub',
    { path: 'Le Guin', name: 'Le Guin' },
  ],
  ['calibre', { seriesMode: 'by_author' }, 'B (12)/a.epub', { path: '//Unknown Author', name: 'Unknown Author' }],
  ['calibre', { seriesMode: 'standalone' }, 'a.epub', { path: 'a.epub', name: 'a' }],
  [
    'custom',
    { pattern: BY_FOLDERS },
    'DC/Batman/v2/1.cbz',
    { path: 'DC//Batman', name: 'Batman', publisher: 'DC', volume: 2 },
  ],
  ['custom', { pattern: BY_FOLDERS }, 'DC/Batman/1.cbz', { path: 'DC/Batman', name: 'Batman' }],
  ['custom', { pattern: BY_FOLDERS }, '1.cbz', { path: '//Unsorted', name: 'Unsorted' }],
  [
    'custom',
    { pattern: '(?P<series>[^/]+) v(?P<volume>\\d+)', seriesNameTemplate: '{series} ({volume})' },
    'x/Foo v3.cbz',
    { path: 'x//Foo (3)', name: 'Foo (3)', publisher: null, volume: 3 },
  ],
  ['custom', null, 'A/B/1.cbz', { path: '//A', name: 'A', publisher: null, volume: null }],
];

block('rules: series', (check) => {
  for (const [strategy, config, path, want] of SERIES)
    check(`${strategy} ${config === null ? '' : JSON.stringify(config)}: ${path} is ${want.name}`, () => {
      const at = path.lastIndexOf('/');
      assert.equal(seriesOf(strategy, config, path.slice(0, Math.max(0, at)), path.slice(at + 1)), want);
    });
  check('two folders with the same name are two series', () =>
    assert.is.not(
      seriesOf('series_volume', null, 'A/Same', '1.cbz').path,
      seriesOf('series_volume', null, 'B/Same', '1.cbz').path,
    ),
  );
});

const SOURCE: BookSource = {
  fileName: 'Saga v02 c013.cbz',
  embeddedTitle: 'The Long Night',
  embeddedVolume: 7,
  embeddedChapter: 8,
  seriesName: 'Saga',
  position: 5,
  seriesSize: 12,
};
const BARE = { embeddedTitle: null, embeddedVolume: null, embeddedChapter: null };

type BookRow = readonly [
  strategy: Parameters<typeof bookFacts>[0],
  config: StrategyConfig,
  change: Partial<BookSource>,
  want: readonly [title: string, volume: number | null, chapter: number | null],
];

const SPLIT = '^(?<series>.+?) v(?<volume>[\\d.]+) c(?<chapter>\\d+)(?: (?<title>.+))?$';
const BOOKS: readonly BookRow[] = [
  ['filename', null, {}, ['Saga v02 c013', 2, 13]],
  ['filename', null, { fileName: '7.cbz', folderVolume: 3, filesAreChapters: true }, ['7', 3, 7]],
  ['metadata_first', null, {}, ['The Long Night', 7, 8]],
  ['metadata_first', null, BARE, ['Saga v02 c013', null, null]],
  ['smart', null, {}, ['The Long Night', 7, 8]],
  ['smart', null, { ...BARE, embeddedTitle: 'Volume 2' }, ['Saga v02 c013', 2, 13]],
  ['smart', { additionalGenericPatterns: ['^The '] }, {}, ['Saga v02 c013', 7, 8]],
  ['series_name', null, {}, ['Saga v.05', null, 13]],
  ['series_name', null, { seriesSize: 120 }, ['Saga v.005', null, 13]],
  ['series_name', null, { seriesSize: 5000 }, ['Saga v.0005', null, 13]],
  ['series_name', null, { folderVolume: 2 }, ['Saga v.02 c.013', 2, 13]],
  ['series_name', null, { folderVolume: 2, fileName: 'c13.55.cbz' }, ['Saga v.02 c.013.6', 2, 13.55]],
  ['series_name', null, { position: null }, ['Saga v02 c013', null, 13]],
  ['custom', { pattern: SPLIT }, { fileName: 'Saga v02 c013 Home.cbz' }, ['Home', 2, 13]],
  ['custom', { pattern: SPLIT }, {}, ['Saga v02 c013', 2, 13]],
  ['custom', { pattern: SPLIT }, { fileName: 'Saga v1.5 c13.cbz' }, ['Saga v1.5 c13', null, 13]],
  ['custom', { pattern: SPLIT, titleTemplate: '{series} / {chapter} {title}' }, {}, ['Saga / 013', 2, 13]],
  ['custom', { pattern: SPLIT, titleTemplate: '<{filename}>' }, {}, ['<Saga v02 c013>', 2, 13]],
  ['custom', { pattern: '^no match$', fallback: 'metadata_first' }, {}, ['The Long Night', 7, 8]],
  ['custom', { pattern: '^no match$', fallback: 'custom' }, {}, ['Saga v02 c013', 2, 13]],
  ['custom', null, {}, ['Saga v02 c013', 2, 13]],
];

const rule = (pattern: string, replacement: string, enabled = true) => ({
  pattern,
  replacement,
  enabled,
  description: null,
});

block('rules: titles and numbers', (check) => {
  for (const [strategy, config, change, want] of BOOKS)
    check(`${strategy} ${JSON.stringify(config ?? {})} ${JSON.stringify(change)}: ${want[0]}`, () => {
      const { title, volume, chapter } = bookFacts(strategy, config, { ...SOURCE, ...change });
      assert.equal([title, volume, chapter], want);
    });
  for (const title of [
    'Vol 1',
    'Vol. 2',
    'Volume 3',
    'Chapter 4',
    'Issue 5',
    'Issue #5',
    '#6',
    '7',
    'Part 8',
    'Ep 9',
    'Ep. 9',
    'episode 10',
  ])
    check(`"${title}" says nothing`, () => assert.ok(isGeneric(title)));
  for (const title of ['Volume One', 'Part 8 - Home', '1984 revisited', 'The End'])
    check(`"${title}" says something`, () => assert.not(isGeneric(title)));
  check('names of series are rewritten in order', () => {
    const rules = [rule('\\s*\\(Digital\\)', ''), rule('^(.+), The$', 'The $1'), rule('Boys', 'Girls', false)];
    assert.is(rewriteTitle(rules, 'Boys, The (Digital)'), 'The Boys');
    assert.is(rewriteTitle([rule('(?P<a>\\w+) (?P<b>\\w+)', `$\{b} $\{1}`)], 'a b'), 'b a');
    assert.is(rewriteTitle([rule('.', '')], 'stays'), 'stays');
    assert.is(rewriteTitle(null, ' as  it is '), ' as  it is ');
  });
  check('the number by each strategy', () => {
    const source = { position: 4, embeddedNumber: 7, stem: 'Saga #9' };
    const all = ['file_order', 'metadata', 'filename', 'smart'] as const;
    const read = (change: Partial<typeof source> | { embeddedNumber: null }) =>
      all.map((one) => numberOf(one, { ...source, ...change }));
    assert.equal(read({}), [4, 7, 9, 7]);
    assert.equal(read({ embeddedNumber: null }), [4, null, 9, 9]);
    assert.equal(
      all.map((one) => numberOf(one, { position: 4, embeddedNumber: null, stem: 'Saga' })),
      [4, null, null, 4],
    );
  });
});

block('rules: patterns from users', (check) => {
  for (const pattern of ['(', '[a', '*', 'a)', '(?<n>'])
    check(`${pattern} does not compile`, () => assert.match(patternFault(pattern) ?? '', /does not compile/));
  for (const pattern of [
    '^(.+?)(?: v(\\d+))?$',
    '[(+*)]+x',
    '(?:abc)+',
    '\\(a+\\)+',
    '(?P<s>[^/]+)/',
    '(?i)foo',
    'a{2,5}',
    '(?:ab){3}',
    '(a+)+',
    '(a|aa){5}',
    '(?:x*y){2,}',
    'x?'.repeat(40),
    '\\u3000+',
    'a'.repeat(500),
    BY_FOLDERS,
    SPLIT,
  ])
    check(`${pattern} is fine`, () => assert.is(patternFault(pattern), undefined));
  check('long patterns, and those that cannot be matched in linear time, are refused', () => {
    assert.match(patternFault('(a+)\\1') ?? '', /back-references/);
    assert.match(patternFault('(?<x>a)\\k<x>') ?? '', /back-references/);
    for (const pattern of ['a(?=b)', 'a(?!b)', '(?<=a)b', '(?<!a)b'])
      assert.match(patternFault(pattern) ?? '', /look-ahead and look-behind/);
    assert.match(patternFault('a'.repeat(501)) ?? '', /longer than 500/);
    assert.match(patternFault('(?:a{1,30}){1,30}') ?? '', /its repetitions multiply/);
  });
  check('one stored when more was allowed matches nothing and replaces nothing', () => {
    for (const pattern of ['a(?=b)', '(a)\\1?b', '(']) {
      assert.is(matchOf(pattern, 'ab'), null);
      assert.is(replaceAll(pattern, 'ab', 'x'), 'ab');
    }
  });
  check('a pattern made to be slow still answers; nested repetitions match correctly', () => {
    assert.is(matchOf('(x+x+)+y', 'x'.repeat(512)), null);
    assert.is(matchOf('.*.*.*.*.*.*.*y$', 'x'.repeat(65_536)), null);
    assert.is(matchOf(`${'x?'.repeat(60)}${'x'.repeat(60)}$`, 'x'.repeat(60))?.group(0), 'x'.repeat(60));
    assert.is(matchOf('^(?:(\\w+)[ .]?)+$', `${'word '.repeat(60)}end`)?.group(1), 'end');
    assert.is(replaceAll('(.*)*y', `${'x'.repeat(500)}y!`, '-'), '-!');
  });
  check('spaces are spaces in every script', () => {
    assert.is(matchOf('^(\\S+)\\s第(\\d+)巻', 'ワンピース\u3000第12巻')?.group(2), '12');
    assert.is(replaceAll('[\\s_]+', 'a\u3000_\u00a0b', ' '), 'a b');
  });
  check('a group that did not take part is absent', () => {
    const found = matchOf('(?<a>x)|(?<b>y)', 'y');
    assert.equal(
      [found?.named.a, found?.named.b, found?.startOf('a'), found?.startOf('b')],
      [undefined, 'y', undefined, 0],
    );
    assert.equal([found?.group(1), found?.group(9), found?.startOf('none')], [undefined, undefined, undefined]);
  });
  check('a heavy pattern still works', () => assert.is(matchOf('^(.+) - (.+) - (.+)$', 'a - b - c')?.group(3), 'c'));
});
