// Numbers in the names of issues, in the words and digits of other languages, and after the name of the series.
import { readFileSync } from 'node:fs';
import { chapterIn, firstNumberIn, numberIn, volumeIn } from '../../core/catalog/rules/numbers.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';

type NameRow = readonly [stem: string, volume: number | null, chapter: number | null, number: number | null];

const ISSUES: readonly NameRow[] = [
  ['Avengers 1AU (2013)', null, null, 1],
  ['Avengers 12.NOW (2014)', null, null, 12],
  ['Saga #.5', null, null, 0.5],
  ['Saga .5', null, null, 0.5],
  ['Saga Vol.5', 5, null, 5],
  ['Saga issue 5 (2016)', null, null, 5],
  ['Saga #−1', null, null, -1],
  ['Saga № 7', null, null, 7],
  ['Batman.012.2016.Digital', null, null, 12],
  ['Batman.(2016).012', null, null, 12],
  ['Batman 1,000 (2019)', null, null, 1000],
  ['Batman 001,002', null, null, null],
  ['Batman Vol 3 27 (2017)', 3, null, 27],
  ['Batman Vol. 1 (2017)', 1, null, 1],
  ['Saga 10²', null, null, 10],
  ['Rocky Ⅲ', null, null, 3],
  ['DC vs Vampires World War V 001 (2024)', null, null, 1],
];

const WORDS: readonly NameRow[] = [
  ['Blacksad T5', 5, null, 5],
  ['Tintin T.05', 5, null, 5],
  ['Blacksad Tome 05 - Amarillo', 5, null, 5],
  ['Mortadelo Tomo 3', 3, null, 3],
  ['Asterix Bd. 7', 7, null, 7],
  ['Дозор Том 3 Глава 12.5', 3, 12.5, 3],
  ['Дозор гл. 4', null, 4, 4],
  ['El Eternauta Capítulo 8', null, 8, 8],
  ['第百二十三話', null, 123, 123],
  ['第千二話', null, 1002, 1002],
  ['第一二〇话', null, 120, 120],
  ['作品 第弐巻', 2, null, 2],
  ['第３集', 3, null, 3],
  ['제12회', null, 12, 12],
  ['الفصل ١٢', null, null, 12],
  ['अध्याय १२', null, null, 12],
  ['書名二', null, null, 2],
  ['三国志', null, null, null],
  ['一騎当千', null, null, null],
];

/** The edition of a release is not a volume. */
const VERSIONS: readonly NameRow[] = [
  ['[Group] Brackets Ch.001 [1080p] {v2}', null, 1, 1],
  ['Ver Ch.001 (v2)', null, 1, 1],
  ['Ver Ch.003 [v3]', null, 3, 3],
  ['Ver Ch.003 (V3) [Group] (Digital)', null, 3, 3],
  ['Ver Ch 4 (v2) - The Title', null, 4, 4],
  ['Ver 第5話 【v2】', null, 5, 5],
  ['Ver 012 (v2)', null, null, 12],
  ['Ver v03 (v2)', 3, null, 3],
  ['Ver - 005v2', null, null, 5],
  ['Ver 7v2 [Group]', null, null, 7],
  ['Ver.012v3.2016', null, null, 12],
  ['Ver (v2)', 2, null, 2],
  ['Ver (2019) (v2)', 2, null, 2],
  ['Ver (v2) Ch.001', 2, 1, 2],
  ['Ver c01v03', null, 1, 1],
  ['Ver Ch.001 (v12)', 12, 1, 12],
];

const NEGATIVES: readonly NameRow[] = [
  ['Xmen -1 (1997)', null, null, -1],
  ['Sup −1', null, null, -1],
  ['Sup －1 [x]', null, null, -1],
  ['Minus_-1_(1997)', null, null, -1],
  ['Flash #-1', null, null, -1],
  ['Flash #-2 (1997)', null, null, -2],
  ['Title -1-', null, null, null],
  ['Title 2019-1', null, null, null],
  ['Title -2', null, null, 2],
  ['Title -01', null, null, 1],
];

