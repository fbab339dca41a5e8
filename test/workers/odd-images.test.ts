// Images that decoders do not read as they are: cut off, made for another system, animated, or of a type that only some apps show.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { writeZip } from '../../bench/zip-writer.js';
import { DECODE_ROOM_BYTES } from '../../core/model/decode-budget.js';
import { AppError } from '../../core/model/errors.js';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { renderSmall } from '../../workers/image-codec.js';
import { imageMemory } from '../../workers/image-memory.js';
import { ADAM7 } from '../attack/files/png.js';
import { assert, block } from '../kit.js';
import { chunk } from '../png.js';
import { analysed } from './analysed.js';

const LIMITS = { pixels: 100_000_000, seconds: 60 };
const WIDTH = 37;
const HEIGHT = 64;
const BOX = { width: WIDTH, height: HEIGHT };

let folder = '';

const caseImage = (name: string): Buffer => readFileSync(fixture(`cases/images/${name}`));

/** The mean of the red, green and blue of one row of a page as it is shown. */
const rowOf = async (bytes: Uint8Array, share: number): Promise<number[]> => {
  const { bytes: data, width, height, channels } = await renderSmall({ kind: 'image', bytes }, BOX, LIMITS);
  const y = Math.min(height - 1, Math.floor(height * share));
  return [0, 1, 2].map((channel) => {
    let sum = 0;
    for (let x = 0; x < width; x += 1) sum += data[(y * width + x) * channels + channel] ?? 0;
    return Math.round(sum / width);
  });
};

const refusal = (bytes: Uint8Array): Promise<string> =>
  rowOf(bytes, 0).then(
    () => 'none',
    (thrown: unknown) => (thrown instanceof AppError ? thrown.kind : String(thrown)),
  );

