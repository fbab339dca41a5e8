// RAR archives in which identical files are saved once: the others stand for it, and are pages like it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RarItem, type RarOptions, writeRar } from '../../bench/rar-writer.js';
import { PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { analysed } from './analysed.js';

const ONE = readFileSync(fixture('images/jpeg-baseline.jpg'));
const TWO = readFileSync(fixture('images/webp-lossy.webp'));
const NOT_A_FILE = 'The page is not a regular file.';
const WAYS: readonly (readonly [how: string, options: RarOptions])[] = [
  ['stored', { isPacked: false, isSolid: false }],
  ['packed', { isPacked: true, isSolid: false }],
  ['solid', { isPacked: true, isSolid: true }],
];

let folder = '';

/** The bytes of each page as it is sent, or why it is not. */
const pagesOf = async (items: readonly RarItem[], options: RarOptions): Promise<readonly unknown[]> => {
  const path = join(folder, 'book.cbr');
  writeFileSync(path, writeRar(items, options));
  const { pageTable, fault } = await analysed(path);
  assert.equal(fault, null);
  const table = new PageTable(pageTable ?? new Uint8Array());
  const file = openBookFile(path);
  const found: unknown[] = [];
  try {
    for (const [at, name] of table.names().entries()) {
      const entry = table.entry(at);
      assert.ok(entry, name);
      const isReadable = entry.fault === 0;
      const image = isReadable ? await readImage(file, entry, { limits: LIMITS, check: () => undefined }) : null;
      found.push(image === null ? PAGE_FAULTS[entry.fault] : Buffer.from(image).toString('base64'));
    }
  } finally {
    file.close();
  }
  return found;
};

const [one, two] = [ONE.toString('base64'), TWO.toString('base64')];
const FIRST = { name: '第01話/01.jpg', bytes: ONE };
const SECOND = { name: '第01話/02.webp', bytes: TWO };
const linked = (name: string, type: 'symbolic' | 'hard' | 'copy', to: string, bytes = ONE): RarItem => ({
  name,
  bytes,
  link: { type, to },
});

block(
  'links in RAR archives',
  (check) => {
    for (const [how, options] of WAYS)
      for (const type of ['copy', 'hard'] as const)
        check(`a ${type} link to an earlier page is that page, in a ${how} archive`, async () => {
          const third = linked('第01話/03.jpg', type, FIRST.name);
          const fourth = linked('第02話/01.jpg', type, third.name);
          const pages = [FIRST, SECOND, third, { name: '第01話/04.webp', bytes: TWO }, fourth];
          assert.equal(await pagesOf(pages, options), [one, two, one, two, one]);
        });
    for (const [fact, link] of [
      ['a symbolic link to a page', linked('x.jpg', 'symbolic', FIRST.name)],
      ['a symbolic link without a size', linked('x.jpg', 'symbolic', '/etc/passwd', Buffer.alloc(0))],
      ['a copy of a file outside', linked('x.jpg', 'copy', '../../etc/passwd')],
      ['a copy of itself', linked('x.jpg', 'copy', 'x.jpg')],
      ['a copy of a later page', linked('x.jpg', 'copy', '第02話/09.jpg')],
      ['a hard link to the copy of a missing page', linked('x.jpg', 'hard', 'lost.jpg')],
    ] as const)
      check(`${fact} is not followed, and the page says why it is not shown`, async () => {
        const lost = linked('lost.jpg', 'copy', 'nowhere.jpg');
        const pages = [FIRST, SECOND, lost, link, { ...FIRST, name: '第02話/09.jpg' }];
        const found = await pagesOf(pages, { isPacked: false, isSolid: false });
        assert.equal(found.toSorted(), [NOT_A_FILE, NOT_A_FILE, one, one, two].toSorted());
      });
    check('of two entries with one name, the copy of it is the last before it', async () => {
      const again = { name: FIRST.name, bytes: TWO };
      const pages = [FIRST, again, linked('第09話/01.jpg', 'copy', FIRST.name)];
      const found = await pagesOf(pages, { isPacked: false, isSolid: false });
      assert.is(found.at(-1), two);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-rar-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
