// Small files that make compiled code allocate by a number in them: one row each. Some are refused, some take nearly all that is allowed.
// ARCHITECTURE.md says what bounds each of these places.
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { writeZip } from '../../../bench/zip-writer.js';
import { fixture } from '../../../fixtures/index.js';
import type { GreedyFile } from './greedy-file.js';
import { GREEDY_PDFS } from './greedy-pdf.js';
import { GREEDY_RARS } from './greedy-rar.js';
import { bombProfile, bombTexts, png } from './png.js';
import { tiff } from './tiff.js';

/** A comic of one page. */
const comic = (page: string, make: () => Promise<Buffer> | Buffer, isSlow?: true): GreedyFile => ({
  name: `${page}.cbz`,
  make: async () => writeZip([{ name: page, bytes: await make() }]),
  ...(isSlow === undefined ? {} : { isSlow }),
});

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#345' }, limitInputPixels: false });

/** A screen of one pixel with a frame of 65,535 a side (GIF89a, 18 and 20). */
const largeFrame = (): Buffer =>
  Buffer.from('47494638396101000100800000000000ffffff2c00000000ffffffff0002024401003b', 'hex');

/** The header of a lossless WebP of 16,384 pixels a side, and hardly any data. */
const largeWebp = (): Buffer => {
  const data = Buffer.concat([Buffer.from('2fffffff0f', 'hex'), Buffer.alloc(59)]);
  const chunk = Buffer.concat([Buffer.from('VP8L'), Buffer.from([data.length, 0, 0, 0]), data]);
  return Buffer.concat([Buffer.from('RIFF'), Buffer.from([chunk.length + 4, 0, 0, 0]), Buffer.from('WEBP'), chunk]);
};

/** A fixture as it is, which has to be shown. */
const shown = (name: string): GreedyFile => ({
  ...comic(name, () => readFileSync(fixture(`${name.endsWith('.jxl') ? 'images' : 'cases/images'}/${name}`))),
  isShown: true,
});

const SIZ = Buffer.from('ff4fff51', 'hex');

/** A JPEG 2000 image whose codestream says another size than the box around it. */
const largeJp2 = (width: number, height: number, tile: number): Buffer => {
  const file = Buffer.from(readFileSync(fixture('images/jp2.jp2')));
  const at = file.indexOf(SIZ);
  for (const [offset, value] of [
    [8, width],
    [12, height],
    [24, tile],
    [28, tile],
  ] as const)
    file.writeUInt32BE(value, at + offset);
  return file;
};

export const GREEDY_FILES: readonly GreedyFile[] = [
  comic('png-67000000-wide.png', () => png({ width: 67_000_000, height: 4, depth: 1, colour: 0 })),
  comic('png-2000000-wide.png', () => png({ width: 2_000_000, height: 4 })),
  comic('png-1-wide.png', () => png({ width: 1, height: 50_000_000, colour: 0 })),
  comic('png-just-fits.png', () => png({ width: 46_000, height: 1000, colour: 2 })),
  comic('png-interlaced-just-fits.png', () => png({ width: 4500, height: 4500, depth: 16, isInterlaced: true })),
  comic('png-interlaced.png', () => png({ width: 9000, height: 9000, isInterlaced: true }), true),
  comic('png-texts.png', async () => png({ width: 90, height: 90, before: await bombTexts(500, 7_900_000, 'zTXt') })),
  comic('png-profile.png', async () => png({ width: 90, height: 90, before: [await bombProfile(300_000_000)] })),
  comic('tiff-2000000-wide.tif', () => tiff({ width: 2_000_000, height: 4 })),
  comic('tiff-just-fits.tif', () => tiff({ width: 5500, height: 5500, rowsPerStrip: 5500 })),
  comic('tiff-tiles.tif', () => tiff({ width: 1000, height: 1000, tile: [16_384, 4096] })),
  comic('tiff-samples.tif', () => tiff({ width: 1000, height: 1000, samples: 200, rowsPerStrip: 16 })),
  comic('gif-frame.gif', largeFrame),
  comic('webp-lossless.webp', largeWebp),
  comic('jp2-30000.jp2', () => largeJp2(30_000, 30_000, 30_000)),
  comic('jp2-tiles.jp2', () => largeJp2(3000, 3000, 12)),
  shown('jp2-35mp.j2k'),
  shown('jp2-24mp-deep.jp2'),
  shown('jxl.jxl'),
  comic('avif-just-fits.avif', () => plain(3100, 3100).avif({ effort: 0 }).toBuffer()),
  comic('avif-large.avif', () => plain(8000, 8000).avif({ effort: 0 }).toBuffer(), true),
  comic('webp-just-fits.webp', () => plain(5300, 5300).webp({ effort: 0 }).toBuffer()),
  comic('jpeg-passes.jpg', () => plain(5900, 5900).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer()),
  ...GREEDY_PDFS,
  ...GREEDY_RARS,
];
