// What EPUBs, calibre and PDFs say about a book, in the cases the files of other people do not have.
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { readOpf } from '../../workers/metadata/opf.js';
import { readPdfInfo } from '../../workers/metadata/pdf.js';
import { assert, block } from '../kit.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const opf = (inner: string, version = '3.0'): EmbeddedMetadata | null =>
  readOpf(bytesOf(`<package version="${version}"><metadata>${inner}</metadata></package>`));

const creditsOf = (found: EmbeddedMetadata | null): readonly string[] =>
  found?.book.authors.map(({ name, role }) => `${role} ${name}`) ?? [];

block('packages of EPUBs and calibre', (check) => {
  check("calibre's series takes precedence, and its number is plain", () => {
    const found = opf(
      '<meta name="calibre:series" content="A &amp; B"/><meta name="calibre:series_index" content="7.0"/><meta property="belongs-to-collection">C</meta>',
      '2.0',
    );
    assert.equal(
      [found?.book.series, found?.book.number, found?.book.seriesPosition, found?.book.chapter],
      ['A & B', '7', 7, null],
    );
  });
  check('a collection that is a series comes before one that is not', () => {
    const found = opf(
      '<meta property="belongs-to-collection" id="a">Set</meta><meta refines="#a" property="collection-type">set</meta><meta property="belongs-to-collection" id="b">Series</meta><meta refines="#b" property="collection-type">series</meta><meta refines="#b" property="group-position">1.2.3</meta>',
    );
    assert.equal([found?.book.series, found?.book.number, found?.book.seriesPosition], ['Series', '1.2.3', null]);
  });
  check('the publication date comes before others', () => {
    const dates =
      '<dc:date opf:event="modification">2020-01-01</dc:date><dc:date opf:event="publication">1999-02-03</dc:date>';
    assert.equal([opf(dates)?.book.year, opf(dates)?.book.month, opf(dates)?.book.day], [1999, 2, 3]);
    assert.is(opf('<dc:date opf:event="modification">2020-01-01</dc:date>'), null);
  });
  check('descriptions lose their markup', () => {
    const html =
      '&lt;p&gt;One&amp;nbsp;&amp;amp; two&lt;/p&gt;&lt;p&gt;3 &amp;lt; 4 &amp;#8212; five&lt;br/&gt;six&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;';
    assert.is(opf(`<dc:description>${html}</dc:description>`)?.book.summary, 'One & two\n3 < 4 — five\nsix');
    assert.is(
      opf('<dc:description>&amp;frac12; &amp;toString; of &amp;Omega;&amp;shy;</dc:description>')?.book.summary,
      '½ &toString; of Ω',
    );
    assert.is(opf('<dc:title>L&rsquo;&Eacute;t&eacute;</dc:title>')?.book.title, 'L’Été');
    assert.is(opf('<dc:description>a < b is not markup</dc:description>')?.book.summary, 'a < b is not markup');
  });
  check('a shop number that looks like an ISBN is not one', () => {
    assert.is(opf('<dc:identifier opf:scheme="AMAZON">3440077934</dc:identifier>'), null);
    assert.is(opf('<dc:identifier opf:scheme="ISBN">3440077934</dc:identifier>')?.book.isbns, '3440077934');
  });
});

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:Description rdf:about="" xmlns:dc="d">
<dc:title><rdf:Alt><rdf:li xml:lang="de">Titel</rdf:li><rdf:li xml:lang="x-default">Title</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator>
<dc:subject><rdf:Bag><rdf:li>one</rdf:li></rdf:Bag></dc:subject><dc:language><rdf:Bag><rdf:li>fr-FR</rdf:li></rdf:Bag></dc:language>
</rdf:Description></rdf:RDF></x:xmpmeta>`;

block('metadata of PDFs', (check) => {
  check('the dictionary comes first, XMP fills what is missing', () => {
    const found = readPdfInfo(
      { title: ' A\u0000 book ', author: 'Doe; Roe', keywords: '', subject: 'ISBN 080442957X' },
      bytesOf(XMP),
    );
    assert.is(found?.book.title, 'A book');
    assert.equal(creditsOf(found), ['author Doe', 'author Roe']);
    assert.equal([found?.book.subjects, found?.book.isbns, found?.book.languageIso], [['one'], '080442957X', 'fr-FR']);
  });
  check('XMP alone', () => {
    const found = readPdfInfo({}, bytesOf(`<?xpacket begin=""?>${XMP}<?xpacket end="w"?>`));
    assert.is(found?.book.title, 'Title');
    assert.equal(creditsOf(found), ['author Ann', 'author Bob']);
  });
  check('a ComicInfo document in the keywords or in XMP', () => {
    const hidden = '<?xml version="1.0"?><ComicInfo><Series>S</Series><Number>3</Number></ComicInfo>';
    const found = readPdfInfo({ title: 'T', keywords: hidden }, null);
    assert.equal(
      [found?.book.title, found?.book.series, found?.book.number, found?.book.subjects],
      ['T', 'S', '3', []],
    );
    const inside = XMP.replace(
      '<dc:language>',
      '<pdfx:c><ComicInfo><Series>S</Series></ComicInfo></pdfx:c><dc:language>',
    );
    assert.is(readPdfInfo({}, bytesOf(inside))?.book.series, 'S');
    const escaped = XMP.replace(
      '<dc:language>',
      '<pdfx:c>&lt;ComicInfo&gt;&lt;Series&gt;S&lt;/Series&gt;&lt;/ComicInfo&gt;</pdfx:c><dc:language>',
    );
    assert.is(readPdfInfo({}, bytesOf(escaped))?.book.series, 'S');
  });
  check('no metadata gives nothing', () => {
    for (const packet of [
      '',
      ' \n ',
      '<?xpacket begin="" id="W5M0"?>\n  \n<?xpacket end="w"?>',
      '<x:xmpmeta xmlns:x="a"/>',
    ])
      assert.is(readPdfInfo({ title: ' ', creationDate: 'D:2020' }, bytesOf(packet)), null, packet);
  });
});
