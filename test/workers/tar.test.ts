// Tar archives by several programs, and such as no program writes: names, sizes, links, damage, and what must end quickly.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METHOD, PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { TAR_BLOCK_BYTES } from '../../core/model/tar-header.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { assert, block, type Check } from '../kit.js';
import { LIMITS } from '../limits.js';
import { picture } from '../scan/changing-shelf.js';
import { paxHeader, TAR_END, type TarItem, tarEntry, tarHeader, writeTar } from '../tar-writer.js';
import { type Analysis, analysed } from './analysed.js';

let folder = '';

const PAGES = ['one', 'two', 'three'].map((words, at) => ({ name: `${at + 1}.png`, bytes: picture(words) }));
const [ONE = { name: '', bytes: Buffer.alloc(0) }, TWO = ONE, THREE = ONE] = PAGES;

const of = async (bytes: Uint8Array, name = 'book.cbt'): Promise<Analysis> => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return analysed(path);
};

const tableOf = ({ pageTable, fault }: Analysis): PageTable => {
  assert.ok(pageTable, fault?.message);
  return new PageTable(pageTable);
};

const faultsOf = (found: Analysis): (string | null | undefined)[] => {
  const table = tableOf(found);
  return table.names().map((_, at) => PAGE_FAULTS[table.entry(at)?.fault ?? -1]);
};

const namesOf = (found: Analysis): readonly string[] => tableOf(found).names();

const isSound = (found: Analysis, names: readonly string[]): void => {
  assert.is(found.fault, null);
  assert.equal([found.format, namesOf(found), found.notes], ['cbt', names, []]);
  assert.ok(faultsOf(found).every((fault) => fault === null));
};

const LONG = 'A very long title of a series that goes on and on, until it is longer than the field '.repeat(2).trim();
const LONG_NAMES = ['xxxxx', 'x'.repeat(110), 'xxxxx', 'xxxxx'].map(
  (x, at) => `${LONG}/第一巻/第${at + 1}頁 — ${x}.png`,
);

const byPrograms = (check: Check): void => {
  for (const name of ['gnu-long-names', 'pax-long-names', 'bsdtar-pax', 'bsdtar-gnutar', 'python-pax', '7z-long'])
    check(`${name}: long names, Unicode, metadata, pages in the file as they are`, async () => {
      const found = await analysed(fixture(`cases/tar-${name}.cbt`));
      isSound(found, LONG_NAMES);
      assert.is(found.metadata?.book.title, 'In a tar');
      const table = tableOf(found);
      const sizes = [1, 2, 3, 4].map((n) => `${table.entry(n - 1)?.width}x${table.entry(n - 1)?.height}`);
      assert.equal(sizes, ['10x20', '20x40', '30x60', '40x80']);
      assert.is(table.entry(0)?.method, METHOD.raw);
      assert.match(found.pageHashes ?? '', /^107c98fa/);
    });
  for (const name of ['v7', 'ustar', 'bsdtar-ustar', '7z'])
    check(`${name}: short names`, async () =>
      isSound(await analysed(fixture(`cases/tar-${name}.cbt`)), ['page 1.png', 'page 2.png', 'page 3.png']),
    );
  check('names in Shift-JIS, in which half of a character is a backslash', async () =>
    isSound(
      await analysed(fixture('cases/tar-python-sjis.cbt')),
      [1, 2, 3].map((n) => `表示/ソ0${n}ページ.png`),
    ),
  );
  check('a hard link is the page it is linked to; a symbolic link and a pipe are pages that say why not', async () => {
    const found = await analysed(fixture('cases/tar-links.cbt'));
    const no = 'The page is not a regular file.';
    assert.equal(faultsOf(found), [null, null, null, null, no, no]);
    assert.equal(tableOf(found).entry(3)?.address, tableOf(found).entry(0)?.address);
  });
  for (const name of ['sparse-gnu', 'sparse-pax'])
    check(`${name}: a sparse file is named as such, and what follows it is found`, async () => {
      const faults = faultsOf(await analysed(fixture(`cases/tar-${name}.cbt`)));
      assert.match(faults[0] ?? '', /sparse file.*pack the archive without --sparse/);
      assert.is(faults[1], null);
    });
};

