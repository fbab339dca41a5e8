// PDF documents of one page that make the PDF reader allocate: by the numbers of an image, by packed streams, by what a page draws.
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { fixture } from '../../../fixtures/index.js';
import type { GreedyFile } from './greedy-file.js';
import { packedZeros } from './png.js';

const MB = 1_000_000;
const PAGE = 3;
const CONTENT = 4;
/** The number of the first object after the page and its content. */
const EXTRA = 5;

const stream = (dictionary: string, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`<<${dictionary}/Length ${bytes.length}>>stream\n`), bytes, Buffer.from('\nendstream')]);

/** Bytes that are stored packed. */
const packed = (dictionary: string, text: string, times = 1): Buffer => {
  const piece = Buffer.from(text, 'latin1');
  return stream(`${dictionary}/Filter/FlateDecode`, deflateSync(Buffer.alloc(piece.length * times, piece)));
};

const zeros = async (dictionary: string, bytes: number): Promise<Buffer> =>
  stream(`${dictionary}/Filter/FlateDecode`, await packedZeros(bytes));

/** Objects numbered from one on, with their table. The first is the catalog. */
const documentOf = (objects: readonly (string | Buffer)[]): Buffer => {
  const parts = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const whole = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    offsets.push(at);
    parts.push(whole);
    at += whole.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.concat([
    ...parts,
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`,
    ),
  ]);
};

interface Page {
  readonly content: Buffer;
  readonly resources?: string;
  readonly extra?: readonly Buffer[];
}

const pageOf = ({ content, resources = '', extra = [] }: Page): Buffer =>
  documentOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${PAGE} 0 R]/Count 1>>`,
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${CONTENT} 0 R/Resources<<${resources}>>>>`,
    content,
    ...extra,
  ]);

const drawn = (text: string, resources = '', extra: readonly Buffer[] = []): Buffer =>
  pageOf({ content: packed('', text), resources, extra });

const repeated = (text: string, times: number, end: string): Buffer =>
  pageOf({ content: packed('', `0 0 m ${text.repeat(times)}${end}`) });

/** A page that is one image. */
const pictureOf = (dictionary: string, bytes: Uint8Array, more: readonly Buffer[] = []): Buffer =>
  drawn('q 600 0 0 800 0 0 cm /I Do Q', `/XObject<</I ${EXTRA} 0 R>>`, [
    stream(`/Type/XObject/Subtype/Image${dictionary}`, bytes),
    ...more,
  ]);

const shape = (width: number, height: number, bits = 8, space = 'DeviceGray'): string =>
  `/Width ${width}/Height ${height}/BitsPerComponent ${bits}/ColorSpace/${space}`;

/** A page information segment (T.88, 7.4.8) is all there is. */
const jbig2 = (width: number, height: number): Buffer => {
  const segment = Buffer.from('0000000030000100000013'.padEnd(60, '0'), 'hex');
  segment.writeUInt32BE(width, 11);
  segment.writeUInt32BE(height, 15);
  return segment;
};

/** The header of a JPEG says another size. */
const largeJpeg = (side: number): Buffer => {
  const bytes = Buffer.from(readFileSync(fixture('images/jpeg-baseline.jpg')));
  const frame = bytes.indexOf(Buffer.from('ffc0', 'hex'));
  bytes.writeUInt16BE(side, frame + 5);
  bytes.writeUInt16BE(side, frame + 7);
  return bytes;
};

const masked = async (): Promise<Buffer> =>
  pictureOf(`${shape(100, 100)}/SMask ${EXTRA + 1} 0 R`, Buffer.alloc(10_000, 0x80), [
    await zeros(`/Type/XObject/Subtype/Image${shape(12_000, 12_500)}`, 40 * MB),
  ]);

/** Forms that each show the next one twice, as transparent groups or not. */
const nested = (depth: number, group: string): Buffer =>
  drawn(
    '/X Do',
    `/XObject<</X ${EXTRA} 0 R>>`,
    Array.from({ length: depth }, (_, at) =>
      stream(
        `/Type/XObject/Subtype/Form/BBox[0 0 600 800]${group}/Resources<</XObject<</X ${EXTRA + 1 + at} 0 R>>>>`,
        Buffer.from('/X Do /X Do'),
      ),
    ),
  );

const GROUP = '/Group<</S/Transparency/I true>>';

const letter = (text: string, times: number): Buffer =>
  drawn('BT /F 200 Tf 100 100 Td (aaaa) Tj ET', `/Font<</F ${EXTRA} 0 R>>`, [
    Buffer.from(
      `<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 97/LastChar 97/Widths[1000]` +
        `/Encoding<</Differences[97/a]>>/CharProcs<</a ${EXTRA + 1} 0 R>>/Resources<<>>>>`,
    ),
    packed('', `1000 0 d0 0 0 m ${text.repeat(times)} S`),
  ]);

const tiles = (step: number, text: string): Buffer =>
  drawn('/Pattern cs /P scn 0 0 600 800 re f', `/Pattern<</P ${EXTRA} 0 R>>`, [
    packed(
      `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 ${step} ${step}]/XStep ${step}/YStep ${step}/Resources<<>>`,
      text,
    ),
  ]);

const font = async (): Promise<Buffer> =>
  drawn('BT /F 20 Tf 100 100 Td (Hello) Tj ET', `/Font<</F ${EXTRA} 0 R>>`, [
    Buffer.from(
      `<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4/FontFile2 ${EXTRA + 1} 0 R>>>>`,
    ),
    await zeros('', 300 * MB),
  ]);

const profile = async (): Promise<Buffer> =>
  drawn('/C cs .5 .5 .5 sc 0 0 600 800 re f', `/ColorSpace<</C[/ICCBased ${EXTRA} 0 R]>>`, [
    await zeros('/N 3', 200 * MB),
  ]);

/** All objects are in a stream of zeros. */
const objectStream = async (): Promise<Buffer> => {
  const objects = await zeros('/Type/ObjStm/N 100000/First 800000', 200 * MB);
  return documentOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${PAGE} 0 R]/Count 1>>`,
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${CONTENT} 0 R>>`,
    objects,
  ]);
};

const tableOf = (entries: number): Buffer =>
  Buffer.from(
    drawn('')
      .toString('latin1')
      .replace('trailer', `${entries - 1} 1\n0000000009 00000 n \ntrailer`),
    'latin1',
  );

const mesh = (): Buffer =>
  drawn('/S sh', `/Shading<</S ${EXTRA} 0 R>>`, [
    packed(
      '/ShadingType 4/ColorSpace/DeviceRGB/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 600 0 800 0 1 0 1 0 1]',
      '\0\u0001\u0002\u0003\u0004\u0005',
      3 * MB,
    ),
  ]);

const pdf = (name: string, make: GreedyFile['make'], more: Partial<GreedyFile> = {}): GreedyFile => ({
  name: `pdf-${name}.pdf`,
  make,
  ...more,
});

export const GREEDY_PDFS: readonly GreedyFile[] = [
  pdf('jpx-54mp', () => readFileSync(fixture('cases/pdf-jpx-54mp.pdf')), { isShown: true }),
  pdf('curves', () => repeated('1 2 3 4 5 6 c\n', 2 * MB, 'S')),
  pdf(
    'lines',
    () => repeated(Array.from({ length: 1000 }, (_, at) => `${at % 600} ${(at * 7) % 800} l\n`).join(''), 2000, 'f'),
    {
      isSlow: true,
    },
  ),
  pdf('dashes', () => drawn('[.001 .001] 0 d 0 0 m 600 800 l S 0 0 m 600 400 300 800 0 800 c S')),
  pdf('wide-strokes', () => drawn(`1000000 w 1 j 1 J ${'0 0 m 600 800 l 5 5 l S\n'.repeat(1000)}`)),
  pdf('clips', () => drawn('q 0 0 600 800 re W n 1 1 598 798 re f\n'.repeat(200_000))),
  pdf('saves', () => pageOf({ content: packed('', 'q ', 3 * MB) })),
  pdf('arrays', () => pageOf({ content: packed('', '[', 2 * MB) })),
  pdf('forms', () => nested(40, ''), { isSlow: true }),
  pdf('groups', () => nested(55, GROUP), { isSlow: true }),
  pdf('type-3', () => letter('1 2 3 4 5 6 c\n', MB)),
  pdf('tile-20000', () => tiles(20_000, '1 0 0 rg 0 0 9000 9000 re f'), { isShown: true }),
  pdf('tiny-tiles', () => tiles(0.01, '1 0 0 rg 0 0 1 1 re f'), { isSlow: true }),
  pdf('mesh', mesh),
  pdf('flate-150mp', async () => pictureOf(`${shape(12_000, 12_500)}/Filter/FlateDecode`, await packedZeros(40 * MB))),
  pdf('flate-columns', async () =>
    pictureOf(
      `${shape(500 * MB, 1, 8, 'DeviceRGB')}/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns ${500 * MB}/Colors 4>>`,
      await packedZeros(40 * MB),
    ),
  ),
  pdf('soft-mask', masked),
  pdf('jbig2-600mp', () => pictureOf(`${shape(20_000, 30_000, 1)}/Filter/JBIG2Decode`, jbig2(20_000, 30_000))),
  pdf('jbig2-100mp', () => pictureOf(`${shape(10_000, 10_000, 1)}/Filter/JBIG2Decode`, jbig2(10_000, 10_000))),
  pdf('jbig2-60000', () => pictureOf(`${shape(60_000, 60_000, 1)}/Filter/JBIG2Decode`, jbig2(60_000, 60_000))),
  pdf('ccitt-columns', () =>
    pictureOf(
      `${shape(1000 * MB, 1, 1)}/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns ${1000 * MB}/Rows 1>>`,
      Buffer.alloc(100),
    ),
  ),
  pdf('dct-65000', () => pictureOf(`${shape(65_000, 65_000, 8, 'DeviceRGB')}/Filter/DCTDecode`, largeJpeg(65_000))),
  pdf('profile', profile),
  pdf('font', font),
  pdf('object-stream', objectStream),
  pdf('table', () => tableOf(8_388_608)),
];
