// Books packed by many programs: zip, 7z, bsdtar, tar, jar, Python. The names, folders and compression of each lead to the same pages.
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { sizeOfBytes } from '../../workers/image-head.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from './analysed.js';

const IN_EPUB = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => `OEBPS/Images/${name}`);
const IN_ARCHIVE = ['000.jpg', '001.jpg', '002.jpg'];
const HIDDEN = ['...and I Love You/002.jpg', '.hack Quantum v01/000.jpg', '.hack Quantum v01/001.jpg'];
const below = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`);
const numbered = (stem: string): string[] => [`${stem}01.jpg`, `${stem}02.jpg`];

/** Without remarks: everything in them is shown. */
const BOOKS: readonly (readonly [file: string, pages: readonly string[]])[] = [
  ['folder-zip.epub', below('src', IN_EPUB)],
  ['folder-7z.epub', below('src', IN_EPUB)],
  ['folder-bsdtar.epub', below('src', IN_EPUB)],
  ['folder-macos-python.epub', below('My Book.epub', IN_EPUB)],
  ['jar.epub', IN_EPUB],
  ['stored-zip.epub', IN_EPUB],
  ['backslash-python.epub', IN_EPUB],
  ['references-backslash-python.epub', IN_EPUB],
  ['decomposed-python.epub', ['OEBPS/Images/é a.jpg', 'OEBPS/Images/é b.jpg']],
  ['dot-bsdtar.cbz', IN_ARCHIVE],
  ['dot-jar.cbz', IN_ARCHIVE],
  ['dot-7z.cbt', IN_ARCHIVE],
  ['dot-gnutar.cbt', IN_ARCHIVE],
  ['dot-backslash-python.cbz', IN_ARCHIVE],
  ['hidden-folder-7z.cbz', HIDDEN],
  ['hidden-folder-gnutar.cbt', HIDDEN],
  ['extensions-deflate64-7z.cbz', ['00.jpg', '03.jif', '06.pjpeg', '22.jpx']],
  ['extensions-zip.cbz', '01.jpe 02.JFIF 04.jfi 20.j2k 21.jp2 23.jpf 24.j2c 30.jxl 31.JXL 41.avif 56.heif'.split(' ')],
  [
    'jp2-openjpeg.cbz',
    ['16bit.jp2', 'alpha.jp2', 'layers.jp2', 'no-transform.j2k', 'tiles.jp2'].map((name) => `jp2-small-${name}`),
  ],
  [
    'names-gbk-bs-streamed-python.cbz',
    ['封面', '001'].map((name) => `漫画/第01话/${name}.jpg`).concat('漫画/第10话/彩页.jpg'),
  ],
  ['names-big5-bs-streamed-python.cbz', numbered('功課表/許蓋')],
  ['names-shift_jis-bs-streamed-python.cbz', numbered('表紙/ソ能')],
  ['names-cp949-bs-streamed-python.cbz', numbered('표지/똠')],
];

const REFUSED: readonly (readonly [file: string, kind: string, message: RegExp])[] = [
  ['deflate64-7z.epub', 'UnsupportedFormat', /^The EPUB book is compressed with Deflate64, .*; repack the archive/],
  ['bzip2-7z.epub', 'UnsupportedFormat', /^The EPUB book is compressed with bzip2, .*; repack the archive/],
  ['password-zip.epub', 'EncryptedArchive', /^The EPUB book is packed with a password; pack it again without one/],
];

/** Every page is read, and is as large as the analysis says. */
const checkPages = async (path: string, table: PageTable): Promise<void> => {
  const file = openBookFile(path);
  try {
    for (const [index, name] of table.names().entries()) {
      const page = table.entry(index);
      assert.is(page?.fault, 0, name);
      if (page === undefined) continue;
      const bytes = await readImage(file, page, { limits: LIMITS, check: () => undefined });
      if (/jpe?g?$|jfif$|jfi$|jif$|jpe$/i.test(name)) {
        const size = sizeOfBytes(bytes, 'jpeg');
        assert.equal([size?.width, size?.height], [page.width, page.height], name);
      }
    }
  } finally {
    file.close();
  }
};

block('books packed by other programs', (check) => {
  for (const [name, pages] of BOOKS)
    check(`${name}: ${pages.length} pages in order, each can be read`, async () => {
      const path = fixture(`cases/tools/${name}`);
      const { pageTable, fault, notes, cover, epubKind, metadata } = await analysed(path);
      assert.equal([fault, notes], [null, []]);
      const table = new PageTable(pageTable ?? new Uint8Array());
      assert.equal(
        table.names().map((one) => one.normalize('NFC')),
        pages,
      );
      assert.is.not(cover, null);
      if (name.endsWith('.epub')) assert.equal([epubKind, metadata?.book.title], ['images', 'Path Test']);
      await checkPages(path, table);
    });
  for (const [name, kind, message] of REFUSED)
    check(`${name} says why it cannot be read`, async () => {
      const { fault } = await analysed(fixture(`cases/tools/${name}`));
      assert.is(fault?.kind, kind);
      assert.match(fault?.message ?? '', message);
      assert.not.ok(fault?.message.includes('Copy or download'));
    });
});
