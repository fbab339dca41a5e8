// Images with very long lines: whatever is made of them, they are refused by their header, before a pixel is decoded.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeZip } from '../../bench/zip-writer.js';
import { decodeBytesOf } from '../../workers/decode-size.js';
import { headByDecoder, renderPage } from '../../workers/image-codec.js';
import { type TempApp, tempApp, until } from '../app.js';
import { bombProfile, bombTexts, png } from '../attack/files/png.js';
import { tiff } from '../attack/files/tiff.js';
import { formOf } from '../form.js';
import { assert, block, thrownBy } from '../kit.js';

const WIDE = { width: 2_000_000, height: 4 };

const refusalOf = async (bytes: Uint8Array): Promise<{ kind?: string; message?: string }> =>
  (await thrownBy(() => decodeBytesOf({ kind: 'image', bytes }))) as { kind?: string; message?: string };

block('images with very long lines', (check) => {
  for (const [fact, make] of [
    ['a PNG', () => png(WIDE)],
    ['a PNG of sixteen bits', () => png({ ...WIDE, height: 1, depth: 16 })],
    ['an interlaced PNG', () => png({ ...WIDE, isInterlaced: true, colour: 0 })],
    ['a PNG of one bit a pixel', () => png({ width: 67_000_000, height: 4, depth: 1, colour: 0 })],
    ['a tall PNG', () => png({ width: 1, height: 50_000_000, colour: 0 })],
    ['a TIFF', async () => tiff(WIDE)],
    ['a TIFF in tiles', async () => tiff({ ...WIDE, tile: [256, 256] })],
  ] as const)
    check(`${fact} is refused by its size`, async () => {
      const { kind, message } = await refusalOf(await make());
      assert.is(kind, 'LimitExceeded');
      assert.match(message ?? '', /^The image is \d+ × \d+ pixels; images with a side of more than 65535 pixels/);
    });
});

/** What may grow in this process while a picture is refused that would take gigabytes. */
const GROWTH_MAX_MB = 250;

block('a book whose pages have very long lines', (check) => {
  let temp: TempApp;
  let token = '';
  let id = '';
  let before = 0;
  const ask = (path: string) => temp.call('GET', path, { token });
  const refused = async (path: string, status = 422): Promise<void> => {
    const answer = await ask(path);
    assert.equal([path, answer.status], [path, status]);
    if (path.startsWith('/api')) assert.is(answer.json.error, 'LimitExceeded');
    assert.match(answer.bytes.toString(), /2000000 × 4 pixels/);
  };
  check('is listed by a scan, with the cover of its first page that can be shown', async () => {
    temp = await tempApp();
    token = await temp.tokenOf('admin');
    const page = await sharp({ create: { width: 300, height: 400, channels: 3, background: '#123' } })
      .jpeg()
      .toBuffer();
    mkdirSync(join(temp.shelf, 'Series'));
    const [wide, wideTiff] = [await png(WIDE), tiff(WIDE)];
    const items = [
      { name: '1.png', bytes: wide },
      { name: '2.tif', bytes: wideTiff },
      { name: '3.jpg', bytes: page },
    ];
    writeFileSync(join(temp.shelf, 'Series', 'Wide.cbz'), writeZip(items));
    before = process.resourceUsage().maxRSS;
    const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
    await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
    await until('the scan ends', () => temp.app.scans.active().length === 0);
    const [book] = (await ask('/api/v1/books')).json.data;
    id = book.id;
    assert.equal([book.pageCount, book.analysisError], [3, null]);
    const cover = await ask(`/api/v1/books/${id}/thumbnail`);
    assert.equal([cover.status, cover.header('content-type')], [200, 'image/jpeg']);
  });
  check('answers 422 for its pages in every size and form, on every surface', async () => {
    for (const page of [1, 2]) {
      for (const query of ['width=300', 'height=2', 'width=300&crop=1', 'format=webp', 'width=6000&format=png'])
        await refused(`/api/v1/books/${id}/pages/${page}?${query}`);
      await refused(`/komga/api/v1/books/${id}/pages/${page}/thumbnail`);
    }
    await refused(`/komga/api/v1/books/${id}/pages/1?convert=jpeg`);
    await refused(`/opds/v1.2/books/${id}/pages/1?width=300`);
    const chosen = await temp.call('PATCH', `/api/v1/books/${id}/cover/source`, { token, body: { source: 'page:1' } });
    assert.equal([chosen.status, chosen.json.error], [422, 'LimitExceeded']);
  });
  check('has an overview and borders without them, and sends the files as they are', async () => {
    assert.is((await ask(`/api/v1/books/${id}/pages/overview`)).status, 200);
    assert.is((await ask(`/api/v1/books/${id}/pages?crop=1`)).json.length, 3);
    assert.is((await ask(`/api/v1/books/${id}/pages/3?width=30`)).status, 200);
    assert.is((await ask(`/api/v1/books/${id}/pages/1`)).status, 200);
  });
  for (const [fact, shape] of [
    ['12,000,000 × 4', { width: 12_000_000, height: 4 }],
    ['1 × 50,000,000', { width: 1, height: 50_000_000, colour: 0 }],
    ['50,000,000 × 1', { width: 50_000_000, height: 1, colour: 0 }],
    ['16 bits and 50 megapixels, interlaced', { width: 10_000, height: 5000, depth: 16, isInterlaced: true }],
  ] as const)
    check(`an upload of ${fact} answers 400 and says why`, async () => {
      const answer = await temp.call('POST', `/api/v1/books/${id}/cover`, {
        token,
        ...(await formOf({ file: await png(shape) })),
      });
      assert.is(answer.status, 400);
      assert.match(answer.json.message, /side of more than 65535 pixels|takes more memory than/);
    });
  check('and all of it takes little memory', async () => {
    await temp.close();
    const grownMb = (process.resourceUsage().maxRSS - before) / 1024;
    assert.ok(grownMb < GROWTH_MAX_MB, `${Math.round(grownMb)} MB`);
  });
});

block('texts and profiles of PNG files', (check) => {
  for (const [fact, before] of [
    ['a thousand texts that unpack to eight megabytes each', () => bombTexts(1000, 7_900_000, 'zTXt')],
    ['a hundred international ones', () => bombTexts(100, 7_900_000, 'iTXt')],
    ['a profile of half a gigabyte', async () => [await bombProfile(500_000_000)]],
  ] as const)
    check(`${fact} are not unpacked, and the picture is shown`, async () => {
      const bytes = await png({ width: 30, height: 40, colour: 2, before: await before() });
      const peakBefore = process.resourceUsage().maxRSS;
      const limits = { pixels: 1_000_000, seconds: 20, isStrict: true };
      const box = { width: 15, height: null };
      const made = await renderPage({ kind: 'image', bytes }, box, 'jpeg', 80, limits);
      assert.equal([made.width, made.height], [15, 20]);
      assert.is((await headByDecoder(bytes))?.width, 30);
      assert.ok(process.resourceUsage().maxRSS - peakBefore < 64 * 1024);
    });
});
