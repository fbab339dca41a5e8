// Streams of PDF documents: their limits hold for what they unpack to, and what is within them is read whatever the filter.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { openBookFile } from '../../workers/book-file.js';
import { keptPdf } from '../../workers/formats/mupdf.js';
import { contentOfStream } from '../../workers/formats/pdf-stream.js';
import { modulesBytes } from '../../workers/heaps.js';
import { assert, block } from '../kit.js';

const MB = 1024 * 1024;
const MAX_BYTES = MB;

let folder = '';
let books = 0;

/** A document of one page and one stream, which is its metadata. */
const pdfOf = (filter: string, stored: Uint8Array): Buffer => {
  const head = [
    '%PDF-1.5',
    '1 0 obj<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>endobj',
    '2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 90 90]>>endobj',
    `4 0 obj<</Type/Metadata ${filter}/Length ${stored.length}>>stream\n`,
  ].join('\n');
  return Buffer.concat([
    Buffer.from(head),
    stored,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R/Size 5>>\n%%EOF\n'),
  ]);
};

const contentOf = (filter: string, stored: Uint8Array): string | null => {
  books += 1;
  const path = join(folder, `${books}.pdf`);
  writeFileSync(path, pdfOf(filter, stored));
  const file = openBookFile(path);
  try {
    const stream = keptPdf(file).document.getTrailer().get('Root').get('Metadata');
    const bytes = contentOfStream(stream, MAX_BYTES);
    return bytes === null ? null : Buffer.from(bytes).toString('latin1');
  } finally {
    file.close();
  }
};

const TEXT = '<x:xmpmeta>0123456789</x:xmpmeta>';
const hex = (bytes: Uint8Array): Buffer => Buffer.from(`${Buffer.from(bytes).toString('hex')}>`);
const FLATE = '/Filter/FlateDecode';
const PACKED = deflateSync(TEXT);
/** Up by nothing: each row is the difference from the one above. */
const PREDICTED = deflateSync(Buffer.from(`\0${TEXT}`));

block(
  'streams of PDF documents',
  (check) => {
    const rows: readonly (readonly [fact: string, filter: string, stored: Uint8Array])[] = [
      ['one without a filter', '', Buffer.from(TEXT)],
      ['a deflated one', FLATE, PACKED],
      ['one whose filter is a list', '/Filter[/FlateDecode]', PACKED],
      ['one whose checksum is wrong', FLATE, Buffer.concat([PACKED.subarray(0, -4), Buffer.from('abcd')])],
      ['one that is cut off', FLATE, PACKED.subarray(0, -4)],
      ['one with a predictor', `${FLATE}/DecodeParms<</Predictor 12/Columns ${TEXT.length}>>`, PREDICTED],
      ['one in hexadecimal', '/Filter/ASCIIHexDecode', hex(Buffer.from(TEXT))],
      ['one deflated and in hexadecimal', '/Filter[/ASCIIHexDecode/FlateDecode]', hex(PACKED)],
      [
        'one of runs',
        '/Filter/RunLengthDecode',
        Buffer.from(`${String.fromCharCode(TEXT.length - 1)}${TEXT}\x80`, 'latin1'),
      ],
    ];
    for (const [fact, filter, stored] of rows)
      check(`${fact} is read`, () => assert.is(contentOf(filter, stored), TEXT));
    check('one of the most bytes allowed is read, one of a byte more is not', () => {
      assert.is(contentOf(FLATE, deflateSync(Buffer.alloc(MAX_BYTES)))?.length, MAX_BYTES);
      assert.is(contentOf(FLATE, deflateSync(Buffer.alloc(MAX_BYTES + 1))), null);
    });
    check('none that unpacks to far more is unpacked', () => {
      const large = deflateSync(Buffer.alloc(200 * MB));
      const before = modulesBytes();
      const bombs: readonly (readonly [filter: string, stored: Uint8Array])[] = [
        [FLATE, large],
        [`${FLATE}/DecodeParms<</Predictor 12/Columns 99>>`, large],
        ['/Filter[/FlateDecode/FlateDecode]', deflateSync(large)],
        ['/Filter[/ASCIIHexDecode/FlateDecode]', hex(large)],
        ['/F/FlateDecode', large],
      ];
      for (const [filter, stored] of bombs) {
        const content = contentOf(filter, stored);
        assert.ok(content === null || content.length <= MAX_BYTES, filter);
      }
      assert.ok(modulesBytes() - before < 32 * MB, `the reader took ${(modulesBytes() - before) / MB} MB`);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-streams-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
