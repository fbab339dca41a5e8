// Layers of PDF documents that are visible depending on others: each policy and expression, wherever the page refers to it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readPdfPage } from '../../workers/formats/pdf-page.js';
import { assert, block } from '../kit.js';

let folder = '';
let count = 0;

interface Parts {
  /** Of the fourth object, on which the visibility depends. */
  readonly membership: string;
  /** The setting of layers: 5 is on and 6 is off. */
  readonly setting?: string;
  readonly page?: string;
  readonly content?: string;
  readonly resources?: string;
  /** The eighth object. */
  readonly form?: string;
}

const BLACK = '0 0 60 80 re f';
const stream = (entries: string, content: string): string =>
  `<<${entries}/Length ${content.length}>>stream\n${content}\nendstream`;
const formOf = (entries: string, content = BLACK): string =>
  stream(`/Type/XObject/Subtype/Form/BBox[0 0 60 80]${entries}`, content);

const documentOf = ({ membership, setting = '/OFF[6 0 R]', page = '', form = 'null', ...parts }: Parts): string => {
  const { content = `/OC /L BDC ${BLACK} EMC`, resources = '/Properties<</L 4 0 R>>' } = parts;
  const objects = [
    `<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[5 0 R 6 0 R]/D<<${setting}>>>>>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 80]/Contents 7 0 R/Resources<<${resources}>>${page}>>`,
    membership,
    '<</Type/OCG/Name(One)>>',
    '<</Type/OCG/Name(Other)>>',
    stream('', content),
    form,
  ];
  let text = '%PDF-1.7\n';
  const rows = objects.map((object, at) => {
    const row = `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const table = `xref\n0 ${rows.length + 1}\n0000000000 65535 f \n${rows.join('')}`;
  return `${text}${table}trailer\n<</Size ${rows.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`;
};

const shown = (path: string): string => {
  const file = openBookFile(path);
  const source = readPdfPage(file, 0, { width: 30, height: 40 });
  file.close();
  if (source.kind !== 'pixels') return source.kind;
  return source.bytes.every((value) => value === 255) ? 'hidden' : 'shown';
};

const seen = (parts: Parts): string => {
  count += 1;
  const path = join(folder, `${count}.pdf`);
  writeFileSync(path, documentOf(parts));
  return shown(path);
};

/** What comes after the type of the membership, and whether its content is shown: 5 is on, 6 is off. */
const MEMBERSHIPS: readonly (readonly [string, string])[] = [
  ['/OCGs 5 0 R', 'shown'],
  ['/OCGs 6 0 R', 'hidden'],
  ['/OCGs[5 0 R 6 0 R]', 'shown'],
  ['/OCGs[5 0 R 6 0 R]/P/AnyOn', 'shown'],
  ['/OCGs[6 0 R]/P/AnyOn', 'hidden'],
  ['/OCGs[5 0 R]/P/AllOn', 'shown'],
  ['/OCGs[6 0 R]/P/AllOn', 'hidden'],
  ['/OCGs[5 0 R 6 0 R]/P/AllOn', 'hidden'],
  ['/OCGs[6 0 R 5 0 R]/P/AllOn', 'hidden'],
  ['/OCGs 6 0 R/P/AllOn', 'hidden'],
  ['/OCGs[6 0 R]/P/AnyOff', 'shown'],
  ['/OCGs[5 0 R 6 0 R]/P/AnyOff', 'shown'],
  ['/OCGs[5 0 R]/P/AnyOff', 'hidden'],
  ['/OCGs 6 0 R/P/AnyOff', 'shown'],
  ['/OCGs[6 0 R]/P/AllOff', 'shown'],
  ['/OCGs[5 0 R 6 0 R]/P/AllOff', 'hidden'],
  ['/OCGs 5 0 R/P/AllOff', 'hidden'],
  ['/OCGs[null 99 0 R]/P/AllOn', 'shown'],
  ['', 'shown'],
  ['/VE[/Not 5 0 R]', 'hidden'],
  ['/VE[/Not 6 0 R]', 'shown'],
  ['/VE[/And 5 0 R 6 0 R]', 'hidden'],
  ['/VE[/And 5 0 R[/Not 6 0 R]]', 'shown'],
  ['/VE[/Or 6 0 R[/And 6 0 R 5 0 R]]', 'hidden'],
  ['/VE[/Or 6 0 R 5 0 R]', 'shown'],
  ['/OCGs 5 0 R/P/AllOn/VE[/Not 5 0 R]', 'hidden'],
  ['/OCGs 6 0 R/VE[/Perhaps 5 0 R]', 'hidden'],
  ['/OCGs 6 0 R/VE[]', 'hidden'],
];

const MEMBER = '<</Type/OCMD/OCGs[6 0 R]/P/AllOn>>';
const INVOKED = '/F Do';

/** Where a page may refer to a membership that is hidden. */
const PLACES: readonly (readonly [string, Omit<Parts, 'membership'>])[] = [
  ['its content, by a dictionary of its own', { resources: `/Properties<</L ${MEMBER}>>` }],
  ['a form', { content: INVOKED, resources: '/XObject<</F 8 0 R>>', form: formOf('/OC 4 0 R') }],
  [
    'the content of a form',
    {
      content: INVOKED,
      resources: '/XObject<</F 8 0 R>>',
      form: formOf('/Resources<</Properties<</M 4 0 R>>>>', `/OC /M BDC ${BLACK} EMC`),
    },
  ],
  [
    'an annotation',
    {
      content: 'n',
      page: '/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 60 80]/F 4/OC 4 0 R/AP<</N 8 0 R>>>>]',
      form: formOf(''),
    },
  ],
  [
    'the appearance of an annotation',
    {
      content: 'n',
      page: '/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 60 80]/F 4/AP<</N 8 0 R>>>>]',
      form: formOf('/Resources<</Properties<</M 4 0 R>>>>', `/OC /M BDC ${BLACK} EMC`),
    },
  ],
];

/** The form that an annotation looks like is in a layer: 5 is on and 6 is off. */
const APPEARANCES: readonly (readonly [string, string, string, string])[] = [
  ['a layer', '/AP<</N 8 0 R>>', '/OC 6 0 R', 'hidden'],
  ['a layer that is on', '/AP<</N 8 0 R>>', '/OC 5 0 R', 'shown'],
  ['a membership', '/AP<</N 8 0 R>>', '/OC<</Type/OCMD/OCGs[5 0 R 6 0 R]/P/AllOn>>', 'hidden'],
  ['an expression', '/AP<</N 8 0 R>>', '/OC<</Type/OCMD/VE[/Not 6 0 R]>>', 'shown'],
  ['a layer, for its state', '/AS/On/AP<</N<</On 8 0 R>>>>', '/OC 6 0 R', 'hidden'],
  ['a layer that is on, in one that is off', '/OC 6 0 R/AP<</N 8 0 R>>', '/OC 5 0 R', 'hidden'],
  ['a layer that is off, in one that is on', '/OC 5 0 R/AP<</N 8 0 R>>', '/OC 6 0 R', 'hidden'],
  ['no layer', '/AP<</N 8 0 R>>', '', 'shown'],
  ['a damaged layer', '/AP<</N 8 0 R>>', '/OC(6)', 'shown'],
];

block(
  'layers of PDF documents that depend on others',
  (check) => {
    for (const [entries, expected] of MEMBERSHIPS)
      check(`${entries === '' ? 'none' : entries}: ${expected}`, () => {
        assert.is(seen({ membership: `<</Type/OCMD${entries}>>` }), expected);
      });
    check('layers are off unless they are listed where the document says so', () => {
      const setting = '/BaseState/OFF/ON[5 0 R]';
      assert.is(seen({ setting, membership: '<</Type/OCMD/OCGs[5 0 R]/P/AllOff>>' }), 'hidden');
      assert.is(seen({ setting, membership: '<</Type/OCMD/OCGs[6 0 R]/P/AllOff>>' }), 'shown');
    });
    for (const [place, parts] of PLACES)
      check(`of ${place}`, () => {
        assert.is(seen({ ...parts, membership: MEMBER }), 'hidden');
        if (parts.resources?.includes('OCMD') !== true)
          assert.is(seen({ ...parts, membership: '<</Type/OCMD/OCGs[6 0 R]/P/AllOff>>' }), 'shown');
      });
    for (const [name, entries, form, expected] of APPEARANCES)
      check(`an annotation whose form is in ${name}: ${expected}`, () => {
        const page = `/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 60 80]/F 4${entries}>>]`;
        assert.is(seen({ content: 'n', membership: 'null', page, form: formOf(form) }), expected);
      });
    check('annotations that share a form in a layer are all hidden', () => {
      const one = '<</Type/Annot/Subtype/Stamp/Rect[0 0 60 80]/F 4/AP<</N 8 0 R>>>>';
      assert.is(
        seen({ content: 'n', membership: 'null', page: `/Annots[${one}${one}]`, form: formOf('/OC 6 0 R') }),
        'hidden',
      );
    });
    check('forms that contain each other and endless expressions do not stop the page', () => {
      const form = formOf('/OC 4 0 R/Resources<</XObject<</F 8 0 R>>>>', `${BLACK} /F Do`);
      const parts = { content: INVOKED, resources: '/XObject<</F 8 0 R>>', form };
      assert.is(seen({ ...parts, membership: '<</Type/OCMD/OCGs 6 0 R/VE[/Not 4 0 R]>>' }), 'hidden');
      assert.is(seen({ membership: '[/Not 4 0 R]' }), 'shown');
    });
    for (const name of ['pdf-layers-qpdf-objstm-all-on', 'pdf-layers-qpdf-aes256-any-off'])
      check(`${name}: written by another program`, () => {
        assert.is(shown(fixture(`cases/${name}.pdf`)), name.endsWith('any-off') ? 'shown' : 'hidden');
      });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-layers-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
