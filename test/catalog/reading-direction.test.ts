// Reading directions: what files state, what their series and books show, and what a user sets above them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeftToRight } from '../../workers/metadata/language.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { containerFor, madeOf } from '../workers/made-epub.js';
import { comicInfo } from './told-shelf.js';

let temp: TempApp;
let token: string;
let libraryId: string;

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await temp.call(method, path, { token, ...(body !== undefined && { body }) });
  assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.json?.message}`);
  return answer.json;
};

const scan = async (): Promise<void> => {
  await ask('POST', `/api/v1/libraries/${libraryId}/scan`);
  await until('the scan ends', () => temp.app.scans.active().length === 0);
};

const fileOf = (series: string, book: string): string => join(temp.shelf, series, book);

/** A book with this text in `Manga`, or without metadata. */
const write = (series: string, name: string, manga: string | null): void =>
  writeBook(
    fileOf(series, `${name}.cbz`),
    1,
    `${series} ${name}`,
    manga === null ? [] : comicInfo({ Title: name, Manga: manga }),
  );

const writeMany = (series: string, manga: readonly (string | null)[]): void =>
  manga.forEach((one, at) => {
    write(series, `Book ${at + 1}`, one);
  });

const writeEpub = (series: string, language: string, direction: string): void => {
  mkdirSync(join(temp.shelf, series), { recursive: true });
  madeOf(join(temp.shelf, series), {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': containerFor('a.opf'),
    'a.opf': `<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">
      <metadata><dc:title>${series}</dc:title><dc:language>${language}</dc:language></metadata>
      <manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
      <spine page-progression-direction="${direction}"><itemref idref="a"/></spine></package>`,
    'a.xhtml': '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Text of a book.</p></body></html>',
  });
};

/** It has no cross-reference table, so its objects are searched for. */
const writePdf = (series: string, preferences: string, info: string): void => {
  const objects = [
    `1 0 obj<</Type/Catalog/Pages 2 0 R/ViewerPreferences ${preferences}>>endobj`,
    '2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 90 90]>>endobj',
    `4 0 obj<</Title(${series})${info}>>endobj`,
  ];
  mkdirSync(join(temp.shelf, series), { recursive: true });
  writeFileSync(
    fileOf(series, 'Book.pdf'),
    `%PDF-1.4\n${objects.join('\n')}\ntrailer<</Root 1 0 R/Info 4 0 R/Size 5>>\n%%EOF\n`,
  );
};

interface Shown {
  readonly series: string | null;
  readonly books: readonly string[];
}

const shown = async (name: string): Promise<Shown> => {
  const { data } = await ask('GET', '/api/v1/series?pageSize=100');
  const { id, readingDirection } = data.find((one: { title: string }) => one.title === name);
  const books = await ask('GET', `/api/v1/series/${id}/books?pageSize=100`);
  const directions = (books.data ?? books).map((one: { readingDirection: string }) => one.readingDirection);
  return { series: readingDirection ?? null, books: directions };
};

const seriesId = async (name: string): Promise<string> =>
  (await ask('GET', '/api/v1/series?pageSize=100')).data.find((one: { title: string }) => one.title === name).id;

const RTL = 'YesAndRightToLeft';
const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);

/** Of series whose books have these values: the direction of the series, and of each book. */
const SERIES: readonly (readonly [string, readonly (string | null)[], string | null, readonly string[]])[] = [
  [
    'One manga among many',
    [...times(5, null), RTL, ...times(4, null)],
    null,
    [...times(5, 'ltr'), 'rtl', ...times(4, 'ltr')],
  ],
  ['One manga first', [RTL, null, null], null, ['rtl', 'ltr', 'ltr']],
  ['Exactly half', [RTL, RTL, null, null], null, ['rtl', 'rtl', 'ltr', 'ltr']],
  ['More than half', [null, RTL, RTL], 'rtl', ['rtl', 'rtl', 'rtl']],
  ['All', [RTL, 'Yes and right to left'], 'rtl', ['rtl', 'rtl']],
  ['One against many', [...times(4, RTL), 'No'], null, [...times(4, 'rtl'), 'ltr']],
  ['Comics that say so', ['No', 'false', 'No'], 'ltr', ['ltr', 'ltr', 'ltr']],
  ['Manga without a direction', ['Yes', 'Unknown', 'Yes'], null, ['ltr', 'ltr', 'ltr']],
];

block(
  'reading directions',
  (check) => {
    for (const [name, , series, books] of SERIES)
      check(`${name}: a series has the direction on which its books agree, a book the one it states`, async () =>
        assert.equal(await shown(name), { series, books }),
      );
    check('books that come and go change which direction has more than half', async () => {
      write('All', 'Book 3', null);
      write('All', 'Book 4', null);
      await scan();
      assert.equal(await shown('All'), { series: null, books: ['rtl', 'rtl', 'ltr', 'ltr'] });
      rmSync(fileOf('All', 'Book 4.cbz'));
      await scan();
      assert.equal(await shown('All'), { series: 'rtl', books: ['rtl', 'rtl', 'rtl'] });
    });
    check('a file that states another direction is followed', async () => {
      write('More than half', 'Book 3', 'No');
      await scan();
      assert.equal(await shown('More than half'), { series: null, books: ['ltr', 'rtl', 'ltr'] });
    });
    check('a direction set by hand holds for all books of the series, until it is unlocked', async () => {
      const at = `/api/v1/series/${await seriesId('One against many')}/metadata`;
      await ask('PATCH', at, { readingDirection: 'webtoon' });
      await scan();
      assert.equal(await shown('One against many'), { series: 'webtoon', books: times(5, 'webtoon') });
      await ask('PATCH', at, { readingDirection: null });
      await ask('PUT', `${at}/locks`, { readingDirection: true });
      assert.equal(await shown('One against many'), { series: null, books: times(5, 'ltr') });
      await ask('PUT', `${at}/locks`, { readingDirection: false });
      assert.equal(await shown('One against many'), { series: null, books: [...times(4, 'rtl'), 'ltr'] });
    });
    check('the default of the library is for books of which nothing is known', async () => {
      await ask('PATCH', `/api/v1/libraries/${libraryId}`, { defaultReadingDirection: 'ttb' });
      assert.equal(await shown('One manga first'), { series: null, books: ['rtl', 'ttb', 'ttb'] });
      await ask('PATCH', `/api/v1/libraries/${libraryId}`, { defaultReadingDirection: 'ltr' });
    });
    check('an EPUB states its direction in its spine, or by a language that is written in one only', async () => {
      for (const [folder, language, direction] of [
        ['English', 'en-GB', ''],
        ['German', 'ger', 'default'],
        ['Japanese', 'ja', ''],
        ['Arabic', 'ar-EG', ''],
        ['Japanese in Latin letters', 'ja-Latn', ''],
        ['English bound on the right', 'en', 'rtl'],
        ['No language', '', ''],
      ] as const)
        writeEpub(folder, language, direction);
      await scan();
      const found = async (name: string): Promise<string | null> => (await shown(name)).series;
      assert.is(await found('English'), 'ltr');
      assert.is(await found('German'), 'ltr');
      assert.is(await found('Japanese'), null);
      assert.is(await found('Arabic'), null);
      assert.is(await found('Japanese in Latin letters'), 'ltr');
      assert.is(await found('English bound on the right'), 'rtl');
      assert.is(await found('No language'), null);
    });
    check(
      'a PDF states its direction in its viewer preferences, and a document of metadata in it comes first',
      async () => {
        const ofComic = '/Keywords(<ComicInfo><Manga>YesAndRightToLeft</Manga></ComicInfo>)';
        for (const [folder, preferences, info] of [
          ['PDF to the left', '<</Direction/R2L>>', ''],
          ['PDF to the right', '<</Direction/L2R>>', ''],
          ['PDF that says nothing', '<</HideMenubar true>>', ''],
          ['PDF with odd words', '<</Direction(R2L)>>', ''],
          ['PDF with odd preferences', '[/Direction/R2L]', ''],
          ['PDF with metadata', '<</Direction/L2R>>', ofComic],
        ] as const)
          writePdf(folder, preferences, info);
        await scan();
        const found = async (name: string): Promise<string | null> => (await shown(name)).series;
        assert.is(await found('PDF to the left'), 'rtl');
        assert.is(await found('PDF to the right'), 'ltr');
        for (const name of ['that says nothing', 'with odd words', 'with odd preferences'])
          assert.is(await found(`PDF ${name}`), null, name);
        assert.is(await found('PDF with metadata'), 'rtl');
      },
    );
    check('languages that are written in one direction only', () => {
      for (const tag of [
        'en',
        'de-AT',
        'ko',
        'vi',
        'th',
        'ru',
        'az',
        'sr-Cyrl',
        'pa',
        'hi',
        'zh-Latn-pinyin',
        'ar-Latn',
      ])
        assert.ok(isLeftToRight(tag), tag);
      for (const tag of [
        'ar',
        'he-IL',
        'fa',
        'ur',
        'yi',
        'ja',
        'ja-JP',
        'zh-Hant-TW',
        'yue',
        'az-Arab',
        'pa-Arab',
        'mn-Mong',
      ])
        assert.is(isLeftToRight(tag), false, tag);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      for (const [name, manga] of SERIES) writeMany(name, manga);
      const body = { name: 'Shelf', path: temp.shelf, bookStrategy: 'smart', numberStrategy: 'file_order' };
      libraryId = (await ask('POST', '/api/v1/libraries', body)).id;
      await scan();
    },
    after: () => temp.close(),
  },
);
