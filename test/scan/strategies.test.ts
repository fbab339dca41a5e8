// Strategies of a library through the real engine: what a scan makes of the same files under different rules, and what can be changed
// later.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

interface Made {
  readonly temp: TempApp;
  readonly id: string;
  /** The folder of the library. */
  readonly shelf: string;
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  scan(mode?: string): Promise<void>;
  /** `series | title | volume | chapter | number` of every book, by path. */
  lines(): Promise<string[]>;
}

interface FileFacts {
  readonly title?: string;
  readonly number?: string;
  readonly volume?: number;
}

/** File paths, each with the facts in its ComicInfo; null for none. */
type Files = Readonly<Record<string, FileFacts | null>>;

const comicInfo = ({ title, number, volume }: FileFacts): Buffer => {
  const tag = (name: string, value: unknown): string => (value === undefined ? '' : `<${name}>${value}</${name}>`);
  return Buffer.from(`<ComicInfo>${tag('Title', title)}${tag('Number', number)}${tag('Volume', volume)}</ComicInfo>`);
};

/** No two libraries have equal books, because those could be taken for moved ones. */
const write = (shelf: string, path: string, facts: FileFacts | null): void =>
  writeBook(
    join(shelf, path),
    1,
    join(shelf, path),
    facts === null ? [] : [{ name: 'ComicInfo.xml', bytes: comicInfo(facts) }],
  );

interface Shown {
  readonly path: string;
  readonly seriesName: string;
  readonly title: string;
  readonly volume: number | null;
  readonly chapter: number | null;
  readonly number: number | null;
}

const lineOf = (book: Shown): string =>
  [book.seriesName, book.title, book.volume, book.chapter, book.number].map((one) => one ?? '-').join(' | ');

/** One engine for a whole block. */
let temp: TempApp;
const engine = {
  before: async (): Promise<void> => {
    temp = await tempApp();
  },
  after: (): Promise<void> => temp.close(),
};
let libraries = 0;

/** In the spelling that gives way to the other. */
const PLAIN = { book_strategy: 'filename', number_strategy: 'file_order' };

/** Each call gets a library of its own. */
const withLibrary = async (
  settings: Readonly<Record<string, unknown>>,
  files: Files,
  use: (made: Made) => Promise<void>,
): Promise<void> => {
  const token = await temp.tokenOf('admin');
  const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
    temp.call(method, `/api/v1${path}`, { token, body });
  libraries += 1;
  const shelf = join(temp.shelf, `${libraries}`);
  mkdirSync(shelf);
  for (const [path, facts] of Object.entries(files)) write(shelf, path, facts);
  const created = await api('POST', '/libraries', {
    name: `Shelf ${libraries}`,
    path: shelf,
    ...PLAIN,
    ...settings,
  });
  assert.is(created.status, 201, created.json?.message);
  const { id } = created.json;
  const scan = async (mode = 'normal'): Promise<void> => {
    assert.is((await api('POST', `/libraries/${id}/scan?mode=${mode}`)).status, 200);
    await until('the scan ends', () => temp.app.scans.active().length === 0);
    assert.equal((await api('GET', `/libraries/${id}/scan-status`)).json.errors, []);
  };
  const lines = async (): Promise<string[]> => {
    const books: Shown[] = (await api('GET', `/libraries/${id}/books?pageSize=500`)).json.data;
    return books.sort((a, b) => (a.path < b.path ? -1 : 1)).map(lineOf);
  };
  await scan();
  await use({ temp, id, shelf, api, scan, lines });
  assert.equal(temp.faults, []);
};

interface Case {
  readonly fact: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly files: Files;
  readonly want: readonly string[];
}

const SPLIT = '^(?<series>.+?) v(?<volume>\\d+) - (?<title>.+)$';

