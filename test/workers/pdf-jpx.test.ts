// Pages of PDF documents that are one JPEG 2000 image too large to be decoded as a whole: shown at a reduced resolution, or refused by name.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';

const RED = [0xc0, 0x20, 0x40];
const GREEN = [0x20, 0xa0, 0x60];

interface Page {
  readonly image: Buffer;
  readonly width: number;
  readonly height: number;
  /** Entries of the image. */
  readonly entries?: string;
  readonly content?: string;
}

/** A document of one page of 400 by 600 points that shows one image; readers repair what has no table of objects. */
const documentOf = ({ image, width, height, entries = '', content = 'q 400 0 0 600 0 0 cm /I Do Q' }: Page): Buffer =>
  Buffer.concat([
    Buffer.from(
      `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n` +
        `3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj\n` +
        `4 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj\n` +
        `5 0 obj<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8/Filter/JPXDecode${entries}` +
        `/Length ${image.length}>>stream\n`,
    ),
    image,
    Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R/Size 6>>\n%%EOF'),
  ]);

const jp2 = (name: string): Buffer => Buffer.from(readFileSync(fixture(`cases/images/${name}`)));

/** Red, green and blue near the top and near the bottom. */
const coloursOf = async ({ bytes }: Answer): Promise<number[][]> => {
  const { data, info } = await sharp(bytes)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [0.1, 0.9].map((share) => {
    const at = (Math.floor(info.height * share) * info.width + Math.floor(info.width / 2)) * info.channels;
    return [...data.subarray(at, at + 3)];
  });
};

const near = (found: number[][], wanted: number[][], name: string): void => {
  const isNear = found.flat().every((value, at) => Math.abs(value - (wanted.flat()[at] ?? -1)) <= 6);
  assert.ok(isNear, `${name}: ${JSON.stringify(found)}`);
};

let temp: TempApp;
let token = '';

block(
  'PDF pages that are one large JPEG 2000 image',
  (check) => {
    const ask = (path: string) => temp.call('GET', `/api/v1${path}`, { token });
    const bookOf = async (name: string): Promise<string> => {
      const { data } = (await ask('/books?pageSize=50')).json;
      return data.find(({ path }: { path: string }) => path.endsWith(`/${name}`)).id;
    };
    check('are listed by a scan with their covers', async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      const shelf = join(temp.shelf, 'Scans');
      mkdirSync(shelf, { recursive: true });
      const rgb = { image: jp2('jp2-24mp-rgb.jp2'), width: 4000, height: 6000 };
      const documents = {
        'plain.pdf': rgb,
        'space.pdf': { ...rgb, entries: '/ColorSpace/DeviceRGB' },
        'gray.pdf': { ...rgb, entries: '/ColorSpace/DeviceGray' },
        'decode.pdf': { ...rgb, entries: '/Decode[1 0 1 0 1 0]' },
        'twice.pdf': { ...rgb, content: 'q 400 0 0 600 0 0 cm /I Do Q q 40 0 0 60 0 0 cm /I Do Q' },
      };
      for (const [name, page] of Object.entries(documents)) writeFileSync(join(shelf, name), documentOf(page));
      copyFileSync(fixture('cases/pdf-jpx-54mp.pdf'), join(shelf, '54mp.pdf'));
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      near(await coloursOf(await ask(`/books/${await bookOf('plain.pdf')}/thumbnail`)), [RED, GREEN], 'cover');
    });
    check('are shown in their colours, in the size that is asked for', async () => {
      for (const name of ['plain.pdf', 'space.pdf'])
        for (const [query, size] of [
          ['', [833, 1250]],
          ['?width=400', [400, 600]],
        ] as const) {
          const answer = await ask(`/books/${await bookOf(name)}/pages/1${query}`);
          assert.is(answer.status, 200, `${name}${query}: ${answer.bytes.toString('latin1').slice(0, 300)}`);
          const { width, height } = await sharp(answer.bytes).metadata();
          assert.equal([width, height], size, name + query);
          near(await coloursOf(answer), [RED, GREEN], name + query);
        }
      const large = await ask(`/books/${await bookOf('54mp.pdf')}/pages/1`);
      assert.equal([large.status, large.header('content-type')], [200, 'image/jpeg']);
    });
    check('are refused by name where more than the image is shown, or the document changes its colours', async () => {
      for (const name of ['gray.pdf', 'decode.pdf', 'twice.pdf']) {
        const answer = await ask(`/books/${await bookOf(name)}/pages/1`);
        assert.equal([answer.status, answer.json.error], [422, 'LimitExceeded'], name);
      }
    });
  },
  { after: () => temp.close() },
);
