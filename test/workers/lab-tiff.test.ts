// TIFF images in CIELAB: those that the decoder reads are pages, those that it refuses say so, and are not called damaged.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { renderSmall } from '../../workers/image-codec.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const REASON = 'The image is in 8-bit CIELAB colours, which Longbox cannot decode; convert it to RGB.';
const SIDE = 8;
const CIELAB = 8;
const RGB = 2;
let folder = '';

interface Kind {
  readonly photometric: number;
  readonly bits: number;
  readonly isBig?: boolean;
}

/** Uncompressed, in one strip of one value, with its directory at the end. */
const tiffOf = ({ photometric, bits, isBig = false }: Kind): Buffer => {
  const short = (value: number): Buffer => {
    const bytes = Buffer.alloc(2);
    isBig ? bytes.writeUInt16BE(value) : bytes.writeUInt16LE(value);
    return bytes;
  };
  const long = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    isBig ? bytes.writeUInt32BE(value) : bytes.writeUInt32LE(value);
    return bytes;
  };
  const pixels = Buffer.alloc((SIDE * SIDE * 3 * bits) / 8, 0x40);
  const bitsAt = 8 + pixels.length;
  const tag = (id: number, type: number, count: number, value: number): Buffer =>
    Buffer.concat([
      short(id),
      short(type),
      long(count),
      type === 3 ? Buffer.concat([short(value), short(0)]) : long(value),
    ]);
  const tags = [
    tag(256, 3, 1, SIDE),
    tag(257, 3, 1, SIDE),
    Buffer.concat([short(258), short(3), long(3), long(bitsAt)]),
    tag(259, 3, 1, 1),
    tag(262, 3, 1, photometric),
    tag(273, 4, 1, 8),
    tag(277, 3, 1, 3),
    tag(278, 3, 1, SIDE),
    tag(279, 4, 1, pixels.length),
  ];
  const head = Buffer.concat([Buffer.from(isBig ? 'MM\0*' : 'II*\0', 'latin1'), long(bitsAt + 6)]);
  return Buffer.concat([head, pixels, short(bits), short(bits), short(bits), short(tags.length), ...tags, long(0)]);
};

block(
  'TIFF images in CIELAB',
  (check) => {
    for (const isBig of [false, true])
      check(`8 bits, ${isBig ? 'big' : 'little'} endian: a page with the reason, and a remark`, async () => {
        const bytes = tiffOf({ photometric: CIELAB, bits: 8, isBig });
        const path = join(folder, 'book.cbz');
        const files = [
          { name: '1.tif', bytes },
          { name: '2.png', bytes: IMAGE },
        ];
        writeFileSync(path, writeZip(files));
        const { pageTable, notes, fault } = await analysed(path);
        const table = new PageTable(pageTable ?? new Uint8Array());
        assert.equal([fault, table.names()], [null, ['1.tif', '2.png']]);
        assert.equal(
          [0, 1].map((at) => PAGE_FAULTS[table.entry(at)?.fault ?? -1]),
          [REASON, null],
        );
        assert.is(notes[0]?.message, `1 of 2 pages cannot be shown. Page 1: ${REASON}`);
        const limits = { pixels: 1_000_000, seconds: 60 };
        const refused = await renderSmall({ kind: 'image', bytes }, { width: SIDE, height: SIDE }, limits).catch(
          String,
        );
        assert.match(String(refused), /8-bit CIELAB colours/);
      });
    for (const kind of [
      { photometric: CIELAB, bits: 16 },
      { photometric: RGB, bits: 8 },
    ])
      check(`photometric ${kind.photometric} of ${kind.bits} bits is shown`, async () => {
        const path = join(folder, 'sound.cbz');
        writeFileSync(path, writeZip([{ name: '1.tif', bytes: tiffOf(kind) }]));
        const { fault, notes, cover } = await analysed(path);
        assert.equal([fault, notes, cover === null], [null, [], false]);
      });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-lab-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