const CASES: readonly Case[] = [
  {
    fact: 'file names: the name decides everything but the volume and chapter the file contains',
    settings: {},
    files: { 'A/A v01 c02.cbz': { title: 'Home', number: '9', volume: 3 }, 'A/第2巻.cbz': null, 'Z.cbz': null },
    want: ['A | A v01 c02 | 3 | 9 | 1', 'A | 第2巻 | 2 | - | 2', 'Z | Z | - | - | 1'],
  },
  {
    fact: 'metadata_first and metadata',
    settings: { bookStrategy: 'metadata_first', number_strategy: 'metadata' },
    files: { 'A/1.cbz': { title: 'Home', number: '9.5', volume: 3 }, 'A/2 v07.cbz': null },
    want: ['A | Home | 3 | 9.5 | 9', 'A | 2 v07 | 7 | - | -'],
  },
  {
    fact: 'smart and smart',
    settings: { bookStrategy: 'smart', numberStrategy: 'smart' },
    files: { 'A/a v05.cbz': { title: 'Volume 5' }, 'A/b.cbz': { title: 'Home', number: '12A' }, 'A/c.cbz': null },
    want: ['A | a v05 | 5 | - | 5', 'A | Home | - | 12 | 12', 'A | c | - | - | 3'],
  },
  {
    fact: 'numbers of file names',
    settings: { numberStrategy: 'filename' },
    files: { 'A/Saga #7 (2019).cbz': null, 'A/Saga (2019).cbz': null },
    want: ['A | Saga #7 (2019) | - | - | 7', 'A | Saga (2019) | - | - | -'],
  },
  {
    fact: 'volume folders, and titles of the series',
    settings: { seriesStrategy: 'series_volume_chapter', bookStrategy: 'series_name' },
    files: { 'A/Volume 1/c1.cbz': null, 'A/Volume 2/2.cbz': null, 'A/Volume 2/x.cbz': null, 'loose.cbz': null },
    want: [
      'A | A v.01 c.001 | 1 | 1 | 1',
      'A | A v.02 c.002 | 2 | 2 | 2',
      'A | A v.03 | 2 | - | 3',
      'Unsorted | Unsorted v.01 | - | - | 1',
    ],
  },
  {
    fact: 'flat: one folder, many series',
    settings: { series_strategy: 'flat' },
    files: { 'Saga - 01.cbz': null, 'Saga - 02.cbz': null, 'Zoo - 01.cbz': null },
    want: ['Saga | Saga - 01 | - | - | 1', 'Saga | Saga - 02 | - | - | 2', 'Zoo | Zoo - 01 | - | - | 1'],
  },
  {
    fact: 'publisher folders; equal names stay apart',
    settings: { seriesStrategy: 'publisher_hierarchy', seriesConfig: { skipDepth: 1 } },
    files: { 'DC/Annual/1.cbz': null, 'Marvel/Annual/1.cbz': null, 'Marvel/x.cbz': null },
    want: ['Annual | 1 | - | - | 1', 'Annual | 1 | - | - | 1', 'Unsorted | x | - | - | 1'],
  },
  {
    fact: 'calibre by author',
    settings: { seriesStrategy: 'calibre', series_config: { series_mode: 'by_author' } },
    files: { 'Le Guin/Dispossessed (1)/d.cbz': null, 'Le Guin/Earthsea (2)/e.cbz': null },
    want: ['Le Guin | d | - | - | 1', 'Le Guin | e | - | - | 2'],
  },
  {
    fact: 'custom series and custom books',
    settings: {
      seriesStrategy: 'custom',
      seriesConfig: { pattern: '^(?<publisher>[^/]+)/(?<series>[^/]+)/', seriesNameTemplate: '{series} ({publisher})' },
      bookStrategy: 'custom',
      bookConfig: { pattern: SPLIT, titleTemplate: '{title} [{volume}]', fallback: 'series_name' },
    },
    files: { 'DC/Bat/1/Bat v3 - Home.cbz': null, 'DC/Bat/2/other.cbz': null },
    want: ['Bat (DC) | Home [3] | 3 | - | 1', 'Bat (DC) | Bat (DC) v.02 | - | - | 2'],
  },
  {
    fact: 'names of new series are rewritten',
    settings: {
      titlePreprocessingRules: [
        { pattern: '\\s*\\[.*?\\]', replacement: '' },
        { pattern: '^X', replacement: 'Y', enabled: false },
      ],
    },
    files: { 'Xen [Digital]/1.cbz': null },
    want: ['Xen | 1 | - | - | 1'],
  },
];

const cases = (check: Check): void => {
  for (const { fact, settings, files, want } of CASES)
    check(fact, () =>
      withLibrary(settings, files, async ({ lines, scan }) => {
        assert.equal(await lines(), want);
        await scan('deep');
        assert.equal(await lines(), want);
      }),
    );
};

block('strategies: what a scan makes of files', cases, engine);