interface Picture {
  readonly colour: number;
  readonly depth: number;
  readonly isInterlaced?: boolean;
}

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Noise in the middle of the range (of a palette, two dark colours), each row after the filter `row % 5` with all predictions at work. */
const noisePng = ({ colour, depth, isInterlaced = false }: Picture): Buffer => {
  const bits = (CHANNELS[colour] ?? 0) * depth;
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed >> 16;
  };
  const rows: Buffer[] = [];
  for (const [x, y, stepX, stepY] of isInterlaced ? ADAM7 : ([[0, 0, 1, 1]] as const)) {
    const columns = Math.ceil((WIDTH - x) / stepX);
    for (let row = 0; row < Math.ceil((HEIGHT - y) / stepY); row += 1) {
      const line = Buffer.alloc(1 + Math.ceil((columns * bits) / 8));
      line[0] = row % 5;
      for (let at = 1; at < line.length; at += 1) line[at] = colour === 3 ? 0 : random() & 0x3f;
      rows.push(line);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(WIDTH, 0);
  head.writeUInt32BE(HEIGHT, 4);
  head.set([depth, colour, 0, 0, isInterlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    ...(colour === 3 ? [chunk('PLTE', Buffer.from([90, 0, 0, 250, 250, 250]))] : []),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const book = async (images: readonly (readonly [string, Uint8Array])[]) => {
  const path = join(folder, 'book.cbz');
  writeFileSync(path, writeZip(images.map(([name, bytes]) => ({ name, bytes }))));
  const found = await analysed(path);
  const table = found.pageTable === null ? null : new PageTable(found.pageTable);
  const pages = images.map((_, index) => {
    const { width, height, fault } = table?.entry(index) ?? { width: 0, height: 0, fault: -1 };
    return `${width}x${height}/${fault}`;
  });
  return { ...found, pages };
};

block(
  'odd images',
  (check) => {
    check(
      'a small PNG that is cut off shows its upper part, its book has a cover, and a note names the page',
      async () => {
        const found = await analysed(fixture('cases/png-cut-small.cbz'));
        assert.match(JSON.stringify(found.notes), /images of these pages end too early.*missing: 1\./);
        assert.ok(found.cover !== null && found.cover.width > 0);
      },
    );
    for (const colour of [0, 2, 3, 4, 6])
      for (const depth of [8, ...(colour === 3 ? [1, 2, 4] : [16]), ...(colour === 0 ? [1, 2, 4] : [])])
        for (const isInterlaced of [false, true])
          check(
            `a cut PNG of colour type ${colour}, ${depth} bits${isInterlaced ? ', interlaced' : ''}: top as it was`,
            async () => {
              const whole = noisePng({ colour, depth, isInterlaced });
              const cut = whole.subarray(0, Math.floor(whole.length * (isInterlaced ? 0.9 : 0.5)));
              assert.equal(await rowOf(cut, 0), await rowOf(whole, 0));
              if (!isInterlaced) assert.ok((await rowOf(cut, 0.9)).every((light) => light > 240));
              else assert.equal(await rowOf(cut, 0.25), await rowOf(whole, 0.25));
            },
          );
    check(
      'cut in the first pass of an interlaced one, in its header, and with damage: no crash, and no black page',
      async () => {
        const whole = noisePng({ colour: 2, depth: 8, isInterlaced: true });
        assert.ok((await rowOf(whole.subarray(0, 100), 0.9)).every((light) => light > 240));
        for (const length of [20, 33, 40]) assert.is(await refusal(whole.subarray(0, length)), 'CorruptPage');
      },
    );
    check('a PNG optimised for iOS is shown in its colours', async () => {
      const [red = 0, green = 255] = await rowOf(caseImage('ios.png'), 0.5);
      assert.ok(red >= 198 && green === 0, `${red} ${green}`);
      const { pages } = await book([['1.png', caseImage('ios.png')]]);
      assert.equal(pages, ['80x120/0']);
    });
    check('animated AVIF, with and without opacity, is a page: its first frame is the cover', async () => {
      const found = await book([
        ['1.avif', caseImage('animated.avif')],
        ['2.avif', caseImage('animated-alpha.avif')],
      ]);
      assert.equal(found.pages, ['90x120/0', '64x96/0']);
      assert.equal([found.cover?.width, found.notes], [90, []]);
      const [red = 0, green = 0, blue = 0] = await rowOf(caseImage('animated.avif'), 0.5);
      assert.ok(red > 240 && green < 20 && blue < 20, 'the first frame is red');
    });
    check('JPEG XL: opacity, turned, animated, and in a container longer than what is read of it', async () => {
      const { pages } = await book([
        ['1.jxl', caseImage('alpha.jxl')],
        ['2.jxl', caseImage('turned.jxl')],
        ['3.jxl', caseImage('animated.jxl')],
        ['4.jxl', inBox(caseImage('plain.jxl'), 2_000_000)],
        ['5.jxl', inParts(caseImage('plain.jxl'))],
      ]);
      assert.equal(pages, ['30x44/0', '44x30/0', '20x20/0', '90x120/0', '90x120/0']);
    });
    check(
      'JPEG XL is decoded: upright, the first frame, on white where it is transparent; its book has a cover',
      async () => {
        const { cover } = await book([['1.jxl', caseImage('turned.jxl')]]);
        assert.equal([cover?.width, cover?.height], [44, 30]);
        const [red = 0, green = 0, blue = 0] = await rowOf(caseImage('animated.jxl'), 0.5);
        assert.ok(red > 200 && green < 60 && blue < 60, `the first frame is red: ${red} ${green} ${blue}`);
        const top = await rowOf(caseImage('alpha.jxl'), 0);
        assert.ok((top[0] ?? 0) > 200, `${top}`);
        const inBoxes = await rowOf(inParts(caseImage('plain.jxl')), 0.5);
        assert.equal(inBoxes, await rowOf(caseImage('plain.jxl'), 0.5));
      },
    );
    check(
      'a JPEG XL that is cut off or claims a huge size is refused by name, and takes no memory for it',
      async () => {
        assert.is(await refusal(caseImage('turned.jxl').subarray(0, 300)), 'CorruptPage');
        const huge = Buffer.from(caseImage('plain.jxl'));
        huge.set([0xfe, 0xff, 0xff, 0xff, 0x03], 2); // a square with a side of 2 ** 30 pixels
        assert.ok((await imageMemory(huge)) > DECODE_ROOM_BYTES);
        assert.is(await refusal(huge), 'LimitExceeded');
        assert.match((await book([['1.jxl', huge]])).fault?.message ?? '', /pixel limit/);
      },
    );
    check('BigTIFF is a page, and is shown', async () => {
      const { pages } = await book([['1.tiff', caseImage('big.tiff')]]);
      assert.equal(pages, ['40x60/0']);
      assert.is((await rowOf(caseImage('big.tiff'), 0.5)).length, 3);
    });
    check('GIF, JPEG and WebP that end too early are named; whole ones are not', async () => {
      const whole = [
        'gif-static.gif',
        'jpeg-baseline.jpg',
        'webp-lossy.webp',
        'png-palette-alpha.png',
        'jpeg-gainmap.jpg',
      ]
        .map((name) => readFileSync(fixture(`images/${name}`)))
        .map((bytes, index) => [`${index}.${['gif', 'jpg', 'webp', 'png', 'jpg'][index]}`, bytes] as const);
      const { notes } = await book(whole);
      assert.equal(notes, []);
      const cut = whole.map(([name, bytes]) => [name, bytes.subarray(0, Math.floor(bytes.length * 0.7))] as const);
      assert.match(JSON.stringify((await book(cut)).notes), /end too early.*missing: 1, 2, 3, 4, 5\./);
    });
    check('so are AVIF, HEIC, JPEG 2000 and JPEG XL in boxes', async () => {
      const whole = ['animated.avif', 'hevc.heic', 'jp2-24mp-gray.jp2', 'turned.jxl'].map(caseImage);
      const named = (images: readonly Buffer[]) =>
        book(images.map((bytes, at) => [`${at}.${['avif', 'heic', 'jp2', 'jxl'][at]}`, bytes]));
      assert.not.match(JSON.stringify((await named(whole)).notes), /end too early/);
      const cut = whole.map((bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.9)));
      assert.match(JSON.stringify((await named(cut)).notes), /end too early.*missing: 1, 2, 3, 4\./);
    });
    check('HEIC is a page of its size, without a fault, and a note says who can show it', async () => {
      const found = await book([
        ['1.avif', caseImage('hevc.heic')],
        ['2.jpg', readFileSync(fixture('images/jpeg-baseline.jpg'))],
      ]);
      assert.equal(found.pages[0], '90x120/0');
      assert.match(JSON.stringify(found.notes), /HEIC.*: 1\./);
      assert.is(await refusal(caseImage('hevc.heic')), 'UnsupportedFormat');
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-odd-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
    deadlineS: 60,
  },
);

const SIGNATURE = Buffer.from([0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 13, 10, 0x87, 10]);

const box = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(8);
  const body = Buffer.concat(parts);
  head.writeUInt32BE(body.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

const FTYP = box('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1'));

/** A container whose box of pixels is longer than the beginnings of pages that are read. */
const inBox = (codestream: Buffer, more: number): Buffer =>
  Buffer.concat([SIGNATURE, FTYP, box('jxll', Buffer.from([10])), box('jxlc', codestream, Buffer.alloc(more))]);

const inParts = (codestream: Buffer): Buffer =>
  Buffer.concat([
    SIGNATURE,
    FTYP,
    box('Exif', Buffer.alloc(5000)),
    box('jxlp', Buffer.from([0, 0, 0, 0]), codestream.subarray(0, 20)),
    box('jxlp', Buffer.from([0x80, 0, 0, 1]), codestream.subarray(20)),
  ]);
