// Uploads that must not become covers: each is refused with a sentence, and leaves neither a row nor a file.
import { COVERS_MAX } from '../../core/catalog/covers/rows.js';
import type { Answer } from '../app.js';
import { formOf, image, partForm } from '../form.js';
import { assert, block } from '../kit.js';
import { type CoverShelf, coverShelf } from './cover-shelf.js';

let shelf: CoverShelf;
let book = '';

const NOT_AN_IMAGE = 'The file is not an image. A cover must be a JPEG, PNG, WebP, GIF or AVIF.';
const JPEG = image('jpeg-baseline.jpg');

/** Content, and what its refusal says. */
const REFUSED: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'no bytes': [Buffer.alloc(0), /^The file is empty\.$/],
  'a file without bytes': [image('zero-byte.jpg'), /^The file is empty\.$/],
  'one byte': [Buffer.from([0xff]), /not an image/],
  'a page of HTML named .jpg': [image('html-as.jpg'), /not an image/],
  'an SVG': [image('svg-circle.svg'), /svg is not accepted/],
  'an SVG that loads files': [image('svg-external.svg'), /svg is not accepted/],
  'an SVG that grows a thousandfold': [
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg"><!DOCTYPE x [<!ENTITY a "${'x'.repeat(99)}"><!ENTITY b "${'&a;'.repeat(999)}">]>&b;</svg>`,
    ),
    /not an image|svg is not accepted/,
  ],
  'a script': [Buffer.from('#!/bin/sh\nrm -rf /\n'), /not an image/],
  'a zip': [Buffer.from('PK\x03\x04'.padEnd(100, '\0'), 'latin1'), /not an image/],
  'a TIFF': [image('tiff-lzw.tif'), /tiff is not accepted/],
  'a BMP': [image('bmp-24.bmp'), /bmp is not accepted/],
  'a JPEG 2000': [image('jp2.jp2'), /jp2 is not accepted/],
  'a JPEG XL': [image('jxl.jxl'), /jxl is not accepted/],
  'a JPEG that is cut off': [image('jpeg-truncated.jpg'), /damaged/],
  'a JPEG with a broken header': [image('jpeg-corrupt-header.jpg'), /damaged/],
  'half a JPEG': [JPEG.subarray(0, JPEG.length / 2), /damaged/],
  'a PNG that is cut off': [image('png-truncated.png'), /damaged/],
  'a broken PNG': [image('png-broken.png'), /damaged/],
  'a WebP that is cut off': [image('webp-lossy.webp').subarray(0, 500), /damaged/],
  'a PNG of 20,000 pixels a side': [image('png-bomb-20000.png'), /a cover can have at most 50000000 in total/],
  'a PNG of 15,000 pixels a side': [image('png-8bit-bomb-15000.png'), /a cover can have at most 50000000 in total/],
  'a JPEG of 65,500 pixels a side': [image('jpeg-bomb-65500.jpg'), /a cover can have at most 50000000 in total/],
  'a GIF that ends before it begins': [image('gif-bomb.gif'), /damaged/],
  'an AVIF that unpacks to far more': [image('avif-bomb.avif'), /a cover can have at most 50000000 in total|pixels/],
};

const nothingKept = async (): Promise<void> => {
  assert.equal((await shelf.api('GET', `/books/${book}/covers`)).json, { covers: [], source: 'default' });
  assert.equal(shelf.files(), []);
};

block(
  'uploads that are refused',
  (check) => {
    for (const [what, [bytes, sentence]] of Object.entries(REFUSED)) {
      check(`${what} answers 400`, async () => {
        const answer = await shelf.upload(`/books/${book}`, bytes);
        assert.is(answer.status, 400, answer.bytes.toString());
        assert.is(answer.json.error, 'BadRequest');
        assert.match(answer.json.message, sentence);
        await nothingKept();
      });
    }
    check('no declared type or name makes an image of what is none', async () => {
      const heads = ['image/jpeg', 'image/svg+xml', 'text/html', '../../x', ''].map(
        (type) =>
          `Content-Disposition: form-data; name="file"; filename="../../../etc/cover.jpg"\r\nContent-Type: ${type}`,
      );
      for (const head of heads) {
        const answer = await shelf.api('POST', `/books/${book}/cover`, partForm(head, image('html-as.jpg')));
        assert.is(answer.status, 400);
        assert.is(answer.json.message, NOT_AN_IMAGE);
      }
      await nothingKept();
    });
    check('JSON instead of a form answers 415, a form without a file 400', async () => {
      const json = await shelf.api('POST', `/books/${book}/cover`, { body: { file: 'x' } });
      assert.is(json.status, 415);
      const form = partForm('Content-Disposition: form-data; name="title"', 'x');
      assert.is((await shelf.api('POST', `/books/${book}/cover`, form)).status, 400);
      await nothingKept();
    });
    check('a reader, and a book that is not there, are refused', async () => {
      const token = await shelf.temp.tokenOf('reader');
      const form = partForm('Content-Disposition: form-data; name="file"', JPEG);
      assert.is((await shelf.api('POST', `/books/${book}/cover`, { ...form, token })).status, 403);
      assert.is((await shelf.upload('/books/01890000-0000-7000-8000-000000000000', JPEG)).status, 404);
      assert.is((await shelf.upload('/series/no-id', JPEG)).status, 400);
      await nothingKept();
    });
    check(`at most ${COVERS_MAX} covers are kept, also when more are uploaded at the same time`, async () => {
      const small = image('png-palette-alpha.png');
      const answers = await Promise.all(
        Array.from({ length: COVERS_MAX + 5 }, () => shelf.upload(`/books/${book}`, small)),
      );
      const statuses = answers.map(({ status }) => status);
      assert.is(statuses.filter((status) => status === 200).length, COVERS_MAX, statuses.join());
      const refused = answers.find(({ status }) => status === 400);
      assert.is(refused?.json.message, `A book has at most ${COVERS_MAX} covers; delete one first.`);
      const { covers } = (await shelf.api('GET', `/books/${book}/covers`)).json;
      assert.is(covers.length, COVERS_MAX);
      assert.is(covers.filter(({ isSelected }: { isSelected: boolean }) => isSelected).length, 1);
      assert.is(shelf.files().length, COVERS_MAX, 'refused ones leave no file');
    });
    check('uploads that together take too much memory are refused for now', async () => {
      const large = Buffer.concat([image('png-palette-alpha.png'), Buffer.alloc(15 * 1024 * 1024)]);
      const [, other = ''] = await shelf.books('Ants');
      const form = { ...(await formOf({ file: large })), token: shelf.token };
      // Not through what watches every body for secrets: that takes longer than decoding it.
      const upload = (): Promise<Answer> => shelf.temp.kept('POST', `/api/v1/books/${other}/cover`, form);
      const answers = await Promise.all(Array.from({ length: 8 }, upload));
      const statuses = answers.map(({ status }) => status).sort();
      assert.equal(statuses, [200, 200, 200, 200, 503, 503, 503, 503]);
      assert.is((await upload()).status, 200, 'there is room again');
    });
    check('no fault was reported', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await coverShelf();
      [book = ''] = await shelf.books('Ants');
    },
    after: () => shelf.temp.close(),
  },
);
