// XML as books carry it: in any encoding, broken, or written to do harm.

import { readComicBookInfo } from '../../workers/metadata/comicbookinfo.js';
import { readComicInfo } from '../../workers/metadata/comicinfo.js';
import { plainText } from '../../workers/metadata/html.js';
import { readOpf } from '../../workers/metadata/opf.js';
import { readPdfInfo } from '../../workers/metadata/pdf.js';
import { child, parseXml, text } from '../../workers/metadata/xml.js';
import { assert, block } from '../kit.js';

const bytesOf = (source: string): Uint8Array => new TextEncoder().encode(source);
const titleIn = (source: string | Uint8Array): string | null | undefined =>
  readComicInfo(typeof source === 'string' ? bytesOf(source) : source)?.book.title;

const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

block('XML in any encoding', (check) => {
  const wide = (declared: string): string =>
    `<?xml version="1.0" encoding="${declared}"?><ComicInfo><Title>Größe</Title></ComicInfo>`;
  const cases: readonly (readonly [fact: string, bytes: Uint8Array, title: string])[] = [
    ['UTF-8 with a mark', bytesOf(`\uFEFF${wide('utf-8')}`), 'Größe'],
    ['UTF-8 with a mark and a wrong declaration', bytesOf(`\uFEFF${wide('iso-8859-1')}`), 'Größe'],
    ['UTF-8 that says it is UTF-16', bytesOf(wide('utf-16')), 'Größe'],
    ['UTF-16 little-endian', Buffer.from(`\uFEFF${wide('utf-16')}`, 'utf16le'), 'Größe'],
    ['UTF-16 big-endian', swapped(Buffer.from(`\uFEFF${wide('utf-16')}`, 'utf16le')), 'Größe'],
    ['UTF-16 without a mark', Buffer.from(wide('utf-16'), 'utf16le'), 'Größe'],
    ['Latin-1, declared', Buffer.from(wide('ISO-8859-1'), 'latin1'), 'Größe'],
    [
      'Windows-1252, undeclared',
      Buffer.from('<ComicInfo><Title>\x93Größe\x94</Title></ComicInfo>', 'latin1'),
      '“Größe”',
    ],
    ['an encoding nobody knows', bytesOf(wide('x-none')), 'Größe'],
    [
      'Shift-JIS, declared',
      Buffer.concat([
        bytesOf('<?xml version="1.0" encoding="Shift_JIS"?><ComicInfo><Title>'),
        Buffer.from('93fa967b', 'hex'),
        bytesOf('</Title></ComicInfo>'),
      ]),
      '日本',
    ],
    ['XML 1.1', bytesOf('<?xml version="1.1"?><ComicInfo><Title>a&#1;b&#x85;c</Title></ComicInfo>'), 'ab c'],
  ];
  for (const [fact, bytes, title] of cases) check(fact, () => assert.is(titleIn(bytes), title));
});

