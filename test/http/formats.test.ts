// Books of every format over the API: what is sent as stored, unpacked or rendered, what cannot be read, and files next to books.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { fixture } from '../../fixtures/index.js';
import { type Answer, until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

let shelf: StockedShelf;

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  shelf.api('GET', path, { headers });
const idOf = async (name: string): Promise<string> => (await shelf.bookOf(name)).id;
const page = async (name: string, number: number, query = ''): Promise<Answer> =>
  get(`/books/${await idOf(name)}/pages/${number}${query}`);

const sizeOf = ({ bytes }: Answer): string => {
  const { width, height } = imageSize(bytes);
  return `${width}x${height}`;
};

const archives = (check: Check): void => {
  check('a stored page of a RAR archive is its bytes in the file', async () => {
    const answer = await page('haruko.cbr', 2);
    assert.equal([answer.status, answer.header('content-type')], [200, 'image/jpeg']);
    assert.ok(readFileSync(fixture('books/haruko.cbr')).includes(answer.bytes));
    assert.is(sizeOf(answer), '600x837');
  });
  check('a packed page is unpacked once and then cached, and can be resized', async () => {
    const first = await page('six-pages-rar4.cbr', 3);
    assert.is(sizeOf(first), '1024x1545');
    assert.ok(first.bytes.equals((await page('six-pages-rar4.cbr', 3)).bytes));
    assert.is(sizeOf(await page('six-pages-rar4.cbr', 3, '?width=200')), '200x302');
  });
  check(
    'pages of a solid archive can be requested in any order, all at once, and equal those of the plain one',
    async () => {
      for (const name of ['rar4-solid.cbr', 'rar5-solid.cbr']) {
        const answers = await Promise.all([3, 1, 2, 3].map((number) => page(name, number)));
        for (const [at, number] of [3, 1, 2, 3].entries()) {
          const plain = await page('rar4-stored.cbr', number);
          assert.ok(answers[at]?.bytes.equals(plain.bytes), `${name} page ${number}`);
        }
        assert.is(sizeOf(await page(name, 2, '?width=20')), '20x20');
      }
    },
  );
  check(
    'a page whose checksum is wrong is listed with its fault and answers 422; its neighbours are sound',
    async () => {
      const { json } = await get(`/books/${await idOf('bad-data-crc.cbr')}/pages`);
      assert.equal(
        json.map(({ fault }: { fault: string | null }) => fault),
        [null, 'The image is damaged.', null],
      );
      const answers = await Promise.all([1, 2, 3].map((number) => page('bad-data-crc.cbr', number)));
      assert.equal(
        answers.map(({ status }) => status),
        [200, 422, 200],
      );
    },
  );
  check('a truncated zip archive has the complete pages it contains; the truncated page says so', async () => {
    const book = await get(`/books/${await idOf('truncated-half.cbz')}`);
    assert.equal([book.json.analyzed, book.json.analysisError], [true, null]);
    const { json } = await get(`/books/${await idOf('truncated-half.cbz')}/pages`);
    const cut = 'The page is cut off: the file ends in the middle of it.';
    assert.equal(
      json.map(({ fault }: { fault: string | null }) => fault),
      [null, null, null, null, cut],
    );
    const answers = await Promise.all([1, 4, 5].map((number) => page('truncated-half.cbz', number)));
    assert.equal(
      answers.map(({ status }) => status),
      [200, 200, 422],
    );
    assert.is(answers[2]?.json.message, cut);
  });
};

const documents = (check: Check): void => {
  check('a PDF page is rendered at exactly the requested size, even above its nominal one', async () => {
    for (const [query, size] of [
      ['', '1240x1754'],
      ['?width=300', '300x425'],
      ['?height=2500', '1768x2500'],
      ['?width=200&height=200&format=png', '142x200'],
    ] as const)
      assert.is(sizeOf(await page('four-pages.pdf', 2, query)), size, query);
  });
  check('a PDF page that is one JPEG is that JPEG, byte for byte', async () => {
    const answer = await page('comic-image-only.pdf', 6);
    assert.equal([answer.header('content-type'), sizeOf(answer)], ['image/jpeg', '480x679']);
    assert.ok(readFileSync(fixture('books/comic-image-only.pdf')).includes(answer.bytes));
    assert.is(sizeOf(await page('comic-image-only.pdf', 6, '?width=100')), '100x141');
  });
  check('rotation and giant pages: shown rotated, and never larger than the limit', async () => {
    assert.is(sizeOf(await page('rotate-mixed.pdf', 2)), '1650x1275');
    const giant = await page('giant-page.pdf', 1);
    const { width, height } = imageSize(giant.bytes);
    assert.ok(width * height <= 24_010_000 && width === height, `${width}x${height}`);
  });
  check('an EPUB counts positions; its pages are its images in reading order, cover first', async () => {
    const comic = await shelf.bookOf('comic-fxl-rtl.epub');
    assert.equal([comic.pageCount, comic.epubKind], [8, 'images']);
    assert.is(sizeOf(await page('comic-fxl-rtl.epub', 1)), '610x900');
    assert.is(sizeOf(await page('comic-fxl-rtl.epub', 8)), '680x900');
    const text = await shelf.bookOf('toc-5000.epub');
    assert.equal([text.epubKind, (await shelf.bookOf('four-pages.pdf')).epubKind], ['reflowable', null]);
    assert.equal([text.pageCount > 0, (await get(`/books/${text.id}/pages`)).json], [true, []]);
    assert.is((await page('toc-5000.epub', 1)).status, 404);
  });
  check('a book without a picture has a title card, safe to show', async () => {
    const card = await get(`/books/${await idOf('toc-5000.epub')}/thumbnail`, { accept: 'image/svg+xml' });
    assert.equal([card.status, card.header('content-type')], [200, 'image/svg+xml']);
    assert.match(card.header('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    const { json } = await get(`/books/${await idOf('toc-5000.epub')}`);
    const [word = ''] = json.title.split(' ');
    assert.ok(card.bytes.toString().includes(word));
  });
  check('types browsers do not show become JPEG, the others stay as they are', async () => {
    const id = await idOf('bmp-tiff-jp2-pages.cbz');
    const { json } = await get(`/books/${id}/pages`);
    for (const { pageNumber, fileName, fault } of json as { pageNumber: number; fileName: string; fault: string }[]) {
      const answer = await get(`/books/${id}/pages/${pageNumber}`);
      const type = /\.(?:tiff?|jp2|jxl)$/.test(fileName) ? 'image/jpeg' : `image/${fileName.split('.').at(-1)}`;
      if (fault === null) assert.equal([answer.status, answer.header('content-type')], [200, type], fileName);
      else assert.equal([answer.status, fileName.endsWith('.svg')], [422, true], fileName);
      if (/\.(?:bmp|jp2|tiff?)$/.test(fileName))
        assert.is(
          (await get(`/books/${id}/pages/${pageNumber}?width=40&format=webp`)).header('content-type'),
          'image/webp',
        );
    }
  });
};

const UNREADABLE: readonly (readonly [name: string, word: string])[] = [
  ['enc-aes256-user.pdf', 'EncryptedArchive'],
  ['drm-lcp.epub', 'EncryptedArchive'],
  ['7z-as.cbz', 'UnsupportedFormat'],
  ['zip-malformed1.cbz', 'CorruptArchive'],
  ['comicinfo-only.cbr', 'EmptyBook'],
];

const errors = (check: Check): void => {
  check(
    'a book that cannot be read says why at its pages, shows its title as its cover, and is still a book',
    async () => {
      for (const [name, word] of UNREADABLE) {
        const answer = await page(name, 1);
        assert.equal([answer.status, answer.json.error], [422, word], name);
        const book = await get(`/books/${await idOf(name)}`);
        assert.equal([book.json.analyzed, book.json.analysisError], [false, answer.json.message], name);
        assert.is((await get(`/books/${await idOf(name)}/thumbnail`)).header('content-type'), 'image/jpeg');
      }
      const drm = await get(`/books/${await idOf('drm-lcp.epub')}`);
      assert.is(drm.json.metadata.title, 'Protected by LCP');
    },
  );
  check('books with errors are listed by kind; a mismatch of name and content is a remark, not an error', async () => {
    const { json } = await get('/books/errors?pageSize=500');
    assert.is(json.totalBooksWithErrors, UNREADABLE.length + 4);
    const named = (type: string): string[] =>
      (json.groups.find(({ errorType }: { errorType: string }) => errorType === type)?.books ?? [])
        .map(({ book }: { book: { path: string } }) => book.path.split('/').at(-1))
        .sort();
    assert.equal(named('zero_pages'), ['comicinfo-only.cbr']);
    assert.equal(named('format_detection'), ['7z-as.cbz', 'zip-as.cbr']);
    assert.equal(named('parser').includes('truncated-half.cbz'), true);
    assert.equal(named('page_extraction'), ['bad-data-crc.cbr', 'bmp-tiff-jp2-pages.cbz', 'truncated-half.cbz']);
    assert.equal((await get(`/books/${await idOf('zip-as.cbr')}`)).json.fileFormat, 'cbz');
    assert.is((await get('/books/errors?errorType=zero_pages')).json.totalBooksWithErrors, 1);
    assert.is((await get('/books/errors?errorType=nonsense')).status, 400);
  });
  check('a retry reads a file that was repaired in place', async () => {
    const book = await shelf.bookOf('zip-malformed1.cbz');
    const path = join(shelf.temp.shelf, 'Comics', 'zip-malformed1.cbz');
    writeFileSync(path, readFileSync(fixture('books/one-page.cbz')));
    assert.is((await shelf.api('POST', `/books/${book.id}/retry`)).json.tasksEnqueued, 1);
    await until('the book is read', async () => (await get(`/books/${book.id}`)).json.analyzed);
    assert.is(sizeOf(await get(`/books/${book.id}/pages/1`)), '400x600');
    const all = await shelf.api('POST', '/books/retry-all-errors');
    assert.is(all.json.tasksEnqueued, UNREADABLE.length - 1);
    assert.is((await shelf.api('POST', '/books/00000000-0000-7000-8000-000000000000/retry')).status, 404);
  });
};

const scan = async (): Promise<void> => {
  await shelf.api('POST', `/libraries/${shelf.libraryId}/scan`);
  await until('the scan ends', async () => (await get('/scans/active')).json.length === 0);
};

const beside = (check: Check): void => {
  check("a sidecar takes precedence over the book's own metadata, and counts when it is added later", async () => {
    const opf = `<package version="2.0"><metadata><title>Beside</title><creator opf:role="aut">Ann</creator></metadata></package>`;
    writeFileSync(join(shelf.temp.shelf, 'Comics', 'haruko.opf'), opf);
    await scan();
    const { json } = await get(`/books/${await idOf('haruko.cbr')}`);
    assert.equal([json.metadata.title, json.metadata.authors[0].name, json.metadata.number], ['Beside', 'Ann', '2']);
  });
  check(
    'series.json says what the books do not say of their series; cover.jpg is the cover of the series',
    async () => {
      const { seriesId } = (await get(`/books/${await idOf('haruko.cbr')}`)).json;
      const before = await get(`/series/${seriesId}/thumbnail`);
      writeFileSync(
        join(shelf.temp.shelf, 'Comics', 'series.json'),
        JSON.stringify({ metadata: { publisher: 'House', year: 1987, status: 'Ended' } }),
      );
      writeFileSync(
        join(shelf.temp.shelf, 'Comics', 'Folder.PNG'),
        readFileSync(fixture('images/png-palette-alpha.png')),
      );
      await scan();
      const { json } = await get(`/series/${seriesId}/metadata`);
      assert.equal([json.year, json.status], [1987, 'ended']); // what tells of the series beats what a book tells of itself
      const after = await get(`/series/${seriesId}/thumbnail`);
      assert.is(sizeOf(after), '400x267');
      assert.not.ok(before.bytes.equals(after.bytes));
      renameSync(join(shelf.temp.shelf, 'Comics', 'Folder.PNG'), join(shelf.temp.folder, 'gone.png'));
      assert.ok((await get(`/series/${seriesId}/thumbnail`)).bytes.equals(before.bytes), 'the book again at once');
    },
  );
};

block(
  'books of every format',
  (check) => {
    archives(check);
    documents(check);
    errors(check);
    beside(check);
  },
  {
    before: async () => {
      shelf = await stockedShelf([
        'haruko.cbr',
        'six-pages-rar4.cbr',
        'rar4-solid.cbr',
        'rar5-solid.cbr',
        'rar4-stored.cbr',
        'bad-data-crc.cbr',
        'zip-as.cbr',
        'four-pages.pdf',
        'comic-image-only.pdf',
        'rotate-mixed.pdf',
        'giant-page.pdf',
        'comic-fxl-rtl.epub',
        'toc-5000.epub',
        'bmp-tiff-jp2-pages.cbz',
        'truncated-half.cbz',
        ...UNREADABLE.map(([name]) => name),
      ]);
    },
    after: async () => {
      assert.equal(shelf.temp.faults, []);
      await shelf.temp.close();
    },
    deadlineS: 60,
  },
);