/** Abbreviations of "number" and "chapter"; also as part of a title. */
const ABBREVIATED: readonly NameRow[] = [
  ['Dylan Dog n. 45 - I 7 demoni', null, null, 45],
  ['Dylan Dog N.46 - Sette anime', null, null, 46],
  ['Tex No. 12 - 100 pistole', null, null, 12],
  ['Tex no. 7 - 2001', null, null, 7],
  ['Tex no13', null, null, 13],
  ['Tex nr12 - 7 x', null, null, 12],
  ['Saga_Nr._14_-_Titel', null, null, 14],
  ['Alpha Núm. 28', null, null, 28],
  ['Alpha nu\u0301m. 28', null, null, 28],
  ['Astro n.º 12 - 3 x', null, null, 12],
  ['Mortadelo nº 3 - 13 Rue del Percebe', null, null, 3],
  ['Beta Kap. 46 - Ende', null, 46, 46],
  ['Beta Cap. 47 - El fin', null, 47, 47],
  ['Beta Cap 48', null, 48, 48],
  ['Saga Vol. 1 N. 3', 1, null, 3],
  ['n.12', null, null, 12],
  ['No. 12 - 100 pistole', null, null, 12],
  ['No. 6 v02', 2, null, 2],
  ['[Group] No. 6 003', null, null, 3],
  ['No. 6 - 003 (2013)', null, null, 3],
  ['Dr. No 2', null, null, 2],
  ['Dr. No v02', 2, null, 2],
  ['Cap. America 5', null, null, 5],
  ['Ao no 3-nin v02', 2, null, 2],
  ['My Number 1 v02', 2, null, 2],
  ['Kodomo no Jikan v10 c068', 10, 68, 10],
  ['Casino 5 v02', 2, null, 2],
];

/** Names made of words with hyphens or points, counters before their number, and totals without brackets. */
const JOINED: readonly NameRow[] = [
  ['solo-leveling-chapter-113', null, 113, 113],
  ['my-hero-chapter-14-5', null, 14, 14],
  ['saga-vol-03-ch-12', 3, 12, 3],
  ['Saga Volume-4', 4, null, 4],
  ['saga_episode-6', null, null, 6],
  ['Saga c-3', null, null, 3],
  ['Saga Vol -2', null, null, 2],
  ['Kids-3 v02', 2, null, 2],
  ['[Kmoe][海贼王]卷01', 1, null, 1],
  ['[Kmoe][海贼王]卷 12', 12, null, 12],
  ['[Kmoe][海賊王]話001-010', null, 1, 1],
  ['海贼王 第03卷 第12话', 3, 12, 3],
  ['第1卷02', 1, null, 2],
  ['Conan der Barbar 1 von 3', null, null, 1],
  ['Akira 3 de 6', null, null, 3],
  ['Saga 12 sur 13', null, null, 12],
  ['Свет 2 из 5', null, null, 2],
  ['Ruf der Liga von 1984', null, null, null],
  ['Saga S01E24', null, null, 24],
  ['Saga s2 ep. 7', null, null, 7],
  ['The.Incredible.Hulk.182.1974.c2c', null, null, 182],
  ['The Incredible Hulk 183 1974 c2c', null, null, 183],
  ['Batman 80-Page Giant', null, null, null],
  ['Lastman tome VII', 7, null, 7],
  ['Lastman - Vol. IX - Fin (2016)', 9, null, 9],
  ['Thorgal Tomo XXXIV', 34, null, 34],
  ['Volume IV 012', 4, null, 12],
  ['Tome X_2014', 10, null, 10],
  ['Tom i Jerry', null, null, null],
  ['Volume Vanished', null, null, null],
  ['Vol VX', null, null, null],
  ['Band IIII', null, null, null],
];

/** Numbers before their words, between dashes, and of books. */
const PLACED: readonly NameRow[] = [
  ['Наруто 3 том 12 глава', 3, 12, 3],
  ['Наруто 12 глава 3 том', 3, 12, 3],
  ['Наруто 12-я глава', null, 12, 12],
  ['Наруто 7 глава - 2 сезон', null, 7, 7],
  ['Наруто_03_том_012_глава', 3, 12, 3],
  ['Наруто 2 Том 3 Глава 5', 3, 5, 3],
  ['Клинок 4 розділ', null, 4, 4],
  ['One Piece 2. Cilt 15. Bölüm', 2, 15, 2],
  ['One Piece 15.5. Bölüm', null, 15.5, 15.5],
  ['Naruto 2. kötet 8. fejezet', 2, 8, 2],
  ['One Piece Cilt 2 Bölüm 15', null, null, 15],
  ['Клинок Том 2 Розділ 13', 2, null, 2],
  ['Storm 3. Band', 3, null, 3],
  ['Storm 3. Kapitel', null, 3, 3],
  ['Rock 3 Band', null, null, null],
  ['Глава клана', null, null, null],
  ['Thorgal - 7 - Enfant des étoiles', null, null, 7],
  ['Blueberry – 9 – « Piste 12 »', null, null, 9],
  ['Thorgal - 7 - Titre (2)', null, null, 7],
  ['Thorgal - 1984 - Titre', null, null, null],
  ['Usagi Book 11 - Seasons', null, null, 11],
  ['Livre 3 - La fin', null, null, 3],
  ['Guide Book 2019', null, null, null],
  ['Facebook 3', null, null, 3],
  ['[作者] 作品 v12s', 12, null, 12],
  ['作品 第12巻s', 12, null, 12],
  ['Saga c12st', null, null, null],
];

