// Pages without their borders over the API: where the content lies, and its image alone.
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Listed {
  readonly width: number;
  readonly height: number;
  readonly fault: string | null;
  readonly contentBox: Box | null;
}

let shelf: StockedShelf;

const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  shelf.api('GET', path, { headers });
const idOf = async (name: string): Promise<string> => (await shelf.bookOf(name)).id;
const listed = async (name: string): Promise<readonly Listed[]> =>
  (await get(`/books/${await idOf(name)}/pages?crop=1`)).json;

const shape = ({ width, height }: Box | Listed): string => `${width}x${height}`;
const sizeOf = ({ bytes }: Answer): string => {
  const { width, height } = imageSize(bytes);
  return `${width}x${height}`;
};

const boxes = (check: Check): void => {
  check('the page list has them only when asked, and refuses another word', async () => {
    const id = await idOf('haruko.cbr');
    const plain: readonly Listed[] = (await get(`/books/${id}/pages`)).json;
    assert.ok(plain.every(({ contentBox }) => contentBox === null));
    assert.is((await get(`/books/${id}/pages?crop=yes`)).status, 400);
    assert.is((await get(`/books/${id}/pages/1?crop=2`)).status, 400);
  });
  check('scanned pages are cut at the sides where there is a border, and not through a drawing', async () => {
    const [, second, third] = await listed('haruko.cbr');
    // The drawing goes to the edge at the top and on the right.
    assert.equal([second?.contentBox?.top, shape(second?.contentBox as Box)], [0, '555x797']);
    assert.is(second?.contentBox?.left, 45);
    assert.equal(third?.contentBox, { left: 0, top: 0, width: 600, height: 837 });
  });
  check('every page within its bounds, in any format', async () => {
    for (const name of ['captain-science-cix', 'comic-fxl-rtl.epub', 'rar4-solid.cbr', 'huge-page', 'webtoon-strip']) {
      const pages = await listed(name);
      assert.ok(pages.length > 1, name);
      for (const { contentBox: box, ...page } of pages) {
        assert.ok(box !== null, name);
        const isWithin = box.left >= 0 && box.left + box.width <= page.width && box.top + box.height <= page.height;
        assert.ok(isWithin && box.width >= page.width / 3 && box.height >= page.height / 3, `${name} ${shape(box)}`);
      }
    }
  });
  check(
    'a page that cannot be shown has its neighbours boxed all the same; pages of one pixel stay whole',
    async () => {
      const pages = await listed('bad-pages');
      assert.equal(
        pages.map(({ fault, contentBox }) => fault === null || contentBox === null),
        pages.map(() => true),
      );
      assert.ok((await listed('dots')).every(({ contentBox }) => contentBox !== null && shape(contentBox) === '1x1'));
    },
  );
  check('they are found once, also after a restart of the process that asks', async () => {
    const id = await idOf('captain-science-cix');
    const { pool } = shelf.temp.app;
    const first = await get(`/books/${id}/pages?crop=1`);
    const { run } = pool;
    const jobs: string[] = [];
    pool.run = ((name: never, ...rest: [never, never]) => {
      jobs.push(name);
      return run.call(pool, name, ...rest);
    }) as typeof run;
    try {
      assert.equal((await get(`/books/${id}/pages?crop=1`)).json, first.json);
      assert.equal(jobs, []);
      assert.ok(shelf.temp.app.blobs.list(0, 1000).some(({ key }) => key.startsWith('borders/')));
    } finally {
      pool.run = run;
    }
  });
};

const images = (check: Check): void => {
  check('the image of a page is the part within, and fits the box that is asked for', async () => {
    const id = await idOf('haruko.cbr');
    const page = `/books/${id}/pages/2?crop=1`;
    const whole = await get(page);
    assert.equal([whole.status, whole.header('content-type'), sizeOf(whole)], [200, 'image/jpeg', '555x797']);
    const narrow = imageSize((await get(`${page}&width=277`)).bytes);
    assert.ok(narrow.width === 277 && Math.abs(narrow.height - 398) < 2, `${narrow.width}x${narrow.height}`);
    const low = imageSize((await get(`${page}&height=400&format=png`)).bytes);
    assert.ok(low.height === 400 && Math.abs(low.width - 278) < 2, `${low.width}x${low.height}`);
    assert.is(sizeOf(await get(`${page}&width=4000`)), '555x797');
  });
  check('it has a tag of its own, and is not sent again to whoever has it', async () => {
    const id = await idOf('haruko.cbr');
    const [whole, part] = [await get(`/books/${id}/pages/2`), await get(`/books/${id}/pages/2?crop=1`)];
    const tag = part.header('etag') ?? '';
    assert.ok(tag !== whole.header('etag'));
    assert.is((await get(`/books/${id}/pages/2?crop=1`, { 'if-none-match': tag })).status, 304);
  });
  check('a page without borders is sent as it is stored', async () => {
    const id = await idOf('haruko.cbr');
    const [whole, part] = [await get(`/books/${id}/pages/3`), await get(`/books/${id}/pages/3?crop=1`)];
    assert.ok(whole.bytes.equals(part.bytes));
    assert.is(whole.header('etag'), part.header('etag'));
  });
  check('a drawn page, and pages outside the book or damaged, answer like others', async () => {
    const pdf = await idOf('comic-image-only.pdf');
    const drawn = await get(`/books/${pdf}/pages/1?crop=1&width=240`);
    assert.equal([drawn.status, imageSize(drawn.bytes).width], [200, 240]);
    assert.is((await get(`/books/${pdf}/pages/99?crop=1`)).status, 404);
    assert.is((await get(`/books/${await idOf('bad-pages')}/pages/2?crop=1`)).json.error, 'CorruptPage');
  });
};

block(
  'pages without borders',
  (check) => {
    boxes(check);
    images(check);
  },
  {
    before: async () => {
      shelf = await stockedShelf([
        'haruko.cbr',
        'captain-science-cix',
        'comic-fxl-rtl.epub',
        'rar4-solid.cbr',
        'huge-page',
        'webtoon-strip',
        'bad-pages',
        'comic-image-only.pdf',
      ]);
      writeBook(join(shelf.temp.shelf, 'Comics', 'dots.cbz'), 3, 'dots');
      await shelf.api('POST', `/libraries/${shelf.libraryId}/scan`);
      await until('the dots are known', async () => (await shelf.bookOf('dots'))?.pageCount === 3);
    },
    after: () => shelf.temp.close(),
  },
);
