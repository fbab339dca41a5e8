// Tar archives as books, over every surface: pages, covers, files, their media types, and libraries that do not want them.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { writeTar } from '../tar-writer.js';

const IMAGES = ['jpeg-progressive.jpg', 'png-palette-alpha.png', 'webp-lossy.webp'];
const HOST = 'comics.example';

let temp: TempApp;
let token = '';
let library = '';

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  api('GET', path, { headers });

const scan = async (query = ''): Promise<void> => {
  await api('POST', `/libraries/${library}/scan${query}`);
  await until('the scan ends', () => temp.app.scans.active().length === 0);
};

const books = async (): Promise<readonly { id: string; path: string; fileFormat: string; pageCount: number }[]> =>
  (await get('/books?pageSize=500')).json.data;

const idOf = async (name: string): Promise<string> =>
  (await books()).find(({ path }) => path.endsWith(`/${name}`))?.id ?? '';

const BOOK = writeTar([
  ...IMAGES.map((name, at) => ({ name: `${at + 1}-${name}`, bytes: readFileSync(fixture(`images/${name}`)) })),
  { name: 'ComicInfo.xml', bytes: Buffer.from('<ComicInfo><Title>In a tar</Title></ComicInfo>') },
]);

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  const folder = join(temp.shelf, 'Tars');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'Tars 1.cbt'), BOOK);
  copyFileSync(fixture('cases/tar-gnu-long-names.cbt'), join(folder, 'Tars 2.CBT'));
  writeFileSync(join(folder, 'Tars 3.cbz'), BOOK);
  writeFileSync(join(folder, 'Tars 4.cbt'), writeTar([{ name: 'a.txt', bytes: Buffer.from('no page') }]));
  writeFileSync(join(folder, 'Tars 5.tar'), BOOK);
  library = (await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf } })).json.id;
  await scan();
};

const native = (check: Check): void => {
  check('a library without a list of formats reads them; a file named .tar is none', async () => {
    const found = (await books()).map(({ path, fileFormat, pageCount }) => [path.slice(-10), fileFormat, pageCount]);
    assert.equal(found.sort(), [
      ['Tars 1.cbt', 'cbt', 3],
      ['Tars 2.CBT', 'cbt', 4],
      ['Tars 3.cbz', 'cbt', 3],
      ['Tars 4.cbt', 'cbt', 0],
    ]);
    assert.is((await get(`/books/${await idOf('Tars 1.cbt')}`)).json.metadata.title, 'In a tar');
  });
  check('pages are the bytes of their files, whole, in part, and resized', async () => {
    const id = await idOf('Tars 1.cbt');
    for (const [at, name] of IMAGES.entries()) {
      const image = readFileSync(fixture(`images/${name}`));
      const plain = await get(`/books/${id}/pages/${at + 1}`);
      assert.is(plain.status, 200);
      assert.ok(plain.bytes.equals(image), name);
      const small = await get(`/books/${id}/pages/${at + 1}?width=40`);
      assert.equal([small.status, imageSize(small.bytes).width], [200, 40]);
      const tag = plain.header('etag') ?? '';
      assert.is((await get(`/books/${id}/pages/${at + 1}`, { 'if-none-match': tag })).status, 304);
    }
    assert.is((await get(`/books/${id}/pages/4`)).status, 404);
  });
  check('the first page is the cover', async () => {
    const cover = await get(`/books/${await idOf('Tars 1.cbt')}/thumbnail`);
    const { width, height } = imageSize(cover.bytes);
    assert.is(Math.round((100 * width) / height), Math.round((100 * 320) / 240));
  });
  check('the file is sent as a tar archive, in part too, and under its name', async () => {
    const id = await idOf('Tars 1.cbt');
    const whole = await get(`/books/${id}/file`);
    assert.equal([whole.status, whole.header('content-type')], [200, 'application/x-tar']);
    assert.match(whole.header('content-disposition') ?? '', /filename="Tars 1\.cbt"/);
    assert.ok(whole.bytes.equals(BOOK));
    const part = await get(`/books/${id}/file`, { range: 'bytes=512-1023' });
    assert.is(part.status, 206);
    assert.ok(part.bytes.equals(BOOK.subarray(512, 1024)));
  });
  check('one that could not be read is sent as what its first bytes are', async () => {
    const id = await idOf('Tars 4.cbt');
    assert.match((await get(`/books/${id}`)).json.analysisError, /no images/);
    assert.is((await get(`/books/${id}/file`)).header('content-type'), 'application/x-tar');
  });
  check('books are filtered by it', async () => {
    const wanted = { condition: { format: { operator: 'is', value: 'cbt' } } };
    const { status, json } = await api('POST', '/books/list', { body: wanted });
    assert.equal([status, json.data?.length], [200, 4], JSON.stringify(json).slice(0, 300));
  });
};

const surfaces = (check: Check): void => {
  check('catalogues offer it with the type and the name that apps know', async () => {
    const { json } = await temp.call('GET', '/opds/v2/books/latest', { token, headers: { host: HOST } });
    const links = json.publications.flatMap(({ links }: { links: { rel: string; type: string; href: string }[] }) =>
      links.filter(({ rel }) => rel === 'http://opds-spec.org/acquisition'),
    );
    const offered = links.map(({ type, href }: { type: string; href: string }) => [type, href.slice(-4).toLowerCase()]);
    assert.equal(offered, Array(3).fill(['application/x-cbt', '.cbt']));
  });
  check('the comic-server API shows it as pages', async () => {
    const ask = (path: string) => temp.call('GET', `/komga/api/v1${path}`, { token });
    const { content } = (await ask('/books?unpaged=true')).json;
    const book = content.find(({ url }: { url: string }) => url.endsWith('Tars 1.cbt'));
    const { status, mediaType, mediaProfile, pagesCount } = book.media;
    assert.equal([status, mediaType, mediaProfile, pagesCount], ['READY', 'application/x-tar', 'DIVINA', 3]);
    const page = await ask(`/books/${book.id}/pages/2`);
    assert.ok(page.bytes.equals(readFileSync(fixture(`images/${IMAGES[1]}`))));
    const [{ scanCbx }] = (await ask('/libraries')).json;
    assert.is(scanCbx, true);
  });
};

const allowed = (check: Check): void => {
  check('a library with a list of formats reads them once they are in it', async () => {
    const path = `/libraries/${library}`;
    const changed = async (allowedFormats: readonly string[] | null): Promise<number> => {
      assert.is((await api('PATCH', path, { body: { allowedFormats } })).status, 200);
      await scan('?mode=deep&acceptMissing=true');
      return (await books()).filter(({ path }) => /\.cbt$/i.test(path)).length;
    };
    assert.is(await changed(['CBZ', 'CBR', 'EPUB', 'PDF']), 0);
    assert.is(await changed(['CBZ', 'CBR', 'cbt', 'EPUB', 'PDF']), 3);
    const refused = await api('PATCH', path, { body: { allowedFormats: ['CB7'] } });
    assert.is(refused.status, 400);
    assert.match(refused.json.message, /CBZ, CBR, CBT, EPUB, PDF/);
  });
};

block(
  'tar archives as books',
  (check) => {
    native(check);
    surfaces(check);
    allowed(check);
  },
  {
    before: stock,
    after: async () => {
      assert.equal(temp.faults, []);
      await temp.close();
    },
    deadlineS: 60,
  },
);
