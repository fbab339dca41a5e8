// Pages of EPUBs that are backgrounds, in every form that XHTML and CSS allow for writing them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import { containerFor, madeOf } from './made-epub.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
let folder = '';

/** The names of the pages of a book of two documents, whose images are `i/1.png` and `i/2.png`. */
const pagesOf = async (first: string, second: string, css = ''): Promise<readonly string[]> => {
  const page = '<item id="p1" href="p1.xhtml" media-type="application/xhtml+xml"/>';
  const { pageTable, fault } = await analysed(
    madeOf(folder, {
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': containerFor('p.opf'),
      'p.opf': `<package><metadata/><manifest>${page}${page.replaceAll('p1', 'p2')}</manifest>
        <spine><itemref idref="p1"/><itemref idref="p2"/></spine></package>`,
      'p1.xhtml': first,
      'p2.xhtml': second,
      's.css': css,
      'i/1.png': IMAGE,
      'i/2.png': Buffer.concat([IMAGE, Buffer.from('2')]),
    }),
  );
  assert.is(fault, null);
  return pageTable === null ? [] : new PageTable(pageTable).names();
};

const both = (document: (n: number) => string, css?: string): Promise<readonly string[]> =>
  pagesOf(document(1), document(2), css);
const styled = (style: (n: number) => string, body = '<body class="p"> </body>') =>
  both((n) => `<html><head><style type="text/css">${style(n)}</style></head>${body}</html>`);
const linked = (body: (n: number) => string, css: string, head = '<link rel="stylesheet" href="s.css"/>') =>
  both((n) => `<html><head>${head}</head><body>${body(n)}</body></html>`, css);

const FORMS: readonly (readonly [name: string, pages: () => Promise<readonly string[]>])[] = [
  ['CDATA in comments of CSS', () => styled((n) => `/*<![CDATA[*/ .p { background: url(i/${n}.png) } /*]]>*/`)],
  ['bare CDATA', () => styled((n) => `<![CDATA[ .p { background: url(i/${n}.png) } ]]>`)],
  ['escaped quotes', () => styled((n) => `.p { background: url(&quot;i/${n}.png&quot;) }`)],
  ['an escaped combinator', () => styled((n) => `html&gt;.p { background: url(i/${n}.png) }`)],
  ['a child, as HTML writes it', () => styled((n) => `html > .p { background: url(i/${n}.png) }`)],
  ['an inner style without an end', () => both((n) => `<body class="p"/><style>.p{background:url(i/${n}.png)}`)],
  [
    'a style sheet of XML',
    () =>
      both(
        (n) =>
          `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="s.css"?><html><body><div id="p${n}"> </div></body></html>`,
        '#p1 { background: url(i/1.png) } #p2 { background: url(i/2.png) }',
      ),
  ],
  [
    'an id that begins with a digit',
    () =>
      linked((n) => `<div id="${n}x"> </div>`, '#\\31 x{background:url(i/1.png)}#\\000032x{background:url(i/2.png)}'),
  ],
  [
    'escapes in the address',
    () =>
      linked((n) => `<div id="p${n}"> </div>`, '#p1{background:url(i/\\31.png)}#p2{background:url(i\\/\\000032.png)}'),
  ],
  [
    'classes and ids as attributes',
    () =>
      linked(
        (n) => `<div class="p${n}" id="q${n}"> </div>`,
        'div[class="p1"]{background:url(i/1.png)} div[ id = q2 ] { background: url(i/2.png) }',
      ),
  ],
];

block(
  'forms of styles in EPUBs',
  (check) => {
    for (const [name, pages] of FORMS)
      check(name, async () => assert.equal(await pages(), ['i/1.png', 'i/2.png'], name));
    check('many beginnings of styles and scripts take no time that grows with their square', async () => {
      for (const part of ['<style>', '<script>', '<style><![CDATA[', '<?xml-stylesheet '])
        assert.is(
          (await pagesOf(part.repeat(200_000), '<body style="background:url(i/2.png)"/>')).length > 0,
          true,
          part,
        );
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-styles-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
