// Pages in types that few apps show: JPEG for most, the original for those that name the type.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { writeZip } from '../../bench/zip-writer.js';
import { pngChunk } from '../../core/model/png-chunk.js';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

/** 24 bits a pixel, all black: more than is decoded at once, so it can only be sent as it is. */
const largeBmp = (): Buffer => {
  const side = 5000;
  const out = Buffer.alloc(54 + side * side * 3);
  out.write('BM', 'latin1');
  out.writeUInt32LE(out.length, 2);
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, side],
    [22, side],
    [26, 1 + (24 << 16)],
  ] as const)
    out.writeUInt32LE(value, at);
  return out;
};

/** Packed to some kilobytes; unpacked it takes more than is decoded at once. */
const largeTiff = (): Promise<Buffer> =>
  sharp({ create: { width: 9000, height: 9000, channels: 3, background: 'black' } })
    .tiff({ compression: 'deflate' })
    .toBuffer();

/** What its header says is all that matters: it claims 900 million pixels. */
const hugePng = (): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(30_000, 0);
  head.writeUInt32BE(30_000, 4);
  head.writeUInt8(1, 8);
  const chunks = [
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(Buffer.alloc(9000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
};

const HUGE_GIF = Buffer.from('474946383961ffffffff00000021f904000000000000003b', 'hex');

/** Little endian, with the tags of width, height and compression. */
const hugeTiff = (): Buffer => {
  const tags = [
    [256, 40_000],
    [257, 40_000],
    [258, 1],
    [259, 1],
    [262, 1],
  ] as const;
  const out = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  out.write('II*\0', 'latin1');
  out.writeUInt32LE(8, 4);
  out.writeUInt16LE(tags.length, 8);
  for (const [at, [tag, value]] of tags.entries()) {
    out.writeUInt16LE(tag, 10 + at * 12);
    out.writeUInt16LE(4, 12 + at * 12);
    out.writeUInt32LE(1, 14 + at * 12);
    out.writeUInt32LE(value, 18 + at * 12);
  }
  return out;
};

const cut = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length * 0.6);

let shelf: StockedShelf;
let path = '';

const image = (name: string): Buffer => readFileSync(fixture(`cases/images/${name}`));

const page = async (number: number, accept: string, query = '') => {
  const answer = await shelf.api('GET', `${path}/pages/${number}${query}`, { headers: { accept } });
  return [answer.status, answer.status === 200 ? answer.header('content-type') : JSON.stringify(answer.json)];
};

block(
  'rare images',
  (check) => {
    check('JPEG XL becomes JPEG, unless the app names it; resized it is JPEG for all', async () => {
      assert.equal(await page(1, '*/*'), [200, 'image/jpeg']);
      assert.equal(await page(1, 'image/avif,image/webp,*/*;q=0.8'), [200, 'image/jpeg']);
      assert.equal(await page(1, 'image/jxl;q=0,*/*'), [200, 'image/jpeg']);
      assert.equal(await page(1, 'image/jxl,image/webp'), [200, 'image/jxl']);
      assert.equal(await page(1, 'image/jxl', '?width=20'), [200, 'image/jpeg']);
      assert.equal(await page(1, 'image/jxl', '?format=webp'), [200, 'image/webp']);
    });
    check('HEIC is sent to apps that name it, and refused with the reason for others', async () => {
      assert.equal(await page(2, 'image/heic,*/*'), [200, 'image/heif']);
      const [status, message] = await page(2, 'image/*');
      assert.ok(status !== 200 && status !== 500);
      assert.match(String(message), /HEIC/);
    });
    check('an image too large to convert is sent as it is, unless a size or a format was asked for', async () => {
      assert.equal(await page(3, '*/*'), [200, 'image/bmp']);
      for (const query of ['?width=20', '?format=jpeg']) {
        const [status, message] = await page(3, '*/*', query);
        assert.is(status, 422);
        assert.match(String(message), /LimitExceeded/);
      }
    });
    check('so are TIFF and JPEG 2000, which are otherwise converted for all, and JPEG XL', async () => {
      for (const [number, type] of [
        [4, 'image/tiff'],
        [5, 'image/jp2'],
        [6, 'image/jxl'],
      ] as const) {
        assert.equal(await page(number, '*/*'), [200, type]);
        const [status, message] = await page(number, '*/*', '?format=jpeg');
        assert.is(status, 422);
        assert.match(String(message), /LimitExceeded/);
      }
      for (const number of [4, 5]) assert.is((await page(number, '*/*', '?width=20'))[0], 422);
    });
    check('a WebP that is cut off is sent as it is, but not resized; of a GIF, what is there is shown', async () => {
      assert.equal(await page(7, '*/*'), [200, 'image/webp']);
      const [status, message] = await page(7, '*/*', '?width=20');
      assert.is(status, 422);
      assert.match(String(message), /"message":"The image is damaged[^:]*\."/);
      assert.equal(await page(8, '*/*'), [200, 'image/gif']);
      assert.is((await page(8, '*/*', '?width=20'))[0], 200);
      const { remarks } = (await shelf.api('GET', path)).json;
      assert.match(JSON.stringify(remarks), /end too early, so parts of them may be missing: 7, 8\./);
    });
    check('a PNG optimised for iOS becomes an ordinary one', async () => {
      for (const [query, accept] of [
        ['', '*/*'],
        ['', 'image/heic,image/jxl'],
        ['?width=20', '*/*'],
        ['?format=png', '*/*'],
      ] as const) {
        assert.equal(await page(9, accept, query), [200, 'image/png']);
        const answer = await shelf.api('GET', `${path}/pages/9${query}`, { headers: { accept } });
        assert.not.ok(answer.bytes.includes('CgBI'));
        assert.is((await sharp(answer.bytes).stats()).channels.length > 2, true);
      }
      assert.equal(await page(9, '*/*', '?format=webp'), [200, 'image/webp']);
    });
    check('one with too many pixels to be decoded is listed with its fault, and sent only as it is', async () => {
      for (const [number, type, bytes] of [
        [10, 'image/png', hugePng()],
        [11, 'image/gif', HUGE_GIF],
        [12, 'image/tiff', hugeTiff()],
      ] as const) {
        const answer = await shelf.api('GET', `${path}/pages/${number}`);
        assert.equal([answer.status, answer.header('content-type')], [200, type]);
        assert.ok(answer.bytes.equals(bytes));
        for (const query of ['?width=20', '?format=webp']) {
          const [status, message] = await page(number, '*/*', query);
          assert.is(status, 422);
          assert.match(String(message), /LimitExceeded.*pixel limit/);
        }
      }
    });
    check('a book of JPEG XL has a cover', async () => {
      const cover = await shelf.api('GET', `${path}/thumbnail`);
      assert.equal([cover.status, cover.header('content-type')], [200, 'image/jpeg']);
    });
  },
  {
    before: async () => {
      shelf = await stockedShelf([]);
      mkdirSync(join(shelf.temp.shelf, 'Rare'));
      const items = [
        { name: '1.jxl', bytes: image('alpha.jxl') },
        { name: '2.avif', bytes: image('hevc.heic') },
        { name: '3.bmp', bytes: largeBmp() },
        { name: '4.tif', bytes: await largeTiff() },
        { name: '5.jp2', bytes: image('large-one-level.jp2') },
        { name: '6.jxl', bytes: image('large-black.jxl') },
        { name: '7.webp', bytes: cut(readFileSync(fixture('images/webp-lossy.webp'))) },
        { name: '8.gif', bytes: cut(readFileSync(fixture('images/gif-static.gif'))) },
        { name: '9.png', bytes: image('ios.png') },
        { name: '10.png', bytes: hugePng() },
        { name: '11.gif', bytes: HUGE_GIF },
        { name: '12.tif', bytes: hugeTiff() },
      ];
      writeFileSync(join(shelf.temp.shelf, 'Rare', 'Rare.cbz'), writeZip(items));
      await shelf.api('POST', `/libraries/${shelf.libraryId}/scan?mode=deep`);
      await until('the book is there', async () => (await shelf.bookOf('Rare'))?.pageCount === 12);
      path = `/books/${(await shelf.bookOf('Rare')).id}`;
    },
    after: () => shelf.temp.close(),
    deadlineS: 60,
  },
);
