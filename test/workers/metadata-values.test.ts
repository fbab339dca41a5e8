// Odd values of metadata become facts or silence: numbers, ages, languages, dates, ISBNs, links.

import { isbnOf, isbnsIn, joinIsbns } from '../../core/model/isbn.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { ageOf, unknownAgeRatings } from '../../workers/metadata/age-rating.js';
import { readComicInfo } from '../../workers/metadata/comicinfo.js';
import { languageOf } from '../../workers/metadata/language.js';
import { dateOf } from '../../workers/metadata/values.js';
import { assert, block } from '../kit.js';

const comicInfo = (inner: string): EmbeddedMetadata | null =>
  readComicInfo(new TextEncoder().encode(`<ComicInfo>${inner}</ComicInfo>`));

block('values of metadata', (check) => {
  check('the chapter of an issue is its number, by the rule for file names', () => {
    const chapterOf = (text: string) => comicInfo(`<Title>T</Title><Number>${text}</Number>`)?.book.chapter;
    assert.equal(['1,5', '12A', '½', '-1', 'one'].map(chapterOf), [1.5, 12, 0.5, -1, null]);
  });
  check('the number stays as it is written', () => {
    assert.is(comicInfo('<Number>12A</Number>')?.book.number, '12A');
    assert.is(comicInfo('<Number>½</Number>')?.book.number, '½');
    assert.is(comicInfo('<Number>-1</Number>')?.book.number, '-1');
  });
  check('whole numbers out of range, and words, count as absent', () => {
    const book = comicInfo(
      '<Title>T</Title><Volume>-1</Volume><Count>many</Count><Year>20190</Year><Month>13</Month><Day>0</Day><PageCount>99999999999</PageCount>',
    )?.book;
    assert.equal(
      [book?.volume, book?.count, book?.year, book?.month, book?.day, book?.pageCount],
      [null, null, null, null, null, null],
    );
  });
  check('manga, colours and direction', () => {
    const of = (manga: string) => {
      const found = comicInfo(`<Title>T</Title><Manga>${manga}</Manga><BlackAndWhite>${manga}</BlackAndWhite>`);
      return [found?.book.manga, found?.book.blackAndWhite, found?.series.readingDirection];
    };
    assert.equal(of('Yes'), [true, true, null]);
    assert.equal(of('true'), [true, true, null]);
    assert.equal(of('0'), [false, false, 'ltr']);
    assert.equal(of('No'), [false, false, 'ltr']);
    assert.equal(of('YesAndRightToLeft'), [true, null, 'rtl']);
    assert.equal(of('Unknown'), [null, null, null]);
  });
  const ages: readonly (readonly [text: string, age: number | null])[] = [
    ['Everyone', 0],
    ['Everyone 10+', 10],
    ['Teen', 13],
    ['Mature 17+', 17],
    ['Adults Only 18+', 18],
    ['MA15+', 15],
    ['R18+', 18],
    ['X18+', 18],
    ['M', 15],
    ['PG', 8],
    ['G', 0],
    ['Kids to Adults', 0],
    ['Early Childhood', 0],
    ['Rating Pending', null],
    ['Unknown', null],
    ['16+', 16],
    ['', null],
    ['99', 18],
    ['Adults Only', 18],
    ['R18', 18],
    ['R-18', 18],
    ['X', 18],
    ['XXX', 18],
    ['NC-17', 17],
    ['PG-13', 13],
    ['TV-14', 14],
    ['Rated R', 17],
    ['Hentai', 18],
    ['NSFW', 18],
    ['Explicit Content', 18],
    ['MA 15+', 15],
    ['Mature (17+)', 17],
    ['Ages 18+', 18],
    ['Ages 9-12', 12],
    ['+18', 18],
    ['１８＋', 18],
    ['18禁', 18],
    ['成人向け', 18],
    ['限制級', 18],
    ['전체 이용가', 0],
    ['청소년 이용불가', 18],
    ['Ab 16 Jahren', 16],
    ['Not Rated', null],
    ['Spicy', 18],
    ['2019', 18],
    ['Hentai 3', 18],
    ['Mature 3', 17],
    ['Restricted, vol. 2', 17],
    ['Mature 18', 18],
    ['Teen 12', 12],
    ['Explicit Content, Vol. 2', 18],
    ['Adults (12)', 18],
    ['成人向け 2巻', 18],
    ['18禁 3', 18],
    ['Для взрослых, 5', 18],
    ['Young Adult 14+', 14],
    ['Kids to Adults 6+', 6],
    ['Adulthood 12', 12],
    ['Teen 12', 12],
    ['Adults Only 21', 21],
  ];
  for (const [text, age] of ages) check(`rating ${JSON.stringify(text)} is ${age}`, () => assert.is(ageOf(text), age));
  check('an age rating that nobody understands is the highest, and is known as such', () => {
    assert.equal(['Spicy', ' 2019 ', '99'].flatMap(unknownAgeRatings), ['Spicy', '2019', '99']);
    assert.equal(['', 'Unknown', 'Teen', 'R-18', 'ages 3 and up'].flatMap(unknownAgeRatings), []);
  });
  check('languages are tags', () => {
    const tags = ['en', 'en_gb', 'eng', 'English', 'jpn', 'zh-hant-tw', 'und', 'Klingonish', 'x y', ''].map(languageOf);
    assert.equal(tags, ['en', 'en-GB', 'en', 'en', 'ja', 'zh-Hant-TW', null, null, null, null]);
  });
  check('dates are read as far as they go', () => {
    const dates = [
      '2011-03-22T00:00:00Z',
      '1999-7',
      '20110322',
      'March 2012',
      '0101-01-01T00:00:00+00:00',
      '2011-13-40',
      'soon',
    ].map(dateOf);
    assert.equal(
      dates.map(({ year, month, day }) => [year, month, day]),
      [
        [2011, 3, 22],
        [1999, 7, null],
        [2011, 3, 22],
        [2012, null, null],
        [null, null, null],
        [2011, null, null],
        [null, null, null],
      ],
    );
  });
  check('ISBNs are checked', () => {
    assert.is(isbnOf('978-3-16-148410-0'), '9783161484100');
    assert.is(isbnOf('urn:isbn:080442957x'), '080442957X');
    assert.is(isbnOf('ISBN-13: 978 3 16 148410 0'), '9783161484100');
    for (const wrong of ['978-3-16-148410-1', '1234567890123', '0000000000', 'AMAZON:3440077934', '', '12'])
      assert.is(isbnOf(wrong), null, wrong);
    assert.equal(isbnsIn('Second edition, ISBN 0-8044-2957-X and 9783161484100; phone 0804429570, order 3440077934'), [
      '080442957X',
      '9783161484100',
    ]);
    assert.is(joinIsbns(['9783161484100', '978-3-16-148410-0', 'x', '080442957X']), '9783161484100, 080442957X');
  });
  check('only web URLs become links', () => {
    const web =
      'javascript:alert(1) file:///etc/passwd https://a.example/x,https://b.example/ http:// HTTPS://A.example/x';
    assert.equal(
      comicInfo(`<Web>${web}</Web>`)?.series.links.map(({ url }) => url),
      ['https://a.example/x', 'https://b.example/'],
    );
  });
});
