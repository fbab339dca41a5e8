// Drawn PDF pages look like those of another renderer (pdftoppm of poppler): compared by a difference hash over a 16 by 16 grid.
import { spawnSync } from 'node:child_process';
import sharp, { type Sharp } from 'sharp';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { drawPage } from '../../workers/formats/mupdf.js';
import { hasCommand } from '../commands.js';
import { assert, block } from '../kit.js';

const DOCUMENTS = [
  'four-pages.pdf',
  'boxes-rotate.pdf',
  'rotate-arabic.pdf',
  'rotate-inherited.pdf',
  'mixed-sizes.pdf',
  'comic-image-only.pdf',
  'scan-6-pages.pdf',
  'scan-jbig2.pdf',
  'titled-a4.pdf',
  'outline.pdf',
  'komga.pdf',
  'metadata-unicode.pdf',
  'pdf-bad-offsets.pdf',
  'pdf-leading-junk.pdf',
];
const PAGES = 3;
const SIDE = 600;
const GRID = 16;
/** Of 256 bits; letters on white move a few, another page or a turned one moves a hundred. */
const BITS_MAX = 24;

const hashOf = async (image: Sharp): Promise<readonly boolean[]> => {
  const shrunk = image.flatten({ background: '#ffffff' }).greyscale();
  const data = await shrunk
    .resize(GRID + 1, GRID, { fit: 'fill' })
    .raw()
    .toBuffer();
  return Array.from({ length: GRID * GRID }, (_, bit) => {
    const at = Math.floor(bit / GRID) * (GRID + 1) + (bit % GRID);
    return (data[at] ?? 0) > (data[at + 1] ?? 0) + 2;
  });
};

const reference = (path: string, page: number): Buffer | undefined => {
  const number = String(page);
  const { status, stdout } = spawnSync(
    'pdftoppm',
    ['-f', number, '-l', number, '-cropbox', '-scale-to', String(SIDE), '-png', path],
    { maxBuffer: 64 * 1024 * 1024, timeout: 20_000 },
  );
  return status === 0 && stdout.length > 0 ? stdout : undefined;
};

const comparePage = async (path: string, page: number): Promise<void> => {
  const wanted = reference(path, page);
  if (wanted === undefined) return;
  const file = openBookFile(path);
  const { bytes, width, height } = drawPage(file, page - 1, { width: SIDE, height: SIDE });
  file.close();
  const other = sharp(wanted);
  const size = await other.metadata();
  assert.ok(
    Math.abs(width / height / (size.width / size.height) - 1) < 0.02,
    `${width}x${height}, not ${size.width}x${size.height}`,
  );
  const [ours, theirs] = [await hashOf(sharp(bytes, { raw: { width, height, channels: 3 } })), await hashOf(other)];
  const different = ours.filter((bit, at) => bit !== theirs[at]).length;
  assert.ok(different <= BITS_MAX, `page ${page} differs in ${different} of ${GRID * GRID} bits`);
};

const isThere = hasCommand('pdftoppm', '-v');

block(
  'rendered pages compared with another renderer',
  (check) => {
    if (!isThere) check.skip('pages of 14 documents', 'it needs pdftoppm (Debian package poppler-utils)');
    for (const name of isThere ? DOCUMENTS : [])
      check(name, async () => {
        for (let page = 1; page <= PAGES; page += 1) await comparePage(fixture(`books/${name}`), page);
      });
  },
  { deadlineS: 60 },
);
