// Readers of metadata against files of other people: every form gives what its manifest states, and several make one.
import { readFileSync } from 'node:fs';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { fixture } from '../../fixtures/index.js';
import { readCoMet } from '../../workers/metadata/comet.js';
import { readComicBookInfo } from '../../workers/metadata/comicbookinfo.js';
import { readComicInfo } from '../../workers/metadata/comicinfo.js';
import { embedded, mergeMetadata, reported } from '../../workers/metadata/merge.js';
import { readMetronInfo } from '../../workers/metadata/metroninfo.js';
import { readOpf } from '../../workers/metadata/opf.js';
import { readSeriesJson } from '../../workers/metadata/series-json.js';
import { assert, block } from '../kit.js';

type Reader = (bytes: Uint8Array) => EmbeddedMetadata | null;

const ALICE = "Alice's Adventures in Wonderland";
const KIDS = 'Die drei ??? Kids';
const YOUTHFUL = 'Youthful Adventure Stories';

/** Columns title, series and number of the corpus, and its notes; null where a file is silent. */
const STATED: readonly (readonly [
  file: string,
  read: Reader,
  title: string | null,
  series: string | null,
  number: string | null,
  notes: Readonly<Record<string, unknown>>,
])[] = [
  [
    'comet.xml',
    readCoMet,
    'The Beginning',
    'Captain Science',
    '1',
    { volume: 1, publisher: 'Bell Features', month: 12, pageCount: 5 },
  ],
  [
    'comicbookinfo.json',
    readComicBookInfo,
    'The Beginning',
    'Captain Science',
    '1',
    { volume: 1950, publisher: YOUTHFUL, count: 7, languageIso: 'en' },
  ],
  [
    'comicinfo-captain-science.xml',
    readComicInfo,
    'The Beginning; The End',
    'Captain Science',
    '1',
    { volume: 1950, year: 1950, languageIso: 'en', publisher: YOUTHFUL, pageCount: null, isbns: null },
  ],
  [
    'comicinfo-full.xml',
    readComicInfo,
    'The Long Night',
    'Northern Lights',
    '12',
    {
      volume: 2,
      year: 2019,
      languageIso: 'en-GB',
      manga: false,
      blackAndWhite: true,
      publisher: 'Example Press',
      imprint: 'Night Line',
      genre: 'Fantasy, Mystery',
      formatDetail: 'Trade Paperback',
      count: 24,
      pageCount: 3,
      chapter: 12,
    },
  ],
  [
    'comicinfo-kavita.xml',
    readComicInfo,
    'v01',
    'BTOOOM!',
    null,
    { languageIso: 'en', publisher: 'Yen Press', genre: 'Manga, Movies & TV', pageCount: 194 },
  ],
  [
    'comicinfo-repeated-elements.xml',
    readComicInfo,
    null,
    null,
    null,
    { publisher: YOUTHFUL, genre: 'Science Fiction, Fantasy', count: 7 },
  ],
  [
    'comicinfo-validation.xml',
    readComicInfo,
    null,
    '2',
    '1',
    { volume: 1950, year: 1950, languageIso: 'en', pageCount: 36 },
  ],
  [
    'metroninfo-1.1.xml',
    readMetronInfo,
    'Justice League, Part One',
    'Justice League',
    '1',
    { volume: 2, publisher: 'DC Comics', imprint: 'Vertigo', languageIso: 'en', isbns: null, year: 2011, count: 60 },
  ],
  [
    'metroninfo.xml',
    readMetronInfo,
    'Captain Lost',
    'Captain Science',
    '1',
    { volume: 1950, publisher: YOUTHFUL, languageIso: 'en' },
  ],
  [
    'opf-calibre.opf',
    readOpf,
    'A Clash of Kings',
    null,
    null,
    { languageIso: 'en', isbns: '9780553897845', year: 2011, month: 3, day: 22, summary: null },
  ],
  ['opf-collections-epub3.opf', readOpf, ALICE, 'Series A', '2', { seriesPosition: 2 }],
  ['opf-contributors-epub3.opf', readOpf, ALICE, null, null, { publisher: 'Publisher 1', translator: 'Translator' }],
  ['opf-cover-epub2.opf', readOpf, ALICE, null, null, {}],
  ['opf-dates-epub3-notiso.opf', readOpf, ALICE, null, null, { year: 1865, month: null }],
  ['opf-identifier-unique.opf', readOpf, ALICE, null, null, { isbns: '9783161484100' }],
  ['opf-presentation-metadata.opf', readOpf, ALICE, null, null, {}],
  ['opf-progression-rtl.opf', readOpf, ALICE, null, null, {}],
  [
    'opf-series-epub3.opf',
    readOpf,
    'Die Drei Fragezeichen-Kids, Bd.3, Invasion Der Fliegen',
    KIDS,
    '3',
    {
      languageIso: 'de',
      isbns: '9783440077931',
      year: 1999,
      seriesPosition: 3,
      genre: 'Juvenile Fiction, Mysteries & Detective Stories, Kinder- und Jugendbücher',
    },
  ],
  [
    'opf-series-prefixed.opf',
    readOpf,
    'Panik im Paradies',
    KIDS,
    '1.5',
    { seriesPosition: 1.5, isbns: '9783440077894', chapter: null, publisher: 'Kosmos' },
  ],
  ['opf-subjects-complex.opf', readOpf, ALICE, null, null, { subjects: ['FICTION / Occult & Supernatural'] }],
  ['opf-title-main-precedence.opf', readOpf, 'Main title takes precedence', null, null, { subtitle: null }],
  [
    'opf-titles-epub3.opf',
    readOpf,
    ALICE,
    null,
    null,
    {
      subtitle: 'Alice returns to the magical world from her childhood adventure',
      titleSort: 'Adventures',
      languageIso: 'en',
    },
  ],
];