const headers = (check: Check): void => {
  const sound: readonly (readonly [string, readonly TarItem[], readonly string[]])[] = [
    ['a path in two fields', [{ ...ONE, prefix: 'a/b' }], ['a/b/1.png']],
    ['no second field in GNU tar', [{ ...ONE, magic: 'ustar  \0', prefix: '1234567' }], ['1.png']],
    [
      'a size in base 256',
      [{ ...ONE, size: Buffer.from([0x80, ...Array(9).fill(0), ONE.bytes.length >> 8, ONE.bytes.length & 0xff]) }],
      ['1.png'],
    ],
    [
      'a signed checksum, without a signature',
      [{ ...ONE, name: Buffer.from('\x82t\x82.png', 'latin1'), magic: '', isSigned: true }],
      ['été.png'],
    ],
    ['a path of pax', [paxHeader({ path: '漫画/一.png' }), ONE], ['漫画/一.png']],
    ['pax: an empty path takes back another', [paxHeader({ path: 'a.png' }), paxHeader({ path: '' }), ONE], ['1.png']],
    [
      'pax: a size before one that is wrong',
      [paxHeader({ size: String(ONE.bytes.length) }), { ...ONE, size: '7\0' }],
      ['1.png'],
    ],
    ['pax: a global comment', [paxHeader({ comment: 'x'.repeat(90) }, 'g'), ONE, TWO], ['1.png', '2.png']],
    ['a header of the vendor', [{ name: 'acl', type: 'A', bytes: Buffer.from('user::rw-') }, ONE], ['1.png']],
    ['a label of the volume', [{ name: 'Comics', type: 'V' }, ONE], ['1.png']],
    ['a label without a size, as of GNU tar', [{ name: 'Comics', type: 'V', size: '\0' }, ONE], ['1.png']],
    ['a type that is not known is a file', [{ ...ONE, type: '9' }], ['1.png']],
    [
      'leading `./` and `/` mean nothing',
      [
        { ...ONE, name: './a//1.png' },
        { ...TWO, name: '/a/2.png' },
      ],
      ['a/1.png', 'a/2.png'],
    ],
    ['`..` leads nowhere', [{ ...ONE, name: '../../etc/1.png' }], ['etc/1.png']],
    ['resource forks of a Mac', [{ name: './._1.png', bytes: Buffer.alloc(99, 5) }, ONE], ['1.png']],
    [
      'pages without an extension',
      PAGES.map(({ bytes }, at) => ({ name: `page${at}`, bytes })),
      ['page0', 'page1', 'page2'],
    ],
    ['a folder of the size of its entries', [{ name: 'a', type: '5', size: '00000010000\0' }, ONE], ['1.png']],
    [
      'a hard link with the size of its file',
      [ONE, { name: '2.png', type: '1', link: '1.png', size: '00000000400\0' }, THREE],
      ['1.png', '2.png', '3.png'],
    ],
    ['a hard link with content', [ONE, { ...TWO, type: '1', link: '1.png' }, THREE], ['1.png', '2.png', '3.png']],
  ];
  for (const [fact, items, names] of sound) check(fact, async () => isSound(await of(writeTar(items)), names));
  check('of entries with the same name the last counts', async () => {
    const found = await of(writeTar([{ ...ONE, name: 'a.png' }, TWO, { ...THREE, name: 'a.png' }]));
    isSound(found, ['2.png', 'a.png']);
    const file = openBookFile(join(folder, 'book.cbt'));
    try {
      const entry = tableOf(found).entry(1);
      assert.ok(entry);
      const bytes = await readImage(file, entry, { limits: LIMITS, check: () => undefined });
      assert.ok(THREE.bytes.equals(bytes));
    } finally {
      file.close();
    }
  });
  check('an entry may begin with bytes of another format', async () =>
    isSound(await of(writeTar([{ name: 'a.dat', bytes: Buffer.from('%PDF-1.4 not shown') }, ONE])), ['1.png']),
  );
  check('images that are left out are counted', async () => {
    const { notes } = await of(writeTar([ONE, { ...TWO, name: '.trash/2.png' }, { ...THREE, name: 'a.psd' }]));
    assert.match(JSON.stringify(notes), /Images left out: 2/);
  });
  check('a tar archive under another name is read, with a remark', async () => {
    const found = await of(writeTar(PAGES), 'book.cbz');
    assert.equal(namesOf(found).length, 3);
    assert.match(JSON.stringify(found.notes), /named \.cbz but is a tar archive/);
  });
};