const OF_SERIES: readonly (readonly [stem: string, series: string, number: number | null, first: number | null])[] = [
  ['Zom 100 002', 'Zom 100', 2, 2],
  ['Zom_100_7', 'Zom 100 (2018)', 7, 7],
  ['[Group] Zom 100 - 3', 'zom 100', 3, 3],
  ['Zom 100 - Extra', 'Zom 100', null, null],
  ['Zom 100', 'Zom 100', 100, 100],
  ['Zom 1002', 'Zom 100', 1002, 1002],
  ['Area 51 03', 'Area 51', 3, 3],
  ['20th Century Boys v03', '20th Century Boys', 3, 3],
  ['86 - 04', '86', 4, 4],
  ['Xmen -1 (1997)', 'Xmen', -1, -1],
  ['Sup −1', 'Sup', -1, -1],
  ['Spider-Man 2099 -1', 'Spider-Man 2099', -1, -1],
  ['Xmen - 1 (1997)', 'Xmen', 1, 1],
  ['Xmen -01', 'Xmen', 1, 1],
  ['Xmen -2', 'Xmen', 2, 2],
  ['Series 01 - 05', 'Series', 1, 1],
  ['Title -1-', 'Title', null, 1],
  ['Ver2 - 005v2', 'Ver2', 5, 5],
  ['Ver2 - 006', 'Ver2', 6, 6],
  ['Ver2 - 007v2', 'Ver2', 7, 7],
  ['Zom 100 (v2)', 'Zom 100', 2, 2],
  ['Batgirls 7 - Fair Part 1 of 2', 'Batgirls', 7, 7],
  ['Spider-Man 112 Vol 2 (1992)', 'Spider-Man', 112, 112],
  ['百鬼１００ 第3話', '百鬼100', 3, 3],
  ['001', 'Zom 100', 1, 1],
  ['Nathan Never n.02', 'Nathan Never', 2, 2],
  ['Nathan Never n. 01 - Agente', 'Nathan Never', 1, 1],
  ['No. 6 v02', 'No. 6', 2, 2],
  ['No. 6 No. 3 - 100 x', 'No. 6', 3, 3],
  ['Hulk 187 2nd printing', 'Hulk', 187, 187],
  ['Hulk 189 1080p', 'Hulk', 189, 189],
  ['Hulk - 56 x265 2160p', 'Hulk', 56, 56],
  ['Batman 2016 Special 1080p', 'Batman', null, 2016],
  ['Spider-Man.045.2019.Digital.Zone-Empire', 'Spider-Man', 45, 45],
  ['Saga.5.c2c.1080p', 'Saga', 5, 5],
  ['Saga.1.5', 'Saga', 1.5, 1.5],
];

/** Names from the reports of other programs' users. */
const listed = (): readonly NameRow[] =>
  readFileSync(fixture('cases/names-of-numbers.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line): NameRow => {
      const [stem = '', ...numbers] = line.split('\t').slice(0, 4);
      const [volume = null, chapter = null, number = null] = numbers.map((text) => (text === '' ? null : Number(text)));
      return [stem, volume, chapter, number];
    });

block('numbers of issues', (check) => {
  for (const [stem, volume, chapter, number] of [
    ...ISSUES,
    ...WORDS,
    ...VERSIONS,
    ...NEGATIVES,
    ...ABBREVIATED,
    ...JOINED,
    ...PLACED,
    ...listed(),
  ])
    check(`"${stem}" is volume ${volume}, chapter ${chapter}, number ${number}`, () =>
      assert.equal([volumeIn(stem), chapterIn(stem), numberIn(stem)], [volume, chapter, number]),
    );
  for (const [stem, series, number, first] of OF_SERIES)
    check(`"${stem}" of the series "${series}" is number ${number}, its first number ${first}`, () =>
      assert.equal([numberIn(stem, series), firstNumberIn(stem, series)], [number, first]),
    );
  check('volume and chapter are looked for after the name of the series, then in all of the name', () => {
    assert.equal(
      ['Vol03 v04 #023', 'Vol03 #021', 'Vol03 c2'].map((stem) => [volumeIn(stem, 'Vol03'), chapterIn(stem, 'Vol03')]),
      [
        [4, null],
        [3, null],
        [3, 2],
      ],
    );
  });
});
