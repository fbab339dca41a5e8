// Names of files that describe a book: other letter case, and accents as characters of their own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { readSidecars, sidecarsOf } from '../../workers/metadata/sidecars.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const BOOK = writeZip([{ name: '1.png', bytes: IMAGE }]);
const opf = (title: string): string =>
  `<package><metadata><title>${title}</title><meta name="calibre:series" content="Named"/></metadata></package>`;

const COMPOSED = 'Crème brûlée 가'.normalize('NFC');
const DECOMPOSED = COMPOSED.normalize('NFD');

let folder = '';
let count = 0;

const fresh = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  count += 1;
  const root = join(folder, String(count));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
};

/** The title that the file next to a book gives it, on a fast disk and on a slow one. */
const titleOf = async (root: string, book: string): Promise<string | null> => {
  const place = { path: join(root, book), root };
  const [fast, slow] = [null, await sidecarsOf(place)].map((there) => readSidecars(place, 1_000_000, there));
  assert.equal(fast, slow);
  return fast?.book?.book.title ?? null;
};

block(
  'names of files next to books',
  (check) => {
    for (const name of ['metadata.opf', 'METADATA.OPF', 'Metadata.opf', 'metadata.OPF', 'book.opf', 'book.OPF'])
      check(name, async () => {
        const root = fresh({ 'book.cbz': BOOK, [name]: opf('Beside') });
        assert.is(await titleOf(root, 'book.cbz'), 'Beside');
        assert.is((await analysed(join(root, 'book.cbz'))).metadata?.book.title, 'Beside');
        const remark = (await analysed(join(fresh({ 'book.cbz': BOOK, [name]: '<package>' }), 'book.cbz'))).notes[0];
        assert.ok(remark?.message.includes(`“${name}”`), name);
      });
    for (const [book, name] of [
      [`${COMPOSED}.cbz`, `${DECOMPOSED}.opf`],
      [`${DECOMPOSED}.cbz`, `${COMPOSED}.opf`],
      [`${DECOMPOSED}.cbz`, `${DECOMPOSED}.opf`],
      [`${COMPOSED}.cbz`, `${DECOMPOSED}.OPF`],
      [`${COMPOSED}.kepub.epub`, `${DECOMPOSED}.opf`],
      [`${DECOMPOSED}.kepub.epub`, `${COMPOSED}.kepub.opf`],
    ] as const)
      check(`${escape(name)} next to ${escape(book)}`, async () => {
        const root = fresh({ [book]: BOOK, [name]: opf('Beside'), 'other.cbz': BOOK });
        assert.is(await titleOf(root, book), 'Beside');
        assert.is(await titleOf(root, 'other.cbz'), null);
      });
    check('the usual name comes first, and that of the book before that of the folder', async () => {
      const root = fresh({
        'book.cbz': BOOK,
        'METADATA.OPF': opf('Shouted'),
        'metadata.opf': opf('Usual'),
      });
      assert.is(await titleOf(root, 'book.cbz'), 'Usual');
      writeFileSync(join(root, 'book.OPF'), opf('Own'));
      assert.is(await titleOf(root, 'book.cbz'), 'Own');
      writeFileSync(join(root, 'book.opf'), opf('Own, as usual'));
      assert.is(await titleOf(root, 'book.cbz'), 'Own, as usual');
    });
    check('one book in two formats, whose names differ in how accents are stored, is one book', async () => {
      const files = { [`${COMPOSED}.cbz`]: BOOK, [`${DECOMPOSED}.epub`]: BOOK, 'METADATA.OPF': opf('Beside') };
      assert.is(await titleOf(fresh(files), `${COMPOSED}.cbz`), 'Beside');
      assert.is(await titleOf(fresh({ ...files, 'other.cbz': BOOK }), `${COMPOSED}.cbz`), null);
    });
    check('series.json', () => {
      for (const name of ['series.json', 'SERIES.JSON', 'Series.json']) {
        const root = fresh({ 'book.cbz': BOOK, [name]: '{"metadata":{"name":"Named"}}' });
        const place = { path: join(root, 'book.cbz'), root };
        assert.is(readSidecars(place, 1_000_000).series?.series.title, 'Named');
      }
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-sidecar-names-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
