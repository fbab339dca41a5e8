// Kinds of odd metadata in every format alike: white space, dates of calibre, its packets, HTML, East Asian lists, languages.
import { stemOf } from '../../core/model/formats.js';
import { languageTag } from '../../core/model/language.js';
import { readArchiveMetadata } from '../../workers/metadata/archive.js';
import { readCoMet } from '../../workers/metadata/comet.js';
import { plainText } from '../../workers/metadata/html.js';
import { languageOf } from '../../workers/metadata/language.js';
import { readOpf } from '../../workers/metadata/opf.js';
import { readPdfInfo } from '../../workers/metadata/pdf.js';
import { readSeriesJson } from '../../workers/metadata/series-json.js';
import { calibreDateOf } from '../../workers/metadata/values.js';
import { assert, block } from '../kit.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const archived = (name: string, text: string) =>
  readArchiveMetadata({ comment: '', texts: [{ name, read: () => bytesOf(text) }] });
const comicInfo = (inner: string) => archived('ComicInfo.xml', `<ComicInfo>${inner}</ComicInfo>`);

block('white space in metadata', (check) => {
  const ODD = 'A\n\t B\u00a0\u3000C\u200b\ufeffD\u00ad';
  const EVEN = 'A B CD';
  check('is one space in names, in every format; long texts keep lines', () => {
    const info = comicInfo(`<Title>${ODD}</Title><Series>${ODD}</Series><Writer>${ODD}, A B CD</Writer>
      <Publisher>${ODD}</Publisher><Genre>${ODD}</Genre><Tags>${ODD}</Tags><Summary>a\nb</Summary>`);
    assert.equal(
      [info?.book.title, info?.book.series, info?.book.publisher, info?.book.genre, info?.series.tags],
      [EVEN, EVEN, EVEN, EVEN, [EVEN]],
    );
    assert.equal([info?.book.authors.length, info?.book.summary], [1, 'a\nb']);
    const metron = archived(
      'MetronInfo.xml',
      `<MetronInfo><Series><Name>${ODD}</Name></Series>
      <Credits><Credit><Creator>${ODD}</Creator></Credit></Credits></MetronInfo>`,
    );
    assert.equal([metron?.series.title, metron?.book.authors[0]?.name], [EVEN, EVEN]);
    assert.is(archived('CoMet.xml', `<comet><title>${ODD}</title></comet>`)?.book.title, EVEN);
    const comment = JSON.stringify({ 'ComicBookInfo/1.0': { title: ODD, tags: [ODD], comments: 'a\nb' } });
    const inComment = readArchiveMetadata({ comment, texts: [] });
    assert.equal([inComment?.book.title, inComment?.series.tags, inComment?.book.summary], [EVEN, [EVEN], 'a\nb']);
    assert.is(readSeriesJson(bytesOf(JSON.stringify({ metadata: { name: ODD } })))?.series.title, EVEN);
    assert.equal(
      [readPdfInfo({ title: ODD }, null)?.book.title, readPdfInfo({ author: ODD }, null)?.book.authors[0]?.name],
      [EVEN, EVEN],
    );
  });
  check('in attributes of a package, too', () => {
    const found = readOpf(
      bytesOf(`<package><metadata><meta name="calibre:series" content="My&#10;  Series"/>
        <title>T</title><creator file-as="Author,&#9; Ann">Ann</creator></metadata></package>`),
    );
    assert.equal([found?.book.series, found?.book.authors[0]?.sortName], ['My Series', 'Author, Ann']);
  });
  check('nothing but invisible signs is nothing; joiners stay', () => {
    assert.is(comicInfo('<Title>\u200b</Title>'), null);
    assert.is(comicInfo('<Title>👩\u200d🚀 می\u200cخواهم</Title>')?.book.title, '👩\u200d🚀 می\u200cخواهم');
  });
});

