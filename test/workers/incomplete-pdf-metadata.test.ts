// Metadata packets of PDF documents that are cut off or damaged: what can be read is used, and the book has a remark.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { readPdfInfo } from '../../workers/metadata/pdf.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const XMP = `<?xpacket begin="" id="W5M0"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r">
<rdf:Description rdf:about="" xmlns:dc="d"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Title</rdf:li></rdf:Alt></dc:title>
<dc:publisher><rdf:Bag><rdf:li>House</rdf:li></rdf:Bag></dc:publisher></rdf:Description></rdf:RDF></x:xmpmeta>
${' '.repeat(200)}<?xpacket end="w"?>`;
const HALF = XMP.slice(0, XMP.indexOf('<dc:publisher>'));
const REMARK =
  'Some of its metadata is cut off, damaged or encrypted, so only the readable part is used: “XMP”. Save it again with the program that wrote it.';

let folder = '';

const documentOf = (packet: Buffer, entries: string): Buffer => {
  const objects = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>'),
    Buffer.from('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    Buffer.from('<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 80]>>'),
    Buffer.concat([
      Buffer.from(`<</Type/Metadata/Subtype/XML${entries}/Length ${packet.length}>>stream\n`),
      packet,
      Buffer.from('\nendstream'),
    ]),
  ];
  const parts = [Buffer.from('%PDF-1.7\n')];
  const rows: string[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    rows.push(`${String(length).padStart(10, '0')} 00000 n \n`);
    const whole = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(whole);
    length += whole.length;
  }
  const size = rows.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
  return Buffer.concat([
    ...parts,
    Buffer.from(`${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF`),
  ]);
};

/** The title, and the remarks about metadata. */
const foundIn = async (packet: Buffer, entries = ''): Promise<readonly [string | null, readonly string[]]> => {
  const path = join(folder, 'book.pdf');
  writeFileSync(path, documentOf(packet, entries));
  const { metadata, notes, fault } = await analysed(path);
  assert.is(fault, null);
  const remarks = notes.filter(({ type }) => type === 'metadata').map(({ message }) => message);
  return [metadata?.book.title ?? null, remarks];
};

block(
  'incomplete metadata packets of PDF documents',
  (check) => {
    check('a packet that is cut off anywhere says so, and nothing is made up', () => {
      const start = XMP.indexOf('<x:');
      for (let end = start + '<x:xmpmeta'.length; end < XMP.indexOf('</x:xmpmeta>') + 12; end += 1) {
        const found = readPdfInfo({ title: 'Own' }, Buffer.from(XMP.slice(0, end)));
        assert.equal(found?.unknown?.incomplete, ['XMP'], String(end));
        assert.is(found?.book.title, 'Own');
        assert.ok([null, 'House'].includes(found?.book.publisher ?? null), String(end));
      }
    });
    check('whole packets have no remark, whatever is around the document', () => {
      const body = XMP.slice(XMP.indexOf('<x:'), XMP.indexOf('</x:xmpmeta>') + 12);
      for (const packet of [XMP, body, `\ufeff${body}`, `${body}\0\0`, `\n${body}<!-- padding -->`])
        assert.is(readPdfInfo({}, Buffer.from(packet))?.unknown?.incomplete.length ?? 0, 0, packet.slice(0, 20));
    });
    check('in a document: whole, cut off, in other encodings', async () => {
      assert.equal(await foundIn(Buffer.from(XMP)), ['Title', []]);
      assert.equal(await foundIn(Buffer.from(HALF)), ['Title', [REMARK]]);
      assert.equal(await foundIn(Buffer.from(`\ufeff${HALF}`, 'utf16le')), ['Title', [REMARK]]);
      assert.equal(await foundIn(Buffer.alloc(0)), [null, []]);
      assert.equal(await foundIn(Buffer.from('x\u00e9<\u00fe><a \u00ff', 'latin1')), [null, []]);
    });
    check('compressed: whole, with a cut off document in it, cut off itself, and damaged', async () => {
      const flate = '/Filter/FlateDecode';
      assert.equal(await foundIn(deflateSync(XMP), flate), ['Title', []]);
      assert.equal(await foundIn(deflateSync(HALF), flate), ['Title', [REMARK]]);
      const packed = deflateSync(XMP, { level: 0 });
      assert.equal(await foundIn(packed.subarray(0, HALF.length + 7), flate), ['Title', [REMARK]]);
      assert.equal(await foundIn(Buffer.alloc(200, 0xff), flate), [null, [REMARK]]);
      const noHeader = Buffer.concat([Buffer.from('xx'), deflateRawSync(XMP)]);
      assert.equal(await foundIn(noHeader, flate), ['Title', []]);
    });
    check('a packet that is too large is not called damaged', async () => {
      const large = Buffer.from(XMP.replace(' '.repeat(200), ' '.repeat(2_000_000)));
      assert.equal(await foundIn(deflateSync(large), '/Filter/FlateDecode'), [null, []]);
      assert.equal(await foundIn(large), [null, []]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-packets-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