block('XML as a tree', (check) => {
  check('names lose prefixes and capitals, texts keep CDATA as it is', () => {
    const root = parseXml(
      '<o:A xmlns:o="u" xml:Lang="d&amp;e" b=\'<\'><o:B>1 &lt; 2 <![CDATA[&lt;<x>]]> <!-- no --> &#x1F600;&nbsp;&bad;</o:B></o:A>',
    );
    assert.is(root?.name, 'a');
    assert.equal(
      [...(root?.attributes ?? [])].find(([name]) => name === 'lang'),
      ['lang', 'd&e'],
    );
    assert.is(text(child(root, 'b')), '1 < 2 &lt;<x>  😀');
  });
  check('named HTML entities are decoded, in texts and attributes, well formed or damaged', () => {
    const inner = 'caf&eacute;&nbsp;&hellip; &Uuml;ber &frac12; &euro;&yuml;&thinsp;&diams;&and;&rang; &toString;';
    const shown = 'café … Über ½ €ÿ ♦∧\u232a';
    assert.is(titleIn(`<ComicInfo><Title>${inner}</Title></ComicInfo>`), shown);
    assert.is(titleIn(`<ComicInfo><Title>${inner}</Title><Series>cut`), shown);
    assert.is(parseXml('<a b="&Eacute;t&eacute; &amp;eacute;"/>')?.attributes.get('b'), 'Été &eacute;');
  });
  check('a document cannot redefine them', () => {
    assert.is(titleIn('<!DOCTYPE a [<!ENTITY eacute "X">]><ComicInfo><Title>&eacute;</Title></ComicInfo>'), 'é');
  });
  check('the first element with text counts', () => {
    assert.is(titleIn('<ComicInfo><Title/><Title> </Title><Title>A</Title><Title>B</Title></ComicInfo>'), 'A');
  });
  check('names that are special in JavaScript are ordinary names', () => {
    const root = parseXml(
      '<r><__proto__>1</__proto__><constructor a="1" __proto__="2" toString="3">2</constructor></r>',
    );
    assert.is(text(child(root, 'constructor')), '2');
    assert.is(Object.hasOwn(Object.prototype, 'a'), false);
  });
});

block('XML that is not well formed', (check) => {
  const cases: readonly (readonly [fact: string, source: string, title: string | null])[] = [
    ['cut off', '<ComicInfo><Title>A</Title><Series>B</Ser', 'A'],
    ['an ampersand', '<ComicInfo><Title>A & B</Title></ComicInfo>', 'A & B'],
    ['an element that is never closed', '<ComicInfo><Series>x<Title>A</Title></ComicInfo>', 'A'],
    ['elements closed in the wrong order', '<ComicInfo><Series><Title>A</Title></ComicInfo></Series>', 'A'],
    ['a stray end', '<ComicInfo></Series><Title>A</Title></ComicInfo>', 'A'],
    ['a quote left open', '<ComicInfo><Page a="1><Title>A</Title></ComicInfo>', 'A'],
    ['a sign that starts no tag', '<ComicInfo><Title>A < B <3</Title></ComicInfo>', 'A < B <3'],
    ['a sign that starts no declaration', '<ComicInfo><Title>A <!B</Title></ComicInfo>', 'A <!B'],
    ['words before and after', 'x <ComicInfo><Title>A</Title></ComicInfo> y', 'A'],
    ['a comment that never ends', '<ComicInfo><Title>A</Title><!-- ', 'A'],
    ['half a title', '<ComicInfo><Series>S</Series><Title>A', null],
    ['nothing at all', '', null],
    ['no XML', 'PK\u0003\u0004', null],
  ];
  for (const [fact, source, title] of cases) check(fact, () => assert.is(titleIn(source) ?? null, title));
  check('a package with a stray ampersand keeps its attributes', () => {
    const source =
      '<opf:package><opf:metadata><dc:title>A & B</dc:title><opf:meta name="calibre:series" content=\'S &amp; T\'/></opf:metadata></opf:package>';
    const book = readOpf(bytesOf(source))?.book;
    assert.equal([book?.title, book?.series], ['A & B', 'S & T']);
  });
});

