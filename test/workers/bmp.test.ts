// BMP pages with the header of OS/2 1.x, made for the purpose: their size is read right, so that they are shown and not refused as huge.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { PageTable } from '../../core/model/page-table.js';
import { renderPage } from '../../workers/image-codec.js';
import { sizeOfBytes } from '../../workers/image-head.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const HEADERS_BYTES = 26;

/** A grey picture; up to 8 bits a pixel it has a palette, three bytes a colour. */
const coreBmp = (width: number, height: number, bits: number): Buffer => {
  const paletteBytes = bits <= 8 ? 3 << bits : 0;
  const rowBytes = Math.ceil((width * bits) / 32) * 4;
  const start = HEADERS_BYTES + paletteBytes;
  const out = Buffer.alloc(start + rowBytes * height, 0x55);
  out.write('BM');
  out.writeUInt32LE(out.length, 2);
  out.writeUInt32LE(0, 6);
  out.writeUInt32LE(start, 10);
  out.writeUInt32LE(12, 14);
  for (const [index, field] of [width, height, 1, bits].entries()) out.writeUInt16LE(field, 18 + index * 2);
  return out;
};

block('BMP with the OS/2 header', (check) => {
  for (const bits of [1, 4, 8, 24])
    check(`${bits} bits per pixel: the size is that of the picture, and it is decoded`, async () => {
      const bytes = coreBmp(300, 200, bits);
      assert.equal(sizeOfBytes(bytes, 'bmp'), { media: 'bmp', width: 300, height: 200 });
      const shown = await renderPage({ kind: 'image', bytes }, { width: 150, height: null }, 'png', 80, {
        pixels: 60_000,
        seconds: 60,
      });
      assert.equal([shown.width, shown.height], [150, 100]);
    });
  check('a side of 65,535 is valid, and a truncated header is not', () => {
    const bytes = coreBmp(1, 1, 24);
    bytes.writeUInt16LE(0xffff, 20);
    assert.equal(sizeOfBytes(bytes, 'bmp'), { media: 'bmp', width: 1, height: 65_535 });
    assert.is(sizeOfBytes(bytes.subarray(0, 20), 'bmp'), undefined);
    bytes.writeUInt16LE(0, 18);
    assert.is(sizeOfBytes(bytes, 'bmp'), undefined);
  });
  check('a book of them has pages and a cover', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-bmp-'));
    try {
      const path = join(folder, 'book.cbz');
      writeFileSync(path, writeZip([{ name: '1.bmp', bytes: coreBmp(300, 200, 24) }]));
      const { pageTable, cover, fault } = await analysed(path);
      assert.ok(pageTable && cover !== null, fault?.message);
      const page = new PageTable(pageTable).entry(0);
      assert.equal([page?.width, page?.height, page?.fault], [300, 200, 0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
