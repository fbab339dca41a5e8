// What stands in the place of a language in metadata, and is none, is left out with a remark, whatever the format.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { type Analysis, analysed } from './analysed.js';
import { commentedCbz } from './commented-cbz.js';
import { bookOf, COMIC } from './made-epub.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
let folder = '';

const cbz = (name: string, text: string, comment = ''): string => {
  return commentedCbz(folder, { image: IMAGE, name, text, comment });
};

const remarksOf = ({ notes, fault }: Analysis): readonly string[] => {
  assert.is(fault, null);
  return notes.filter(({ type }) => type === 'metadata').map(({ message }) => message);
};
const remark = (names: string): string =>
  `The language in its metadata is unknown and was ignored: ${names}. Use a code such as en, ja or pt-BR.`;

const comicInfo = (language: string): string =>
  `<ComicInfo><Title>T</Title><LanguageISO>${language}</LanguageISO></ComicInfo>`;

const BOOKS: readonly (readonly [format: string, make: (language: string) => string])[] = [
  ['ComicInfo', (language) => cbz('ComicInfo.xml', comicInfo(language))],
  ['CoMet', (language) => cbz('CoMet.xml', `<comet><title>T</title><language>${language}</language></comet>`)],
  [
    'MetronInfo',
    (language) => cbz('MetronInfo.xml', `<MetronInfo><Series lang="${language}"><Name>T</Name></Series></MetronInfo>`),
  ],
  [
    'ComicBookInfo',
    (language) => cbz('note.txt', 'x', JSON.stringify({ 'ComicBookInfo/1.0': { title: 'T', language } })),
  ],
  ['OPF of an EPUB', (language) => bookOf(folder, COMIC, { meta: `<language>${language}</language>` })],
];

block(
  'languages that do not exist',
  (check) => {
    check('an age rating that is not understood counts as adult, with a remark', async () => {
      const rated = (text: string): string =>
        cbz('ComicInfo.xml', `<ComicInfo><Title>T</Title><AgeRating>${text}</AgeRating></ComicInfo>`);
      const found = await analysed(rated('Spicy'));
      assert.is(found.metadata?.series.ageRating, 18);
      assert.equal(Object.keys(found.metadata ?? {}).sort(), ['book', 'series']);
      assert.equal(remarksOf(found), [
        'The age rating in its metadata is unknown and counts as 18: “Spicy”. Use an age such as 12+, or a rating of ComicInfo such as Teen.',
      ]);
      const known = await analysed(rated('Rating Pending'));
      assert.equal([known.metadata?.series.ageRating, remarksOf(known)], [null, []]);
    });
    for (const [format, make] of BOOKS)
      check(`${format}: a remark names what is left out, and the rest is read`, async () => {
        for (const language of ['xx', 'Klingonish', 'english-ish']) {
          const found = await analysed(make(language));
          assert.is(found.metadata?.book.languageIso, null);
          assert.is(found.metadata?.book.title ?? found.metadata?.book.series, 'T');
          assert.equal(Object.keys(found.metadata ?? {}).sort(), ['book', 'series']);
          assert.equal(remarksOf(found), [remark(`“${language}”`)]);
        }
        for (const language of ['ja', 'jp', 'Japanese', 'und', 'zxx', ' ', 'Unknown'])
          assert.equal(remarksOf(await analysed(make(language))), [], language);
      });
    check('of several languages one that exists is enough', async () => {
      const found = await analysed(bookOf(folder, COMIC, { meta: '<language>xx</language><language>de</language>' }));
      assert.equal([found.metadata?.book.languageIso, remarksOf(found)], ['de', []]);
    });
    check('a language alone is no metadata, but has its remark', async () => {
      const found = await analysed(cbz('ComicInfo.xml', '<ComicInfo><LanguageISO>qq</LanguageISO></ComicInfo>'));
      assert.equal([found.metadata, remarksOf(found)], [null, [remark('“qq”')]]);
    });
    check('what is said twice is named once, and a long text is cut', async () => {
      const path = cbz('ComicInfo.xml', comicInfo('y'.repeat(500)));
      writeFileSync(
        join(folder, 'book.opf'),
        `<package><metadata><language>${'y'.repeat(300)}</language></metadata></package>`,
      );
      try {
        assert.equal(remarksOf(await analysed(path)), [remark(`“${'y'.repeat(40)}”`)]);
      } finally {
        rmSync(join(folder, 'book.opf'));
      }
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-languages-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