const LAUGHS = Array.from({ length: 9 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`).join(
  '',
);
const doctyped = (subset: string, title: string): string =>
  `<?xml version="1.0"?><!DOCTYPE ComicInfo [<!-- it's > ]> --> ${subset}]><ComicInfo><Title>${title}</Title><Series>S</Series></ComicInfo>`;

const SIZE = 1 << 20;
const full = (part: string): string => part.repeat(Math.ceil(SIZE / part.length));

const HOSTILE: Readonly<Record<string, string>> = {
  'a tag that never ends, again and again': full('<a'),
  'deep nesting': full('<a>'),
  'deep nesting, closed': '<a>'.repeat(SIZE / 7) + '</a>'.repeat(SIZE / 7),
  'elements without end': `<ComicInfo>${full('<a/>')}</ComicInfo>`,
  'wrong order': full('<a><b></a>'),
  'ends without starts': full('</a>'),
  'signs only': full('<'),
  ampersands: `<a>${full('&')}</a>`,
  'references that never end': `<a>${full('&#1')}</a>`,
  'lost ends around many': `<r>${'<x>'.repeat(98)}${full('<a/>')}</r>`,
  'a long name': `<a ${full('b')}>`,
  'attributes without values': `<a ${full('b ')}/>`,
  'attributes left open': `<a ${full('b="')}/>`,
  'tags with quotes left open': full('<a b="'),
  'mixed quotes': `<a ${full(`"'`)}>`,
  'many attributes': `<a ${Array.from({ length: 80_000 }, (_, index) => `b${index}="1"`).join(' ')}/>`,
  'a million attributes': `<a>${'<a '.repeat(3)}${full('b="" ')}/></a>`,
  'a million attributes, well formed': `<a ${Array.from({ length: SIZE }, (_, index) => `b${index}=""`).join(' ')}/>`,
  'quotes in a tag': `<a b=${full('"')}>`,
  'quotes in elements': `<a>${full('<b c="">"')}`,
  'ampersands in an attribute': `<a b="${full('&')}"/>`,
  blanks: `<a${full(' ')}`,
  comments: full('<!--'),
  'sections of characters': full('<![CDATA['),
  instructions: full('<?a'),
  'type declarations': full('<!DOCTYPE '),
  'type declarations, closed': full('<!DOCTYPE a>'),
  'a type declaration left open': `<!DOCTYPE a [${full('<!ENTITY a "')}`,
  prefixes: `<${full('a:')}>x`,
  markup: `<ComicInfo><Summary>${full('&lt;b ')}</Summary></ComicInfo>`,
  json: full('{"a":'),
  brackets: full('['),
};

block('malicious XML', (check) => {
  check('entities declared by a document are not used', () => {
    const found = readComicInfo(bytesOf(doctyped(`<!ENTITY l0 "ha">${LAUGHS}`, 'A&l9;')));
    assert.equal([found?.book.title, found?.book.series], ['A', 'S']);
  });
  check('nothing is read from outside', () => {
    const found = readComicInfo(
      bytesOf(
        doctyped('<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://localhost/x.dtd">%p;', 'A&x;'),
      ),
    );
    assert.is(found?.book.title, 'A');
    assert.not.ok(JSON.stringify(found).includes('root:'));
    assert.is(
      titleIn('<!DOCTYPE ComicInfo SYSTEM "http://localhost/a.dtd"><ComicInfo><Title>A</Title></ComicInfo>'),
      'A',
    );
    assert.is(titleIn('<ComicInfo><!DOCTYPE a [<!ENTITY x "X">]><Title>A&x;</Title></ComicInfo>'), 'A');
  });
  check('an element with hundreds of thousands of attributes keeps a few, and its content is read', () => {
    const attributes = Array.from({ length: 300_000 }, (_, n) => `a${n}=""`).join(' ');
    const root = parseXml(`<ComicInfo ${attributes}><Title>A</Title></ComicInfo>`);
    assert.equal([root?.attributes.size, text(child(root, 'title'))], [200, 'A']);
  });
  check('a package of ten thousand documents is read whole', () => {
    const items = Array.from(
      { length: 10_000 },
      (_, n) => `<item id="i${n}" href="${n}.xhtml" media-type="text/html"/>`,
    );
    const root = parseXml(`<package><manifest>${items.join('')}</manifest></package>`);
    assert.is(child(root, 'manifest')?.children.length, 10_000);
  });
  // Where the work grows with the square of the length, a megabyte takes hours: the deadline of a fact is the check.
  for (const [fact, source] of Object.entries(HOSTILE))
    check(`a megabyte of it is read in bounded time: ${fact}`, () => {
      parseXml(source);
      const bytes = bytesOf(source);
      readComicBookInfo(bytes);
      readPdfInfo({ author: source, subject: source, keywords: source }, bytes);
      plainText(source);
    });
});