const damage = (check: Check): void => {
  const noted = async (bytes: Uint8Array, faults: readonly (string | null)[], note: RegExp): Promise<void> => {
    const found = await of(bytes);
    assert.equal(faultsOf(found), faults);
    assert.match(JSON.stringify(found.notes), note);
  };
  const refused = async (bytes: Uint8Array, kind: string, why: RegExp): Promise<void> => {
    const { fault } = await of(bytes);
    assert.is(fault?.kind, kind);
    assert.match(fault?.message ?? '', why);
  };
  const cut = 'The page is cut off: the file ends in the middle of it.';
  check('cut off in the middle of a page: the page says so', () =>
    noted(writeTar(PAGES).subarray(0, 2 * 1024 + TAR_BLOCK_BYTES + 90), [null, null, cut], /incomplete: it is cut off/),
  );
  check('cut off in the middle of a header, or without an end: a remark', async () => {
    await noted(writeTar(PAGES).subarray(0, 2 * 1024 + 100), [null, null], /incomplete: it is cut off/);
    await noted(writeTar(PAGES).subarray(0, 3 * 1024), [null, null, null], /incomplete: its end mark is missing/);
  });
  check('a size beyond the file', () =>
    noted(
      Buffer.concat([tarEntry(ONE), tarHeader({ ...TWO, size: '77777777777\0' }), TWO.bytes]),
      [null, cut],
      /cut off/,
    ),
  );
  check('a negative size, and one of 2⁷⁰: the next header is looked for', async () => {
    for (const size of [Buffer.alloc(12, 0xff), Buffer.from([0x80, 0, 1, ...Array(9).fill(0)]), Buffer.from('no size')])
      await noted(writeTar([ONE, { ...TWO, size }, THREE]), [null, null], /entry at byte 1024 has no valid size/);
  });
  check('a damaged header: the next one is looked for', () =>
    noted(writeTar([ONE, { ...TWO, hasWrongSum: true }, THREE]), [null, null], /damaged at byte 1024/),
  );
  check('the first header is destroyed: the others are looked for', async () => {
    const whole = writeTar(PAGES);
    for (const byte of [0, 0xaa, 0x20])
      await noted(
        Buffer.concat([Buffer.alloc(TAR_BLOCK_BYTES, byte), whole.subarray(TAR_BLOCK_BYTES)]),
        [null, null],
        /damaged at byte 0/,
      );
    await noted(Buffer.concat([Buffer.alloc(1500, 1), whole.subarray(1500)]), [null], /damaged at byte 0/);
    assert.match((await of(Buffer.alloc(5000, 1))).fault?.message ?? '', /not a zip, RAR, tar/);
  });
  check('junk between entries', () =>
    noted(
      Buffer.concat([tarEntry(ONE), Buffer.alloc(5 * TAR_BLOCK_BYTES, 7), writeTar([TWO])]),
      [null, null],
      /damaged at/,
    ),
  );
  check('a single empty block between entries is no end', async () =>
    isSound(await of(Buffer.concat([tarEntry(ONE), Buffer.alloc(TAR_BLOCK_BYTES), writeTar([TWO])])), [
      '1.png',
      '2.png',
    ]),
  );
  check('extension headers before an entry are limited, and so is their size', async () => {
    const many = Array.from({ length: 2000 }, () => paxHeader({ path: 'a.png' }));
    await noted(writeTar([ONE, ...many, TWO]), [null, null], /too many or too large headers precede the entry/);
    const large = { name: 'L', type: 'L', bytes: Buffer.alloc(1024 * 1024 + 1, 0x61) };
    await noted(writeTar([ONE, large, TWO]), [null, null], /too many or too large headers precede the entry/);
  });
  check('records of pax that cannot be told apart are passed over', async () => {
    for (const text of ['99999999 path=x\n', '0 path=x\n', 'path=x\n', '5 a\n', '-9 path=x\n', ' '.repeat(400)])
      isSound(await of(writeTar([{ name: 'p', type: 'x', bytes: Buffer.from(text) }, ONE])), ['1.png']);
  });
  check('a sparse file whose list of parts does not end', async () => {
    const header = tarHeader({ ...TWO, type: 'S' });
    header.fill(1, 482, 483);
    const again = tarHeader({ ...TWO, type: 'S', size: '00000000000\0' });
    const found = await of(Buffer.concat([tarEntry(ONE), again, Buffer.alloc(900 * TAR_BLOCK_BYTES, 1)]));
    assert.is(faultsOf(found)[0], null);
  });
  check('a hard link to nothing, to itself, and in a circle', async () => {
    const link = (name: string, to: string): TarItem => ({ name, type: '1', link: to });
    const faults = faultsOf(
      await of(writeTar([ONE, link('2.png', 'no.png'), link('3.png', '3.png'), link('4.png', '5.png')])),
    );
    assert.equal(faults, [null, ...Array(3).fill('The page is not a regular file.')]);
  });
  check('more entries than the limit are refused', async () => {
    const entries = Array.from({ length: LIMITS.archiveEntries + 1 }, (_, at) => tarHeader({ name: `${at}.png` }));
    await refused(Buffer.concat([...entries, TAR_END]), 'LimitExceeded', /more than \d+ files/);
  });
  check('no page, and damage: the book is damaged, and the advice is given', () =>
    refused(tarHeader({ ...ONE, hasWrongSum: true }), 'CorruptArchive', /tar archive is damaged.*again/i),
  );
  check('an empty archive, and one of texts, contain no images', async () => {
    await refused(writeTar([{ name: 'a/', type: '5' }]), 'EmptyBook', /./);
    await refused(writeTar([{ name: 'a.txt', bytes: Buffer.from('x') }]), 'EmptyBook', /./);
  });
};

block(
  'tar archives',
  (check) => {
    byPrograms(check);
    headers(check);
    damage(check);
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-tar-'));
    },
    after: () => rmSync(folder, { recursive: true }),
  },
);
