// Metadata that was escaped once more than its format does: plain again, and lists are split where they should be.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { readArchiveMetadata } from '../../workers/metadata/archive.js';
import { plainText } from '../../workers/metadata/html.js';
import { readPdfInfo } from '../../workers/metadata/pdf.js';
import { readSeriesJson } from '../../workers/metadata/series-json.js';
import { linksIn, nameList, termList } from '../../workers/metadata/values.js';
import { oneLine } from '../../workers/metadata/xml-node.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import { bookOf, COMIC } from './made-epub.js';

const inFolder = async (read: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-escaped-'));
  try {
    await read(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

block('what was not escaped twice stays', (check) => {
  for (const title of [
    'AT&T; the Story',
    'Q&A; B',
    'Tom & Jerry',
    '&',
    '&;',
    '&&amp',
    'R&D',
    '&#xffffffff;',
    '&bogus;',
  ])
    check(title, () => assert.is(oneLine(title), title));
  const TEXTS = [
    'In HTML, write &amp; for an ampersand, and &lt; for <.',
    'The five entities of XML: &amp; &lt; &gt; &quot; &apos;',
    'Tom & Jerry\nand AT&T; too',
  ];
  for (const text of TEXTS) check(text, () => assert.is(plainText(text), text));
  check('markup escaped once says what its author wrote about it', () =>
    assert.is(plainText('<p>In HTML, write &amp;amp; and &amp;lt;.</p>'), 'In HTML, write &amp; and &lt;.'),
  );
  check('lists are split at semicolons that end no reference', () => {
    assert.equal(nameList('A&B; C'), ['A&B', 'C']);
    assert.equal(termList('Q&A; Fish & Chips'), ['Q&A', 'Fish & Chips']);
  });
});

block('what was escaped twice is plain', (check) => {
  const VALUES: readonly (readonly [written: string, plain: string])[] = [
    ['Tom &amp; Jerry', 'Tom & Jerry'],
    ['Tom &amp;amp;amp; Jerry', 'Tom & Jerry'],
    ['&quot;Hello&quot;', '"Hello"'],
    ['It&#39;s &#x2019;here&#8217;', "It's ’here’"],
    ['Caf&eacute;', 'Café'],
    ['a&nbsp;&#160;b', 'a b'],
    ['a&#0;&#1;b', 'ab'],
    ['AT&amp;T; the Story', 'AT&T; the Story'],
  ];
  for (const [written, plain] of VALUES) check(written, () => assert.is(oneLine(written), plain));
  check('lists', () => {
    assert.equal(nameList('Tom &amp; Ann'), ['Tom & Ann']);
    assert.equal(nameList('Doe, John &amp; Son; O&#39;Neil, Ann'), ['Doe, John & Son', "O'Neil, Ann"]);
    assert.equal(termList('Sword &amp;amp; Sorcery, Science Fiction &amp; Fantasy'), [
      'Sword & Sorcery',
      'Science Fiction & Fantasy',
    ]);
    assert.equal(nameList('Ann &amp; Bob, Ann & Bob'), ['Ann & Bob']);
  });
  check('addresses', () =>
    assert.equal(
      linksIn('https://a.example/?x=1&amp;amp;y=2&amp;copy=3', () => 's').map(({ url }) => url),
      ['https://a.example/?x=1&y=2&copy=3'],
    ),
  );
  const SUMMARIES: readonly (readonly [written: string, plain: string])[] = [
    ['Tom &amp;amp; Jerry &ndash; again', 'Tom & Jerry – again'],
    ['&lt;p&gt;one&lt;/p&gt;&lt;p&gt;two &amp;amp; three&lt;/p&gt;', 'one\ntwo & three'],
    ['<p>Tom &amp;amp; Jerry</p>', 'Tom & Jerry'],
    ['I &lt;3 this', 'I <3 this'],
  ];
  for (const [written, plain] of SUMMARIES) check(written, () => assert.is(plainText(written), plain));
  check('in every format', () => {
    const comment = JSON.stringify({ 'ComicBookInfo/1.0': { title: 'A &amp; B', genre: 'C &amp; D; E' } });
    const inComment = readArchiveMetadata({ comment, texts: [] });
    assert.equal([inComment?.book.title, inComment?.series.genres], ['A & B', ['C & D', 'E']]);
    const json = Buffer.from(JSON.stringify({ metadata: { name: 'A &amp; B' } }));
    assert.is(readSeriesJson(json)?.series.title, 'A & B');
    const pdf = readPdfInfo({ title: 'A &amp; B', author: 'C &amp; D; E', keywords: 'F &amp; G' }, null)?.book;
    assert.equal(
      [pdf?.title, pdf?.authors.map(({ name }) => name), pdf?.subjects],
      ['A & B', ['C & D', 'E'], ['F & G']],
    );
    const packet = `<x:xmpmeta xmlns:x="x"><rdf:RDF xmlns:rdf="r"><rdf:Description xmlns:dc="d"><dc:title>A &amp;amp; B</dc:title>
      <dc:subject><rdf:Bag><rdf:li>C &amp;amp; D</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>`;
    const inPacket = readPdfInfo({}, Buffer.from(packet))?.book;
    assert.equal([inPacket?.title, inPacket?.subjects], ['A & B', ['C & D']]);
  });
  check('in whole books', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'a.cbz');
      const info = `<ComicInfo><Title>Tom &amp;amp; Jerry: &amp;quot;Run&amp;quot;</Title><Series>S &amp;amp; T</Series>
        <Writer>Ann &amp;amp; Co</Writer><Genre>Sword &amp;amp; Sorcery; Humour</Genre></ComicInfo>`;
      writeFileSync(
        path,
        writeZip([
          { name: '1.png', bytes: readFileSync(fixture('images/png-interlaced.png')) },
          { name: 'ComicInfo.xml', bytes: Buffer.from(info), isDeflated: true },
        ]),
      );
      const found = (await analysed(path)).metadata;
      assert.equal(
        [found?.book.title, found?.book.series, found?.book.authors.map(({ name }) => name), found?.series.genres],
        ['Tom & Jerry: "Run"', 'S & T', ['Ann & Co'], ['Sword & Sorcery', 'Humour']],
      );
      const meta = `<dc:title>A &amp;amp; B</dc:title><dc:creator opf:file-as="D &amp;amp; C">C &amp;amp; D</dc:creator>
        <dc:subject>E &amp;#38; F</dc:subject><meta name="calibre:series" content="G &amp;amp; H"/>`;
      const opf = (await analysed(bookOf(folder, COMIC, { meta }))).metadata;
      assert.equal(
        [opf?.book.authors.map(({ name }) => name), opf?.book.subjects, opf?.book.series],
        [['C & D'], ['E & F'], 'G & H'],
      );
    }),
  );
});
