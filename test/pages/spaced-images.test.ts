// Images after a line break or other white space, as faulty scripts write them: shown, and sent from their first byte on.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { writeTar } from '../tar-writer.js';
import { writeBareZip } from '../workers/bare-zip.js';

const IMAGES = ['jpeg-progressive.jpg', 'png-palette-alpha.png', 'webp-lossy.webp'];
const SPACES = ['\r\n', '\n', ' \t\r\n'];
const bytesOf = (name: string): Buffer => readFileSync(fixture(`images/${name}`));
const SPACED = IMAGES.map((name, at) => ({
  name: `${at + 1}-${name}`,
  bytes: Buffer.concat([Buffer.from(SPACES[at] ?? ''), bytesOf(name)]),
}));
/** More white space than that is not looked through. */
const FAR = { name: '4.jpg', bytes: Buffer.concat([Buffer.from(' '.repeat(9)), bytesOf('jpeg-progressive.jpg')]) };

let temp: TempApp;
let token = '';

const get = (path: string): Promise<Answer> => temp.call('GET', `/api/v1${path}`, { token });

const idOf = async (name: string): Promise<string> => {
  const books = (await get('/books?pageSize=100')).json.data as readonly { id: string; path: string }[];
  return books.find(({ path }) => path.endsWith(`/${name}`))?.id ?? '';
};

const BOOKS = ['stored.cbz', 'packed.cbz', 'tar.cbt'];

block(
  'images after white space',
  (check) => {
    for (const book of BOOKS)
      check(`${book}: pages are shown, whole and resized; there is a cover`, async () => {
        const id = await idOf(book);
        for (const [at, name] of IMAGES.entries()) {
          const page = await get(`/books/${id}/pages/${at + 1}`);
          assert.is(page.status, 200, name);
          const { width, height } = imageSize(page.bytes);
          assert.equal([width, height], [imageSize(bytesOf(name)).width, imageSize(bytesOf(name)).height]);
          if (book !== 'packed.cbz') assert.ok(page.bytes.equals(bytesOf(name)), name);
          const small = await get(`/books/${id}/pages/${at + 1}?width=20`);
          assert.equal([small.status, imageSize(small.bytes).width], [200, 20]);
        }
        assert.match((await get(`/books/${id}/thumbnail`)).header('content-type') ?? '', /^image\/jpeg/);
        assert.is((await get(`/books/${id}/pages/4`)).status, 422);
      });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      const folder = join(temp.shelf, 'Spaced');
      mkdirSync(folder, { recursive: true });
      const entries = [...SPACED, FAR];
      const zip = (isDeflated: boolean) =>
        writeBareZip(entries.map((entry) => ({ ...entry, isDeflated, lengths: 'before' }))).bytes;
      writeFileSync(join(folder, 'stored.cbz'), zip(false));
      writeFileSync(join(folder, 'packed.cbz'), zip(true));
      writeFileSync(join(folder, 'tar.cbt'), writeTar(entries));
      const library = await temp.call('POST', '/api/v1/libraries', {
        token,
        body: { name: 'Shelf', path: temp.shelf },
      });
      await temp.call('POST', `/api/v1/libraries/${library.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
    },
    after: async () => {
      assert.equal(temp.faults, []);
      await temp.close();
    },
    deadlineS: 60,
  },
);