const told = (check: Check): void => {
  for (const opfName of ['metadata.opf', 'METADATA.OPF'])
    check(`a calibre library takes the series from the ${opfName} next to each book`, () =>
      withLibrary({ seriesStrategy: 'calibre' }, {}, async (made) => {
        const opf = (series: string): string =>
          `<package version="2.0"><metadata><meta name="calibre:series" content="${series}"/></metadata></package>`;
        for (const [book, series] of [
          ['One (1)', 'Saga'],
          ['Two (2)', 'Saga'],
          ['Alone (3)', null],
        ] as const) {
          const name = book.slice(0, book.indexOf(' '));
          write(made.shelf, `Ann/${book}/${name}.cbz`, null);
          if (series !== null) writeFileSync(join(made.shelf, 'Ann', book, opfName), opf(series));
        }
        await made.scan();
        assert.equal((await made.lines()).map((line) => line.split(' | ').slice(0, 2).join(': ')).sort(), [
          'Alone: Alone',
          'Saga: One',
          'Saga: Two',
        ]);
      }),
    );
  check('the skipped folder of a hierarchy is the publisher of its series', () =>
    withLibrary({ seriesStrategy: 'publisher_hierarchy' }, { 'House/Saga/1.cbz': null }, async (made) => {
      const { json } = await made.api('GET', `/libraries/${made.id}/series`);
      assert.equal([json.data[0].title, json.data[0].publisher], ['Saga', 'House']);
    }),
  );
};

block('strategies that use neighbouring files and folders', told, engine);

const later = (check: Check): void => {
  check('a changed strategy reaches old books with the next deep scan, and back again', () =>
    withLibrary({}, { 'A/a #7.cbz': { title: 'Home', volume: 2 }, 'A/b.cbz': null }, async (made) => {
      const before = await made.lines();
      const change = { bookStrategy: 'metadata_first', numberStrategy: 'filename' };
      const changed = await made.api('PATCH', `/libraries/${made.id}`, change);
      assert.equal([changed.json.bookStrategy, changed.json.numberStrategy], ['metadata_first', 'filename']);
      await made.scan();
      assert.equal(await made.lines(), before);
      await made.scan('deep');
      assert.equal(await made.lines(), ['A | Home | 2 | - | 7', 'A | b | - | - | -']);
      await made.api('PUT', `/libraries/${made.id}`, { book_strategy: 'filename', number_strategy: 'file_order' });
      await made.scan('deep');
      assert.equal(await made.lines(), before);
      const [row] = await made.temp.app.db.all<{ n: number }>('SELECT sum(rules_changed) AS n FROM library');
      assert.is(row?.n, 0);
    }),
  );
  check('titles by position shift when a file is added or removed', () =>
    withLibrary(
      { bookStrategy: 'series_name' },
      { 'A/1.cbz': null, 'A/3.cbz': null, 'B/1.cbz': null },
      async (made) => {
        assert.equal(await made.lines(), [
          'A | A v.01 | - | - | 1',
          'A | A v.02 | - | - | 2',
          'B | B v.01 | - | - | 1',
        ]);
        write(made.shelf, 'A/2.cbz', null);
        await made.scan();
        assert.equal((await made.lines()).slice(0, 3), [
          'A | A v.01 | - | - | 1',
          'A | A v.02 | - | - | 2',
          'A | A v.03 | - | - | 3',
        ]);
        rmSync(join(made.shelf, 'A/1.cbz'));
        await made.scan();
        assert.equal((await made.lines()).slice(0, 2), ['A | A v.01 | - | - | 1', 'A | A v.02 | - | - | 2']);
      },
    ),
  );
  check('a renamed file keeps its id and gets new facts', () =>
    withLibrary(
      { seriesStrategy: 'flat', bookStrategy: 'smart', numberStrategy: 'smart' },
      { 'Saga - v01.cbz': { title: 'Home' }, 'Saga - v02.cbz': null, 'Saga - v03.cbz': null },
      async (made) => {
        const idOf = async (title: string): Promise<string> =>
          (await made.api('GET', `/libraries/${made.id}/books`)).json.data.find((book: Shown) => book.title === title)
            .id;
        const [home, second] = [await idOf('Home'), await idOf('Saga - v02')];
        renameSync(join(made.shelf, 'Saga - v01.cbz'), join(made.shelf, 'Zoo - v08.cbz'));
        await made.scan();
        renameSync(join(made.shelf, 'Saga - v02.cbz'), join(made.shelf, 'Saga - v09.cbz'));
        await made.scan();
        assert.equal(await made.lines(), [
          'Saga | Saga - v03 | 3 | - | 3',
          'Saga | Saga - v09 | 9 | - | 9',
          'Zoo | Home | 8 | - | 8',
        ]);
        assert.equal([await idOf('Home'), await idOf('Saga - v09')], [home, second]);
      },
    ),
  );
};

block('strategies: later changes', later, engine);