block('descriptions written as XHTML', (check) => {
  const XHTML = 'Intro <b>bold</b>, rest<br/>next <p>Para\n  <i>one</i></p><div><p>Two</p></div>';
  const TEXT = 'Intro bold, rest\nnext\nPara one\nTwo';
  check('keep all their words, in order, and their lines', () => {
    assert.is(comicInfo(`<Summary>${XHTML}</Summary>`)?.book.summary, TEXT);
    assert.is(comicInfo(`<Summary><p>a</p><p>b<br/>c</p></Summary>`)?.book.summary, 'a\nb\nc');
    const opf = readOpf(
      bytesOf(`<package><metadata><title>A <i>B</i> C</title><description>${XHTML}</description></metadata></package>`),
    );
    assert.equal([opf?.book.title, opf?.book.summary], ['A B C', TEXT]);
  });
});

block('dates of calibre', (check) => {
  const dates: readonly (readonly [written: string, date: readonly (number | null)[]])[] = [
    ['2018-12-31T23:00:00+00:00', [2019, 1, 1]],
    ['2018-12-31T12:00:00Z', [2019, 1, 1]],
    ['2018-12-31T11:59:59+00:00', [2018, 12, 31]],
    ['2019-01-01T05:00:00+00:00', [2019, 1, 1]],
    ['2020-02-28T22:30:00.000000+00:00', [2020, 2, 29]],
    ['2019-02-28T15:00:00Z', [2019, 3, 1]],
    ['2019-01-01T00:00:00+09:00', [2019, 1, 1]],
    ['2018-12-31T23:00:00-05:00', [2018, 12, 31]],
    ['2018-12-31', [2018, 12, 31]],
    ['0101-01-01T00:00:00+00:00', [null, null, null]],
    ['0100-12-31T23:00:00+00:00', [null, null, null]],
    ['2019-02-31T23:00:00Z', [2019, 2, null]],
  ];
  for (const [written, date] of dates)
    check(written, () => {
      const found = calibreDateOf(written);
      assert.equal([found.year, found.month, found.day], date);
    });
  check('a package of another maker means the day that is written', () => {
    const opf = (inner: string) =>
      readOpf(bytesOf(`<package><metadata><date>2018-12-31T23:00:00Z</date>${inner}</metadata></package>`))?.book.year;
    assert.equal(
      [
        opf(''),
        opf('<contributor role="bkp">calibre (7.0)</contributor>'),
        opf('<meta name="calibre:rating" content="8"/>'),
      ],
      [2018, 2019, 2019],
    );
  });
});

