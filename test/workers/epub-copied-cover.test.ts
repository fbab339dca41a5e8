// Covers that no document shows: copies of the first page are no pages, other pictures are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { renderPage } from '../../workers/image-codec.js';
import { assert, block } from '../kit.js';
import { chunk } from '../png.js';
import { type Book, bookOf as bookIn, type Doc, picture, readBook } from './made-epub.js';

let folder = '';
const bookOf = (docs: readonly Doc[], book: Book): string => bookIn(folder, docs, book);

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A grey picture of rectangles, which depend on the seed but not on the size. */
const drawn = (seed: number, { width, height }: Size): Buffer => {
  const rows = Buffer.alloc((width + 1) * height, 128);
  for (let y = 0; y < height; y += 1) rows[y * (width + 1)] = 0;
  let state = seed * 7919 + 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return (state % 1000) / 1000;
  };
  for (let n = 0; n < 12; n += 1) {
    const [left, top, grey] = [next(), next(), Math.round(next() * 255)];
    for (let y = Math.round(top * height); y < Math.min(height, (top + 0.3) * height); y += 1)
      for (let x = Math.round(left * width); x < Math.min(width, (left + 0.3) * width); x += 1)
        rows[y * (width + 1) + 1 + x] = grey;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const PAGE = { width: 400, height: 600 };
const SMALL = { width: 201, height: 300 };
const asJpeg = async (bytes: Uint8Array, quality: number): Promise<Uint8Array> =>
  (await renderPage({ kind: 'image', bytes }, SMALL, 'jpeg', quality, { pixels: 1_000_000, seconds: 10 })).bytes;

const COVER = '<item id="cover" href="cover.jpg" media-type="image/jpeg" properties="cover-image"/>';
/** Three pages and this cover, which is not among them. */
const withCover = (cover: Uint8Array, first: Uint8Array = drawn(1, PAGE), docs: readonly Doc[] = []): string =>
  bookOf([...docs, picture('a'), picture('b'), picture('c')], {
    items: COVER,
    files: { 'a.png': first, 'b.png': drawn(2, PAGE), 'c.png': drawn(3, PAGE), 'cover.jpg': cover },
  });

const namesOf = async (path: string): Promise<readonly string[]> => {
  const { kind, count, names } = await readBook(path);
  assert.equal([kind, count], ['images', names.length]);
  return names;
};

const PAGES = ['a.png', 'b.png', 'c.png'];

const copies = (check: (fact: string, run: () => Promise<void>) => void): void => {
  check('the bytes of the first page under another name', async () => {
    assert.equal(await namesOf(withCover(drawn(1, PAGE))), PAGES);
  });
  check('the first page in smaller, as a PNG and as JPEGs', async () => {
    assert.equal(await namesOf(withCover(drawn(1, SMALL))), PAGES);
    for (const quality of [30, 90])
      assert.equal(await namesOf(withCover(await asJpeg(drawn(1, PAGE), quality))), PAGES);
  });
  check('the first page in larger', async () => {
    assert.equal(await namesOf(withCover(drawn(1, { width: 600, height: 900 }))), PAGES);
  });
  check('the same after a blank page, whose number the remarks give', async () => {
    const path = withCover(drawn(1, SMALL), drawn(1, PAGE), [{}]);
    const { names, blank } = await readBook(path);
    assert.equal([names, blank], [['d0.xhtml', ...PAGES], [1]]);
  });
  check('the cover that KCC makes of a page from which it has cut the margins', async () => {
    const names = [1, 2].map((n) => `Images/kcc-000${n}-kcc.png`);
    const docs = names.map((name) => ({ body: `<img src="${name}"/>` }));
    const files = Object.fromEntries(names.map((name, at) => [name, drawn(at + 1, { width: 400, height: 570 })]));
    const path = bookOf(docs, { items: COVER, files: { ...files, 'cover.jpg': drawn(1, SMALL) } });
    assert.equal(await namesOf(path), names);
  });
};

const others = (check: (fact: string, run: () => Promise<void>) => void): void => {
  const isPage = async (cover: Uint8Array, first?: Uint8Array): Promise<void> =>
    assert.equal(await namesOf(withCover(cover, first)), ['cover.jpg', ...PAGES]);
  check('another picture of the same size, or in smaller', async () => {
    await isPage(drawn(4, PAGE));
    await isPage(drawn(4, SMALL));
  });
  check('the second page', () => isPage(drawn(2, SMALL)));
  check('the first page in other proportions', () => isPage(drawn(1, { width: 400, height: 560 })));
  check('one that cannot be decoded', () => isPage(drawn(1, SMALL).fill(0xff, 60, 120)));
};

const inFolder = (name: string, cases: typeof copies): void =>
  block(name, cases, {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-epub-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  });

inFolder('covers of EPUBs that are the first page over again', copies);
inFolder('covers of EPUBs that are pages', others);
