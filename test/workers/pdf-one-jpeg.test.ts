// Pages of PDF documents that are one JPEG: sent as it is only where nothing else would be seen, and then it looks like the page.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { PageEntry } from '../../core/model/jobs.js';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { FACTS, fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { drawPage } from '../../workers/formats/mupdf.js';
import { readImage } from '../../workers/formats/read-page.js';
import { hasCommand } from '../commands.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from './analysed.js';
import { FONT, PLACED, TYPE_3, WITH_HIDDEN_TEXT, WITH_VISIBLE_TEXT } from './pdf-texts.js';

let folder = '';
let jpeg: Buffer = Buffer.alloc(0);
const SIDE = { width: 60, height: 80 };

interface Variant {
  /** Entries of the image. */
  readonly image?: string;
  readonly space?: string;
  readonly content?: string;
  readonly page?: string;
  readonly resources?: string;
  readonly catalog?: string;
  readonly bytes?: Buffer;
  /** The sixth object. */
  readonly other?: Buffer | string;
}

const stream = (entries: string, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`<<${entries}/Length ${bytes.length}>>stream\n`), bytes, Buffer.from('\nendstream')]);

const documentOf = (variant: Variant): Buffer => {
  const { image = '', space = '/DeviceRGB', content = PLACED, page = '', resources = '', catalog = '' } = variant;
  const pixels = `/Type/XObject/Subtype/Image/Width 60/Height 80/BitsPerComponent 8/Filter/DCTDecode/ColorSpace ${space}${image}`;
  const objects: (Buffer | string)[] = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 80]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>${resources}>>${page}>>`,
    stream('', Buffer.from(content)),
    stream(pixels, variant.bytes ?? jpeg),
    variant.other ?? '<</Type/OCG/Name(Layer)>>',
  ];
  const parts = objects.map((one, at) =>
    Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(one), Buffer.from('\nendobj\n')]),
  );
  const head = Buffer.from('%PDF-1.7\n');
  let at = head.length;
  const offsets = parts.map((part) => {
    at += part.length;
    return `${String(at - part.length).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 7\n0000000000 65535 f \n${offsets.join('')}trailer\n<</Size 7/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`;
  return Buffer.concat([head, ...parts, Buffer.from(table)]);
};

const entriesOf = async (path: string): Promise<PageEntry[]> => {
  const { pageTable } = await analysed(path);
  if (pageTable === null) return [];
  const table = new PageTable(pageTable);
  return Array.from({ length: table.pageCount }, (_, at) => table.entry(at)).filter((one) => one !== undefined);
};

const isSent = ({ method }: PageEntry): boolean => method === METHOD.raw || method === METHOD.pdfImage;

const HIDDEN = '/OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>';
/** A profile of three colours with the given red and curve. */
const profile = (red: number, gamma: number): Buffer => {
  const xyz = (...values: readonly number[]): Buffer => {
    const out = Buffer.alloc(20);
    out.write('XYZ ', 'latin1');
    for (const [axis, value] of values.entries()) out.writeInt32BE(Math.round(value * 65536), 8 + axis * 4);
    return out;
  };
  const curve = Buffer.alloc(16);
  curve.write('curv', 'latin1');
  curve.writeUInt32BE(1, 8);
  curve.writeUInt16BE(Math.round(gamma * 256), 12);
  const white = xyz(0.9642, 1, 0.8249);
  const [r, g, b] = [xyz(red, 0.2225, 0.0139), xyz(0.3851, 0.7169, 0.0971), xyz(0.1431, 0.0606, 0.7141)];
  const tags = [
    ...[
      ['wtpt', white],
      ['rXYZ', r],
      ['gXYZ', g],
      ['bXYZ', b],
      ['rTRC', curve],
      ['gTRC', curve],
      ['bTRC', curve],
    ],
  ] as [string, Buffer][];
  const head = Buffer.alloc(128 + 4 + tags.length * 12);
  head.write('\x02\x10\0\0mntrRGB XYZ ', 8, 'latin1');
  head.write('acsp', 36, 'latin1');
  head.writeUInt32BE(tags.length, 128);
  let at = head.length;
  for (const [index, [tag, value]] of tags.entries()) {
    head.write(tag, 132 + index * 12, 'latin1');
    head.writeUInt32BE(at, 136 + index * 12);
    head.writeUInt32BE(value.length, 140 + index * 12);
    at += value.length;
  }
  head.writeUInt32BE(at, 0);
  return Buffer.concat([head, ...tags.map(([, value]) => value)]);
};

const withProfile = (icc: Buffer): Buffer => {
  const content = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), icc]);
  const head = Buffer.from([0xff, 0xe2, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
};

const ICC = '[/ICCBased 6 0 R]';

const withText = (content: string): Variant => ({ content, resources: FONT });

/** The variants that have to be drawn. */
const drawn = (): readonly (readonly [string, Variant])[] => [
  ['a layer of the image', { image: '/OC 6 0 R', catalog: HIDDEN }],
  ['a visible layer of the image', { image: '/OC 6 0 R' }],
  [
    'a hidden layer around it',
    { content: `/OC /L BDC ${PLACED} EMC`, resources: '/Properties<</L 6 0 R>>', catalog: HIDDEN },
  ],
  [
    'layers that depend on others around it',
    {
      content: `q /OC /L BDC 60 0 0 80 0 0 cm /I Do EMC Q`,
      resources: '/Properties<</L<</Type/OCMD/OCGs[6 0 R]/P/AllOff>>>>',
    },
  ],
  ['another colour transform', { image: '/DecodeParms<</ColorTransform 0>>' }],
  ['another colour transform in a list', { image: '/DecodeParms[<</ColorTransform 0>>]' }],
  ['inverted samples', { image: '/Decode[1 0 1 0 1 0]' }],
  ['inverted samples by the short name', { image: '/D[1 0 1 0 1 0]' }],
  ['a colour key', { image: '/Mask[0 10 0 10 0 10]' }],
  [
    'a soft mask',
    {
      image: '/SMask 6 0 R',
      other: stream('/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray', Buffer.from([9])),
    },
  ],
  ['calibrated colours', { space: '[/CalRGB<</WhitePoint[0.95 1 1.09]/Gamma[1 1 1]>>]' }],
  ['Lab', { space: '[/Lab<</WhitePoint[0.95 1 1.09]>>]' }],
  ['a profile with another red', { space: ICC, other: stream('/N 3', profile(0.6097, 2.2)) }],
  ['a profile with a straight curve', { space: ICC, other: stream('/N 3', profile(0.436, 1)) }],
  ['a profile that is none', { space: ICC, other: stream('/N 3', Buffer.from('none')) }],
  ['a JPEG whose own profile has another red', { bytes: withProfile(profile(0.6097, 2.2)) }],
  ['a default colour space', { resources: '/ColorSpace<</DefaultRGB[/CalRGB<</WhitePoint[0.95 1 1.09]>>]>>' }],
  ['a graphics state', { content: `/G gs ${PLACED}`, resources: '/ExtGState<</G<</ca 0.5>>>>' }],
  ['a clipping path', { content: `0 0 30 40 re W n ${PLACED}` }],
  ['a rotated page', { page: '/Rotate 90' }],
  ['a crop box', { page: '/CropBox[0 0 30 40]' }],
  [
    'a crop box that reaches beyond the page',
    { page: '/CropBox[-60 -80 60 80]', content: 'q 120 0 0 160 -60 -80 cm /I Do Q' },
  ],
  ['an annotation', { page: '/Annots[<</Type/Annot/Subtype/Square/Rect[0 0 30 30]/C[1 0 0]>>]' }],
  ['an image placed twice', { content: `${PLACED} ${PLACED}` }],
  ...WITH_VISIBLE_TEXT.map((content) => [content, withText(content)] as const),
  [
    'text of a font whose glyphs are drawings',
    {
      content: `${PLACED} BT 3 Tr /F 50 Tf 0 0 Td (a) Tj ET`,
      resources: TYPE_3,
      other: stream('', Buffer.from('1 0 d0 0 0 1 1 re f')),
    },
  ],
  ['a mirrored image', { content: 'q -60 0 0 80 60 0 cm /I Do Q' }],
];

const sent = (): readonly (readonly [string, Variant])[] => [
  ['nothing else', {}],
  ['marked content that is no layer', { content: `/Artifact <</Type/Pagination>> BDC ${PLACED} EMC` }],
  ['the profile of sRGB', { space: ICC, other: stream('/N 3', profile(0.436, 2.2)) }],
  ['a JPEG with the profile of sRGB', { bytes: withProfile(profile(0.436, 2.2)) }],
  ...WITH_HIDDEN_TEXT.map((content) => [content.slice(0, 200), withText(content)] as const),
  ['units of another size', { page: '/UserUnit 2' }],
  ['a crop box beyond the page on all sides', { page: '/CropBox[-10 -10 70 90]' }],
];

/** The mean difference of channels between a page that is sent and the same page drawn by others. */
const difference = async (path: string, number: number, bytes: Uint8Array): Promise<number> => {
  const at = String(number);
  const args = ['-f', at, '-l', at, '-cropbox', '-scale-to', '400', '-png', path];
  const { stdout } = spawnSync('pdftoppm', args, { maxBuffer: 64 * 1024 * 1024, timeout: 20_000 });
  const small = (image: Uint8Array): Promise<Buffer> =>
    sharp(image).toColourspace('srgb').removeAlpha().resize(32, 32, { fit: 'fill' }).raw().toBuffer();
  const [ours, theirs] = [await small(bytes), await small(stdout)];
  assert.is(ours.length, theirs.length);
  return ours.reduce((sum, value, index) => sum + Math.abs(value - (theirs[index] ?? 0)), 0) / ours.length;
};

const isThere = hasCommand('pdftoppm', '-v');

const sameAsDrawn = async (path: string): Promise<number> => {
  let count = 0;
  for (const [at, entry] of (await entriesOf(path)).entries()) {
    // A page of a few pixels is enlarged here, and each renderer does that in its own way.
    if (entry.fault !== 0 || !isSent(entry) || entry.width < 32) continue;
    const file = openBookFile(path);
    try {
      const bytes = await readImage(file, entry, { limits: LIMITS, check: () => undefined });
      const by = await difference(path, at + 1, bytes);
      assert.ok(by < 6, `page ${at + 1} of ${path} differs by ${by}`);
    } finally {
      file.close();
    }
    count += 1;
  }
  return count;
};

const pathOf = (variant: Variant): string => {
  const path = join(folder, 'book.pdf');
  writeFileSync(path, documentOf(variant));
  return path;
};

const pixelsOf = (name: string): Uint8Array => {
  const file = openBookFile(fixture(`cases/${name}`));
  try {
    return drawPage(file, 0, SIDE).bytes;
  } finally {
    file.close();
  }
};

block(
  'PDF pages that are one JPEG',
  (check) => {
    check('are drawn when something else would be seen', async () => {
      for (const [fact, variant] of drawn()) {
        const [entry] = await entriesOf(pathOf(variant));
        assert.is(entry?.method, METHOD.pdf, fact);
      }
    });
    check('are sent as they are otherwise, and look like the page', async () => {
      for (const [fact, variant] of sent()) {
        const path = pathOf(variant);
        const [entry] = await entriesOf(path);
        assert.is(entry?.method, METHOD.raw, fact);
        if (isThere) await sameAsDrawn(path);
      }
    });
    check('a scanned page with recognised text is sent as its JPEG', async () => {
      const path = fixture('cases/pdf-jpeg-with-hidden-text.pdf');
      const [entry] = await entriesOf(path);
      assert.equal([entry?.method, entry?.width, entry?.height, entry?.size], [METHOD.raw, 201, 300, 1868]);
      if (isThere) assert.is(await sameAsDrawn(path), 1);
    });
    check('a page whose image is in a hidden layer is white', () => {
      assert.ok(pixelsOf('pdf-hidden-layer-image.pdf').every((value) => value === 255));
    });
    check('a JPEG that the document says is RGB is shown in its colours', () => {
      const [red = 0, green = 0, blue = 0] = pixelsOf('pdf-jpeg-color-transform-0.pdf').slice(0, 3);
      assert.ok(
        Math.abs(red - 200) < 12 && Math.abs(green - 60) < 12 && Math.abs(blue - 60) < 12,
        `${red} ${green} ${blue}`,
      );
    });
    for (const name of ['pdf-hidden-layer-image.pdf', 'pdf-jpeg-color-transform-0.pdf'])
      check(`${name} is drawn`, async () => {
        const [entry] = await entriesOf(fixture(`cases/${name}`));
        assert.is(entry?.method, METHOD.pdf);
      });
    if (!isThere) check.skip('compared with another renderer', 'it needs pdftoppm (Debian package poppler-utils)');
    else
      check('of other projects look like the page', async () => {
        let count = 0;
        for (const { path } of FACTS) if (path?.endsWith('.pdf') === true) count += await sameAsDrawn(path);
        assert.ok(count > 0);
      });
  },
  {
    deadlineS: 60,
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-jpeg-'));
      const pixels = Buffer.from(Array.from({ length: 60 * 80 * 3 }, (_, at) => ((at * 7) % 256) & 0xf0));
      jpeg = await sharp(pixels, { raw: { ...SIDE, channels: 3 } })
        .blur(3)
        .jpeg({ quality: 90 })
        .toBuffer();
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