const CALIBRE = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r">
<rdf:Description xmlns:calibre="http://calibre-ebook.com/xmp-namespace" xmlns:calibreSI="s" xmlns:xmp="x" xmlns:xmpidq="q" xmlns:dc="d">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Übel</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Doe, Jane</rdf:li></rdf:Seq></dc:creator>
<dc:date><rdf:Seq><rdf:li>2018-12-31T23:00:00+00:00</rdf:li></rdf:Seq></dc:date>
<xmp:Identifier><rdf:Bag><rdf:li rdf:parseType="Resource"><xmpidq:Scheme>amazon</xmpidq:Scheme><rdf:value>3440077934</rdf:value></rdf:li>
<rdf:li rdf:parseType="Resource"><xmpidq:Scheme>isbn</xmpidq:Scheme><rdf:value>9780306406157</rdf:value></rdf:li></rdf:Bag></xmp:Identifier>
<calibre:series rdf:parseType="Resource"><rdf:value>S</rdf:value><calibreSI:series_index>1.50</calibreSI:series_index></calibre:series>
<calibre:rating>8</calibre:rating></rdf:Description></rdf:RDF></x:xmpmeta>${' \n'.repeat(500)}<?xpacket end="w"?>`;

block('packets of calibre', (check) => {
  const wide = Buffer.from(`\ufeff${CALIBRE}`, 'utf16le');
  const forms: readonly (readonly [name: string, bytes: Uint8Array])[] = [
    ['UTF-8', bytesOf(CALIBRE)],
    ['UTF-8 with a mark', bytesOf(`\ufeff${CALIBRE}`)],
    ['UTF-16', wide],
    ['big-endian UTF-16', Buffer.from(wide).swap16()],
    ['cut off behind the series', bytesOf(CALIBRE.slice(0, CALIBRE.indexOf('<calibre:rating>')))],
  ];
  for (const [name, bytes] of forms)
    check(name, () => {
      const book = readPdfInfo({ title: 'Ubel', author: 'Doe, Jane' }, bytes)?.book;
      assert.equal(
        [book?.title, book?.authors.map((one) => one.name), book?.year, book?.isbns, book?.series, book?.number],
        ['Übel', ['Doe, Jane'], 2019, '9780306406157', 'S', '1.5'],
      );
    });
  check('the date of another maker is that of the file', () => {
    const other = CALIBRE.replace('http://calibre-ebook.com/xmp-namespace', 'c');
    assert.is(readPdfInfo({}, bytesOf(other))?.book.year, null);
  });
});

block('texts with and without markup', (check) => {
  const texts: readonly (readonly [written: string, text: string | null])[] = [
    ['I <3 this\nand a < b > c', 'I <3 this\nand a < b > c'],
    ['<Batman> & <Robin>', '<Batman> & <Robin>'],
    ['line one\nline <b>two</b>', 'line one\nline two'],
    ['<p>one\ntwo</p><P>I <3 you</P>', 'one two\nI <3 you'],
    ['Fish &amp; chips\nand peas', 'Fish & chips\nand peas'],
    ['<div class="x"><br /></div>', null],
    ['when x <b && y> z', 'when x <b && y> z'],
  ];
  for (const [written, text] of texts) check(JSON.stringify(written), () => assert.is(plainText(written), text));
  check('in all formats', () => {
    const html = '<p>a</p><p>b</p>';
    const escaped = '&lt;p&gt;a&lt;/p&gt;&lt;p&gt;b&lt;/p&gt;';
    assert.equal(
      [
        archived('MetronInfo.xml', `<MetronInfo><Summary>${escaped}</Summary></MetronInfo>`)?.book.summary,
        archived('CoMet.xml', `<comet><description>${escaped}</description></comet>`)?.book.summary,
        readPdfInfo({ subject: html }, null)?.book.summary,
        readSeriesJson(bytesOf(JSON.stringify({ metadata: { description_text: html } })))?.series.summary,
      ],
      ['a\nb', 'a\nb', 'a\nb', 'a\nb'],
    );
  });
});

block('lists and languages', (check) => {
  check('commas of several scripts separate; signs inside names do not', () => {
    const writers = (text: string) => comicInfo(`<Writer>${text}</Writer>`)?.book.authors.map(({ name }) => name);
    assert.equal(writers('甲；乙，丙､丁'), ['甲', '乙', '丙', '丁']);
    assert.equal(writers('ジョン・スミス'), ['ジョン・スミス']);
    assert.equal(writers('AC/DC'), ['AC/DC']);
    assert.equal(readPdfInfo({ author: '甲；乙' }, null)?.book.authors.length, 2);
    const opf = readOpf(
      bytesOf('<package><metadata><creator>山田、鈴木</creator><creator>Doe, Jane</creator></metadata></package>'),
    );
    assert.equal(
      opf?.book.authors.map(({ name }) => name),
      ['山田', '鈴木', 'Doe, Jane'],
    );
  });
  check('semicolons separate where there are any, and commas stay inside names', () => {
    const writers = (text: string) => comicInfo(`<Writer>${text}</Writer>`)?.book.authors.map(({ name }) => name);
    assert.equal(writers('Doe, John; Roe, Jane'), ['Doe, John', 'Roe, Jane']);
    assert.equal(writers('Ann;Bob'), ['Ann', 'Bob']);
    assert.equal(writers('Ann; Bob;'), ['Ann', 'Bob']);
    assert.equal(writers('Ann,Bob'), ['Ann', 'Bob']);
    assert.equal(writers('Doe, John；Roe, Jane'), ['Doe, John', 'Roe, Jane']);
    assert.equal(writers('甲、乙;丙'), ['甲', '乙', '丙']);
    assert.equal(writers('Ann|Bob'), ['Ann|Bob']);
    const comet = readCoMet(
      bytesOf('<comet><writer>Doe, John; Roe, Jane</writer><genre>A; B|C</genre><genre>D, E</genre></comet>'),
    );
    assert.equal(
      comet?.book.authors.map(({ name }) => name),
      ['Doe, John', 'Roe, Jane'],
    );
    assert.equal(comet?.series.genres, ['A', 'B', 'C', 'D', 'E']);
  });
  check('a vertical bar separates genres and tags', () => {
    const terms = (text: string) => {
      const series = comicInfo(`<Genre>${text}</Genre><Tags>${text}</Tags>`)?.series;
      assert.equal(series?.genres, series?.tags);
      return series?.genres;
    };
    assert.equal(terms('A; B|C'), ['A', 'B', 'C']);
    assert.equal(terms('A|B, C'), ['A', 'B', 'C']);
    assert.equal(terms('Fiction, American; Comics｜Crime'), ['Fiction, American', 'Comics', 'Crime']);
    assert.equal(readPdfInfo({ title: 'T', keywords: 'A|B' }, null)?.book.subjects, ['A', 'B']);
  });
  const languages: readonly (readonly [written: string, tag: string | null])[] = [
    ['jp', 'ja'],
    ['JP-jp', 'ja-JP'],
    ['kr', 'ko'],
    ['cn', 'zh'],
    ['gr', 'el'],
    ['cz', 'cs'],
    ['dk', 'da'],
    ['ua', 'uk'],
    ['vn', 'vi'],
    ['se', 'se'],
    ['xx', null],
    ['qq-DE', null],
    ['zh-hant-TW', 'zh-Hant-TW'],
    ['pt_BR', 'pt-BR'],
    ['Japanese', 'ja'],
    ['日本語', 'ja'],
    ['简体中文', 'zh-Hans'],
    ['Français', 'fr'],
    ['en, fr', 'en'],
    ['grc', 'grc'],
    ['klingonish', null],
  ];
  for (const [written, tag] of languages) check(written, () => assert.is(languageOf(written), tag));
  check('the stem of a kepub is that of its book, and of nothing else', () => {
    const stems = ['Book.kepub.epub', 'Book.KEPUB.EPUB', 'Book.epub', 'Book.kepub.cbz', '.kepub.epub'].map(stemOf);
    assert.equal(stems, ['Book', 'Book', 'Book', 'Book.kepub', '.kepub']);
  });
  check('tags of users follow the same rule', () => assert.equal(['jp', 'xx'].map(languageTag), ['ja', null]));
  check('full-width signs, commas between thousands, and spaces in words', () => {
    const found = comicInfo(`<Title>T</Title><Count>1,200</Count><Volume>１２</Volume><Year>２０２０</Year>
      <Manga> Yes And RightToLeft </Manga><AgeRating>Ｔｅｅｎ\u3000Plus</AgeRating><BlackAndWhite>\nYES </BlackAndWhite>`);
    assert.equal(
      [found?.book.count, found?.book.volume, found?.book.year, found?.book.manga, found?.book.blackAndWhite],
      [1200, 12, 2020, true, true],
    );
    assert.equal([found?.series.readingDirection, found?.series.ageRating], ['rtl', 15]);
    assert.is(comicInfo('<Title>T</Title><Count>1,20</Count>')?.book.count, null);
  });
  check('dates that say little', () => {
    const date = (inner: string) => {
      const book = comicInfo(`<Title>T</Title>${inner}`)?.book;
      return [book?.year, book?.month, book?.day];
    };
    assert.equal(date('<Month>5</Month><Day>3</Day>'), [null, null, null]);
    assert.equal(date('<Year>99</Year><Month>5</Month>'), [null, null, null]);
    assert.equal(date('<Year>0</Year>'), [null, null, null]);
    assert.equal(date('<Year>-1</Year>'), [null, null, null]);
    assert.equal(date('<Year>2020</Year><Month>2</Month>'), [2020, 2, null]);
    for (const [day, month, last] of [
      [30, 2, 29],
      [31, 4, 30],
      [31, 11, 30],
    ] as const) {
      assert.equal(date(`<Year>2020</Year><Month>${month}</Month><Day>${day}</Day>`), [2020, month, null]);
      assert.equal(date(`<Year>2020</Year><Month>${month}</Month><Day>${last}</Day>`), [2020, month, last]);
    }
    assert.equal(date('<Year>2019</Year><Month>2</Month><Day>29</Day>'), [2019, 2, null]);
  });
});