const readFixture = (file: string, read: Reader): EmbeddedMetadata | null =>
  read(readFileSync(fixture(`metadata/${file}`)));

const creditsOf = (found: EmbeddedMetadata | null): readonly string[] =>
  found?.book.authors.map(({ name, role }) => `${role} ${name}`) ?? [];

block('metadata from other projects', (check) => {
  for (const [file, read, title, series, number, notes] of STATED)
    check(`${file} gives the stated metadata`, () => {
      const found = readFixture(file, read);
      assert.ok(found);
      assert.equal([found.book.title, found.book.series, found.book.number], [title, series, number]);
      assert.is(found.series.title, series);
      for (const [field, value] of Object.entries(notes))
        assert.equal(Object.entries(found.book).find(([key]) => key === field)?.[1], value, field);
    });
  check('people keep their roles', () => {
    const full = creditsOf(readFixture('comicinfo-full.xml', readComicInfo));
    assert.equal(full.slice(0, 3), ['writer Ann Writer', 'writer Bob Writer', 'penciller Carl Pencil']);
    assert.equal(full.slice(-3), ['cover_artist Cov Artist', 'cover_artist Ann Writer', 'editor Ed Itor']);
    const metron = creditsOf(readFixture('metroninfo-1.1.xml', readMetronInfo));
    assert.ok(metron.includes('penciller Jim Lee') && metron.includes('editor Rex Ogle'));
    assert.not.ok(
      metron.some((credit) => credit.includes('DiDio')),
      'the publisher is no author',
    );
    const epub = creditsOf(readFixture('opf-contributors-epub3.opf', readOpf));
    assert.equal(epub.slice(0, 3), ['author Author 1', 'contributor Contributor 1', 'contributor Contributor 2']);
    assert.ok(
      epub.includes('author Cameleon') && epub.includes('penciller Artist') && epub.includes('contributor Narrator'),
    );
    assert.equal(creditsOf(readFixture('opf-series-epub3.opf', readOpf)), [
      'author Ulf Blanck',
      'author Stefanie Wegner',
    ]);
    assert.is(readFixture('opf-calibre.opf', readOpf)?.book.authors[0]?.sortName, 'Martin, George R. R.');
  });
  check('the series has facts of its own', () => {
    assert.is(readFixture('opf-progression-rtl.opf', readOpf)?.series.readingDirection, 'rtl');
    assert.is(readFixture('opf-series-prefixed.opf', readOpf)?.series.genres[0], 'Kinder- und Jugendbücher');
    const metron = readFixture('metroninfo.xml', readMetronInfo)?.series;
    assert.equal([metron?.ageRating, metron?.year, metron?.totalVolumeCount], [15, 1950, 1]);
    const full = readFixture('comicinfo-full.xml', readComicInfo)?.series;
    assert.equal(full?.links, [
      { source: 'comicinfo', url: 'https://example.org/a' },
      { source: 'comicinfo', url: 'https://example.org/b' },
    ]);
    assert.equal([full?.ageRating, full?.readingDirection, full?.year], [13, 'ltr', null]);
  });
  check('series.json speaks of the series only', () => {
    const found = readFixture('series.json', readSeriesJson);
    assert.is(found?.book.title, null);
    assert.equal(
      [found?.series.title, found?.series.publisher, found?.series.year],
      ['Northern Lights', 'Example Press', 2019],
    );
    assert.equal([found?.series.status, found?.series.summary], ['ongoing', 'A series.']);
    assert.equal(found?.series.links, [
      { source: 'comicvine', url: 'https://comicvine.gamespot.com/volume/4050-12345/' },
    ]);
  });
  check('a reader ignores metadata in another format', () => {
    const files = STATED.map(([file]) => file);
    for (const read of [readComicInfo, readMetronInfo, readCoMet, readComicBookInfo, readSeriesJson, readOpf])
      for (const file of files.filter((one) => !STATED.some(([name, reader]) => name === one && reader === read)))
        assert.is(reported(readFixture(file, read)).metadata, null, file);
  });
});

block('merging metadata', (check) => {
  const first = embedded({ title: 'A', year: 2019 }, { genres: [] });
  const second = embedded({ title: 'B', number: '2', year: 2018, month: 5, day: 1 }, { genres: ['g'], publisher: 'P' });
  check('the earlier source wins field by field, empty lists do not count', () => {
    const merged = mergeMetadata(null, first, second);
    assert.equal(
      [merged?.book.title, merged?.book.number, merged?.series.publisher, merged?.series.genres],
      ['A', '2', 'P', ['g']],
    );
  });
  check('a month does not move to another year', () => {
    const merged = mergeMetadata(first, second)?.book;
    assert.equal([merged?.year, merged?.month, merged?.day], [2019, null, null]);
    assert.is(mergeMetadata(embedded({ year: 2018 }, {}), second)?.book.month, 5);
  });
  check('null when all are', () => {
    assert.is(mergeMetadata(null, embedded({}, {})), null);
    assert.is(mergeMetadata(), null);
  });
});
