// Changes of structure reach what they are meant for: every kind of file has its parts, and a change is repeatable and believed by readers.
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { restructured, structureOf } from './structure.js';

/** A file of each kind, and kinds of parts that it must have. */
const KINDS: readonly (readonly [file: string, ...kinds: string[]])[] = [
  ['books/names-unicode-extra.cbz', 'number', 'text', 'part', 'data'],
  ['books/rar4-stored.cbr', 'number', 'text', 'part', 'data'],
  ['books/rar5-unicode.cbr', 'number', 'text', 'part', 'data'],
  ['cases/pdf-jpeg-color-transform-0.pdf', 'number', 'text', 'part', 'data'],
  ['metadata/opf-calibre.opf', 'number', 'text', 'part'],
  ['images/png-palette-alpha.png', 'number', 'part', 'data'],
  ['images/jpeg-baseline.jpg', 'number', 'part', 'data'],
  ['images/gif-static.gif', 'number', 'part', 'data'],
  ['images/webp-lossy.webp', 'number', 'part', 'data'],
  ['images/avif.avif', 'number', 'part', 'data'],
  ['images/jp2.jp2', 'number', 'part', 'data'],
  ['images/tiff-multipage.tiff', 'number', 'part', 'data'],
  ['images/bmp-24.bmp', 'number', 'data'],
  ['images/jxl.jxl', 'number'],
];

const change = (span: number) => ({ is: 'structure' as const, span, other: span, how: span % 12, value: span * 7919 });

block('parts of files that fuzzing changes', (check) => {
  for (const [file, ...kinds] of KINDS)
    check(`${file} has ${kinds.join(', ')}`, () => {
      const bytes = readFileSync(fixture(file));
      const spans = structureOf(bytes).spans(bytes);
      const found = new Set<string>(spans.map(({ is }) => is));
      for (const kind of kinds) assert.ok(found.has(kind), kind);
      assert.ok(spans.every(({ from, to }) => from < to && to <= bytes.length));
      const differing = Array.from({ length: 50 }, (_, span) => restructured(bytes, change(span)));
      assert.ok(differing.filter((one) => !one.equals(bytes)).length > 25, 'most changes change something');
      assert.ok(differing.every((one, span) => one.equals(restructured(bytes, change(span)))));
    });
  check('a file that ends within its head has parts too', () => {
    for (const [file] of KINDS) {
      const bytes = readFileSync(fixture(file));
      for (let length = 0; length < 80; length += 1) {
        const short = bytes.subarray(0, length);
        const spans = structureOf(short).spans(short);
        assert.ok(
          spans.every(({ from, to }) => from < to && to <= length),
          `${length} bytes of ${file}`,
        );
        for (let span = 0; span < 24; span += 1) restructured(short, change(span));
      }
    }
  });
  check('the checksum of a changed chunk of a PNG fits, so that the chunk is read', () => {
    const bytes = readFileSync(fixture('images/png-palette-alpha.png'));
    for (let span = 0; span < 50; span += 1) {
      const out = restructured(bytes, change(span));
      const end = 16 + out.readUInt32BE(8);
      if (end + 4 <= out.length) assert.is(out.readUInt32BE(end), crc32(out.subarray(12, end)));
    }
  });
});
