// PDF documents of several pages with fonts: which of them are examined for the image that a scanned page is, and how far.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { METHOD, PageTable } from '../../core/model/page-table.js';
import { withoutHiddenText } from '../../workers/formats/pdf-hidden-text.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';
import { FONT, PLACED } from './pdf-texts.js';

const SIDE = { width: 60, height: 80 };
const TEXT = 5;
const SCAN = 6;

const CONTENTS: Readonly<Record<number, string>> = {
  [TEXT]: `${PLACED} BT /F 12 Tf 5 5 Td (seen) Tj ET`,
  [SCAN]: `${PLACED} BT 3 Tr /F 12 Tf 5 5 Td (not seen) Tj ET`,
};

/** Each page by the number of its content. */
const documentOf = (jpeg: Buffer, pages: readonly number[]): Buffer => {
  const streamOf = (entries: string, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`<<${entries}/Length ${bytes.length}>>stream\n`), bytes, Buffer.from('\nendstream')]);
  const first = SCAN + 1;
  const objects: (readonly [number, Buffer | string])[] = [
    [1, '<</Type/Catalog/Pages 2 0 R>>'],
    [
      2,
      `<</Type/Pages/MediaBox[0 0 60 80]/Resources<</XObject<</I 3 0 R>>${FONT}>>/Count ${pages.length}` +
        `/Kids[${pages.map((_, at) => `${first + at} 0 R`).join(' ')}]>>`,
    ],
    [
      3,
      streamOf(
        '/Type/XObject/Subtype/Image/Width 60/Height 80/BitsPerComponent 8/Filter/DCTDecode/ColorSpace/DeviceRGB',
        jpeg,
      ),
    ],
    ...[TEXT, SCAN].map((number) => [number, streamOf('', Buffer.from(CONTENTS[number] ?? ''))] as const),
    ...pages.map((content, at) => [first + at, `<</Type/Page/Parent 2 0 R/Contents ${content} 0 R>>`] as const),
  ];
  const parts = objects.flatMap(([number, body]) => [
    Buffer.from(`${number} 0 obj\n`),
    Buffer.from(body),
    Buffer.from('\nendobj\n'),
  ]);
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...parts, Buffer.from('trailer\n<</Root 1 0 R>>\n%%EOF')]);
};

const repeated = (content: number, count: number): number[] => Array.from({ length: count }, () => content);

let folder = '';
let jpeg: Buffer = Buffer.alloc(0);

/** The numbers of the pages that are sent as their image. */
const sentOf = async (pages: readonly number[]): Promise<readonly number[]> => {
  const path = join(folder, 'book.pdf');
  writeFileSync(path, documentOf(jpeg, pages));
  const table = new PageTable((await analysed(path)).pageTable ?? new Uint8Array());
  return pages.flatMap((_, at) => (table.entry(at)?.method === METHOD.raw ? [at + 1] : []));
};

block(
  'scanned PDF documents with recognised text',
  (check) => {
    check('send each page as its image, after up to three pages of text too', async () => {
      assert.equal(
        await sentOf(repeated(SCAN, 40)),
        Array.from({ length: 40 }, (_, at) => at + 1),
      );
      assert.equal(await sentOf([TEXT, TEXT, SCAN, SCAN, TEXT, TEXT, SCAN]), [3, 4, 7]);
    });
    check('after more pages of text only every 32nd is examined until one is sent', async () => {
      assert.equal(await sentOf([...repeated(TEXT, 4), ...repeated(SCAN, 30)]), [32, 33, 34]);
      assert.equal(await sentOf(repeated(TEXT, 70)), []);
    });
    check('several images, or more than the limit, are no scanned page', () => {
      const hidden = 'BT 3 Tr /F 12 Tf (Do Do) Tj ET';
      assert.ok(withoutHiddenText(`${PLACED} ${hidden}`, 100)?.includes('/I Do') === true);
      assert.is(withoutHiddenText(`${PLACED} ${hidden} ${PLACED}`, 100), undefined);
      assert.is(withoutHiddenText(`${PLACED} ${hidden}`, 10), undefined);
    });
    check('strings in brackets, with escapes and nested, are read to their ends', () => {
      for (const text of ['(a (b) \\) \\( c)', '[(a) -20 (\\\\)]', '<6 1>', '()'])
        assert.is(withoutHiddenText(`BT 3 Tr ${text} Tj ET q Q`, 100)?.trim(), 'q Q', text);
      for (const text of ['(a (b) c', '(a\\)', '<6g>', '<61', '(a (b (c)))'])
        assert.is(withoutHiddenText(`BT 3 Tr ${text} Tj ET q Q`, 100), undefined, text);
    });
  },
  {
    deadlineS: 60,
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-scans-'));
      jpeg = await sharp({ create: { ...SIDE, channels: 3, background: 'teal' } })
        .jpeg()
        .toBuffer();
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
