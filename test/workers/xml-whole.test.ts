// Well-formed XML: the tree is the one the document was made from. Whatever is not well formed is refused, never guessed.

import fc from 'fast-check';
import { parseXml, type XmlNode } from '../../workers/metadata/xml.js';
import { parseWhole } from '../../workers/metadata/xml-whole.js';
import { assert, block } from '../kit.js';

/** A part of a document: as it is written, and what it adds to the text of its element. */
interface Part {
  readonly source: string;
  readonly text: string;
}

interface Made extends Part {
  readonly node: XmlNode;
}

const name = fc.stringMatching(/^[a-zA-Z_é日][\w.\-é日]{0,6}$/);
const qualifiedName = fc.tuple(fc.constantFrom('', 'o:', 'dc:'), name).map((parts) => parts.join(''));
const blank = fc.constantFrom(' ', '\n', '\t', '  \n ');
const maybeBlank = fc.oneof(fc.constant(''), blank);
const characters = fc.string({ unit: 'binary', maxLength: 12 });

const reference = (char: string): string => `&#x${(char.codePointAt(0) ?? 0).toString(16)};`;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

const escaped = (text: string): string => text.replace(/[&<>"'\r]/g, (char) => NAMED.get(char) ?? reference(char));

const withoutNull = (text: string): string => text.replaceAll('\0', '');
const without = (end: string) => characters.map((text) => withoutNull(text).replaceAll('\r', '').replaceAll(end, ''));

const silent = (open: string, close: string, end: string): fc.Arbitrary<Part> =>
  without(end).map((inner) => ({ source: open + inner + close, text: '' }));

const part: fc.Arbitrary<Part> = fc.oneof(
  characters.map(withoutNull).map((text) => ({ source: escaped(text), text })),
  characters.map(withoutNull).map((text) => ({ source: [...text].map(reference).join(''), text })),
  without(']').map((text) => ({ source: `<![CDATA[${text}]]>`, text })),
  silent('<!--', '-->', '-'),
  silent('<?pi ', '?>', '>'),
  fc.constant({ source: '<![CDATA[<a> &amp; ]]]]><![CDATA[>]]>', text: '<a> &amp; ]]>' }),
);

const attribute = fc.record({
  name: qualifiedName.filter((one) => !/^xmlns/i.test(one)),
  value: characters.map(withoutNull),
  before: blank,
  around: maybeBlank,
  quote: fc.constantFrom('"', "'"),
});

const localName = (qualified: string): string => qualified.replace(/^.*:/, '').toLowerCase();

const attributes = fc.uniqueArray(attribute, { maxLength: 4, selector: (one) => localName(one.name) }).map((list) => ({
  source: list
    .map(
      ({ before, around, quote, ...one }) =>
        `${before}${one.name}${around}=${around}${quote}${escaped(one.value)}${quote}`,
    )
    .join(''),
  values: new Map(list.map((one) => [localName(one.name), one.value])),
}));

const isMade = (one: Part | Made): one is Made => 'node' in one;

/** Each knows after how much text of its parent it begins. */
const childrenOf = (inner: readonly (Part | Made)[]): XmlNode[] => {
  let at = 0;
  return inner.flatMap((one) => {
    if (isMade(one)) return { ...one.node, at };
    at += one.text.length;
    return [];
  });
};

const { element } = fc.letrec<{ element: Made }>((tie) => ({
  element: fc
    .record({
      name: qualifiedName,
      attributes,
      inner: fc.array(fc.oneof({ maxDepth: 6 }, part, tie('element')), { maxLength: 5 }),
      blank: maybeBlank,
    })
    .map((given) => {
      const content = given.inner.map(({ source }) => source).join('');
      const start = given.name + given.attributes.source + given.blank;
      const node = {
        name: localName(given.name),
        attributes: given.attributes.values,
        text: given.inner.map(({ text }) => text).join(''),
        children: childrenOf(given.inner),
        at: 0,
      };
      const source = content === '' ? `<${start}/>` : `<${start}>${content}</${given.name}${given.blank}>`;
      return { source, text: '', node };
    }),
}));

const prolog = fc.constantFrom(
  '',
  '<?xml version="1.0"?>\n',
  '<!-- a --><!DOCTYPE a [<!ENTITY b "c">]>\n',
  '\uFEFF \n',
);
const epilog = fc.constantFrom('', '\n', ' <!-- <b> --> <?c d?>\n');

const MALFORMED: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'no element': '<!-- a -->',
  'an element without an end': '<a><b></a>',
  'elements closed in the wrong order': '<a><b></a></b>',
  'a stray end tag': '<a></b></a>',
  'an end tag after the root': '<a></a></a>',
  'an end tag with attributes': '<a></a b="c">',
  'an end tag cut off': '<a></a ',
  'an end tag that runs into the next tag': '<a><b></b <c>d</c></a>',
  'two roots': '<a/><b/>',
  'text before the root': 'x<a/>',
  'text after the root': '<a/>x',
  'characters outside the root': '<a/><![CDATA[x]]>',
  'a tag cut off': '<a><b c="d"',
  'an open quote': '<a><b c="1><d e="f">g</d></a>',
  'an open quote, closed by that of another element': '<a><b c="1><d e=" f">g</d></a>',
  'attributes without white space between them': '<a b="c"d="e"/>',
  'an attribute without quotes': '<a b=c></a>',
  'an attribute without a name': '<a ="b"/>',
  'an attribute given twice': '<a b="c" b="d"/>',
  'a sign inside a tag': '<a <b="c"/>',
  'a slash inside a tag': '<a / b="c"></a>',
  'a slash before the end of a tag': '<a/ >',
  'a tag that begins with a figure': '<a> b <3 c </a>',
  'an instruction with a sign in it': '<a><?b c > d ?></a>',
  'an instruction without an end': '<a/><?b c',
  'a comment without an end': '<a/><!-- b',
  'a comment that is too short': '<!--><a/><!-->',
  'a section without an end': '<a><![CDATA[b</a>',
  'a declaration': '<a><!ELEMENT b></a>',
  'a type declaration inside': '<a><!DOCTYPE b></a>',
};

block('well-formed XML', (check) => {
  check('a document gives the tree it was made from', () =>
    fc.assert(
      fc.property(prolog, element, epilog, (before, made, after) => {
        assert.equal(parseXml(before + made.source + after), made.node, made.source);
        assert.equal(parseWhole(made.source + after), made.node, `not well formed: ${made.source}`);
      }),
      { numRuns: 1000 },
    ),
  );
  check('a document cut anywhere before its last end tag is not whole', () =>
    fc.assert(
      fc.property(element, fc.nat(), ({ source }, at) => {
        const cut = source.slice(0, at % source.length);
        assert.is(parseWhole(cut), null, cut);
      }),
      { numRuns: 1000 },
    ),
  );
  check('white space in a value is kept, lines end as XML says', () => {
    const root = parseXml('<a b="c\td\r\ne">f\r\ng\rh&#13;</a>');
    assert.equal([root?.attributes.get('b'), root?.text], ['c\td\ne', 'f\ng\nh\r']);
  });
  check('signs in values do no harm, attributes without value are left out', () => {
    const root = parseXml('<a b="<c>" d=\'"\' e><f/></a>');
    assert.equal(
      [...(root?.attributes ?? [])],
      [
        ['b', '<c>'],
        ['d', '"'],
      ],
    );
    assert.is(root?.children.length, 1);
  });
  check('a hundred levels are whole, one more is not', () => {
    const nested = (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels);
    assert.is(parseWhole(nested(100))?.name, 'a');
    assert.is(parseWhole(nested(101)), null);
  });
  check('elements and attributes have limits', () => {
    const elements = (count: number): string => `<a>${'<b/>'.repeat(count - 1)}</a>`;
    assert.is(parseWhole(elements(100_000))?.children.length, 99_999);
    assert.is(parseWhole(elements(100_001)), null);
    const given = (count: number): string => Array.from({ length: count }, (_, n) => ` b${n}=""`).join('');
    assert.is(parseWhole(`<a${given(200)}/>`)?.attributes.size, 200);
    assert.is(parseWhole(`<a${given(201)}/>`), null);
    assert.is(parseWhole(`<a>${`<b${given(200)}/>`.repeat(500)}</a>`)?.children.length, 500);
    assert.is(parseWhole(`<a>${`<b${given(200)}/>`.repeat(501)}</a>`), null);
  });
});

block('XML that is not well formed is not guessed', (check) => {
  for (const [fact, source] of Object.entries(MALFORMED))
    check(fact, () => assert.is(parseWhole(source), null, source));
});
