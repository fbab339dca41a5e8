// Names of entries as their makers wrote them: encodings, separators, dots, modes. No page is lost by its name.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { inPageOrder, leftOut, pagesAmong, plainName } from '../../core/model/page-names.js';
import { PageTable } from '../../core/model/page-table.js';
import { remadePageTable } from '../../core/model/stored-pages.js';
import { fixture } from '../../fixtures/index.js';
import { decodeNames } from '../../workers/formats/entry-names.js';
import { decodeKorean } from '../../workers/formats/korean.js';
import { assert, block } from '../kit.js';
import { type OddEntry, writeOddZip, writeRar4 } from '../odd-archives.js';
import { encoded, oddNames } from '../odd-names.js';
import { writeTar } from '../tar-writer.js';
import { analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));

let folder = '';

const namesIn = async (path: string) => {
  const { pageTable, fault, notes } = await analysed(path);
  assert.is(fault, null, path);
  const table = pageTable === null ? null : new PageTable(pageTable);
  const faults = table?.names().map((_, index) => table.entry(index)?.fault);
  assert.ok(
    faults?.every((one) => one === 0),
    `${path}: a page has a fault`,
  );
  return { names: [...(table?.names() ?? [])], notes };
};

const namesOf = (bytes: Uint8Array, name: string) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return namesIn(path);
};

const entriesOf = (names: readonly (string | Uint8Array)[], more: Partial<OddEntry> = {}): OddEntry[] =>
  names.map((name) => ({ name: typeof name === 'string' ? Buffer.from(name, 'latin1') : name, bytes: IMAGE, ...more }));

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Book, and its pages in order. */
const CASES: readonly (readonly [file: string, names: readonly string[]])[] = [
  ['dot-slash.cbz', ['000.jpg', '001.jpg', '002.jpg']],
  ['dot-hack-folder.cbz', [0, 1, 2].map((n) => `.hack Quantum v01/00${n}.jpg`)],
  ['dot-file-pages.cbz', ['.000.jpg', '.001.jpg', '.002.jpg']],
  ['page-jfif-one-of-three.cbz', ['000.jpg', '001.jfif', '002.jpg']],
  ['page-jfif.cbz', ['000.jfif', '001.jfif', '002.jfif']],
  ['zip-names-big5-5c.cbz', ['001成功.jpg', '002成功.jpg', '003成功.jpg']],
  ['zip-names-gbk.cbz', ['第01页.jpg', '第02页.jpg', '第10页.jpg']],
  ['zip-names-euc-kr.cbz', ['한글01.jpg', '한글02.jpg']],
  ['rar4-names-shift-jis.cbr', ['表紙01.jpg', '表紙02.jpg', 'ソ03.jpg']],
  ['zip-unix-file-with-dos-folder-bit.cbz', ['000.jpg', '001.jpg', '002.jpg']],
];

/** Made by other tools: the bytes are those of Python's codecs. */
const ENCODED: readonly (readonly [encoding: string, bytes: string, name: string])[] = [
  ['GBK', 'bdf8bbf7b5c4bedec8cb2fb5da303031bbb02f3030312e6a7067', '进击的巨人/第001话/001.jpg'],
  ['GBK', 'b7e2c3e62e6a7067', '封面.jpg'],
  ['Big5', 'b2c43031adb62e6a7067', '第01頁.jpg'],
  ['EUC-KR', 'c7a5c1f62e6a7067', '표지.jpg'],
  ['code page 949', '8c63b9e6b0a2c7cf2e6a7067', '똠방각하.jpg'],
  ['Shift-JIS', '955c8e862f945c97cd2e6a7067', '表紙/能力.jpg'],
  ['EUC-JP', 'c9bdbbe630312e6a7067', '表紙01.jpg'],
  ['CP866', '83aba0a2a020312f30312e6a7067', 'Глава 1/01.jpg'],
  ['Windows-1251', 'c3ebe0e2e020312f30312e6a7067', 'Глава 1/01.jpg'],
  ['CP437', '6368837465617520442e6a7067', 'château D.jpg'],
  ['CP437', '47726fe1652053747261e1652030312e6a7067', 'Große Straße 01.jpg'],
  ['CP437', '906d696c652085206c6120706c6167652e6a7067', 'Émile à la plage.jpg'],
  ['CP437', '41a46f206e7565766f20a42030312e6a7067', 'Año nuevo ñ 01.jpg'],
  ['CP437', '4d816c6c65722f9a62756e672e6a7067', 'Müller/Übung.jpg'],
  ['Windows-1252', '4d61dfe46e646572756e672fd66c2e6a7067', 'Maßänderung/Öl.jpg'],
  ['Windows-1252', 'c6626c652070e520f82030312e6a7067', 'Æble på ø 01.jpg'],
  ['Windows-1252', '4e69f16f2096206de1732030312e6a7067', 'Niño – más 01.jpg'],
  ['Windows-1252', '417374e972697820e0206c61206d65722f30312e6a7067', 'Astérix à la mer/01.jpg'],
  ['Windows-1252', '50e167696e612030312e6a7067', 'Página 01.jpg'],
  ['Windows-1252', '436170ed74756c6f20332f53e36f204a6fe36f2e6a7067', 'Capítulo 3/São João.jpg'],
];

const HOOKS = {
  before: () => {
    folder = mkdtempSync(join(tmpdir(), 'longbox-names-'));
  },
  after: () => rmSync(folder, { recursive: true, force: true }),
};

block(
  'names of entries as real archives have them',
  (check) => {
    for (const [file, names] of CASES)
      check(`the pages of ${file}`, async () => assert.equal((await namesIn(fixture(`cases/${file}`))).names, names));
    for (const [encoding, bytes, name] of ENCODED) {
      check(`${name} in ${encoding}, in zip and RAR 4`, async () => {
        assert.equal((await namesOf(writeOddZip(entriesOf([hex(bytes)])), 'one.cbz')).names, [name]);
        const ofRar = hex(bytes.replaceAll('2f', '5c'));
        assert.equal((await namesOf(writeRar4(entriesOf([ofRar])), 'one.cbr')).names, [name]);
      });
    }
    check('an archive has one encoding: a name that could be anything is read like the others', () => {
      const gbk = ['b5da3031bbb02e6a7067', 'c1aacda82e6a7067'].map((bytes) => hex(bytes)); // the second is also valid UTF-8
      const names = decodeNames(gbk.map((bytes) => ({ bytes, isUtf8: false, unicodePath: null })));
      assert.equal(names, ['第01话.jpg', '联通.jpg']);
    });
    check('a Unicode path with the right checksum decides, another is ignored', async () => {
      const name = hex('8ee6955c2e706e67');
      const field = (crc: number): Buffer => {
        const text = Buffer.from('別の.png');
        const out = Buffer.alloc(9);
        out.writeUInt16LE(0x7075, 0);
        out.writeUInt16LE(5 + text.length, 2);
        out.writeUInt8(1, 4);
        out.writeUInt32LE(crc, 5);
        return Buffer.concat([out, text]);
      };
      const read = (crc: number) => namesOf(writeOddZip(entriesOf([name], { extra: field(crc) })), 'extra.cbz');
      assert.equal((await read(crc32(name))).names, ['別の.png']);
      assert.not.equal((await read((crc32(name) ^ 1) >>> 0)).names, ['別の.png']);
    });
    check('a flag that promises UTF-8 does not make another encoding unreadable', async () => {
      const names = entriesOf([hex('b5da3031d2b32e6a7067')], { flags: 0x0800 });
      assert.equal((await namesOf(writeOddZip(names), 'flag.cbz')).names, ['第01页.jpg']);
    });
    check('text cut off inside a character of UTF-8 stays UTF-8', () => {
      const bytes = Buffer.concat([Buffer.from('第一話の表紙').subarray(0, 17), Buffer.from('.jpg')]);
      assert.equal(decodeNames([{ bytes, isUtf8: false, unicodePath: null }]), ['第一話の表\ufffd.jpg']);
    });
    check('every syllable of Korean Windows is known', () => {
      assert.is(decodeKorean(hex('8141')), '갂');
      assert.is(decodeKorean(hex('c652')), '힣');
      assert.is(decodeKorean(hex('b0a1')), '가');
      assert.is(decodeKorean(hex('c653')), undefined);
    });
  },
  HOOKS,
);

block(
  'what names of entries mean',
  (check) => {
    check('separators, dots and nothing lead nowhere', () => {
      for (const [name, plain] of [
        ['./a/./b.jpg', 'a/b.jpg'],
        ['/a//b.jpg', 'a/b.jpg'],
        ['.\\a\\b.jpg', 'a/b.jpg'],
        ['../../etc/b.jpg', 'etc/b.jpg'],
        ['a/..b.jpg', 'a/..b.jpg'],
        ['a.b/.c.jpg', 'a.b/.c.jpg'],
      ] as const)
        assert.is(plainName(name), plain);
    });
    check('what begins with a dot is left out while there are other pages, and the book says so', async () => {
      const names = [
        '1.png',
        '.extra/2.png',
        '.3.png',
        '@eaDir/1.png/thumb.jpg',
        'art.psd',
        '__MACOSX/._1.png',
        '._1.png',
      ];
      const found = await namesOf(writeOddZip(entriesOf(names)), 'hidden.cbz');
      assert.equal(found.names, ['1.png']);
      assert.equal(
        found.notes.filter(({ type }) => type === 'other').map(({ message }) => message),
        [
          'Images left out: 4; 2 hidden by a leading dot (.extra, .3.png), 1 in system folders (@eaDir), 1 of a type that cannot be shown (psd). Convert psd files to JPEG or PNG to show them as pages.',
        ],
      );
    });
    check('nothing is said of what holds no images', () => {
      const entries = [
        { name: '1.png' },
        { name: 'ComicInfo.xml' },
        { name: '__MACOSX/._1.png' },
        { name: '.DS_Store' },
      ];
      assert.is(leftOut(entries, pagesAmong(entries)), null);
    });
    check('pages without an extension, or with an odd one, count where there are no others', async () => {
      const names = ['page-2', 'page-10.dat', 'page-1.jpg_large', 'readme.txt'];
      const want = ['page-1.jpg_large', 'page-2', 'page-10.dat'];
      const entries = [...entriesOf(names), { name: Buffer.from('notes'), bytes: Buffer.from('no image') }];
      assert.equal((await namesOf(writeOddZip(entries), 'unnamed.cbz')).names, want);
      assert.equal((await namesOf(writeRar4(entries), 'unnamed.cbr')).names, want);
    });
    check('they count beside others, but not copies, thumbnails and what is hidden or in other folders', async () => {
      const odd = ['02.jpg_large', '03.jpg!d', '04', '05.jpg.tmp', '07.png;1', '08.dat'];
      const copies = ['01.jpg~', '01.jpg.tmp', '01.jpg_original', '06', '06.thm', '09.bak', '.10', 'Thumbs.db'];
      const others = ['readme.txt', 'other/11', 'art.psd'];
      const entries = [
        ...entriesOf(['06.jpg', '01.jpg', ...odd, ...copies, ...others]),
        { name: Buffer.from('第１２ページ．jpg'), bytes: IMAGE, flags: 0x800 },
        { name: Buffer.from('notes'), bytes: Buffer.from('no image') },
        { name: Buffer.from('13.jpg_large'), bytes: Buffer.from('no image') },
      ];
      const [two, three, four, five, seven, eight] = odd;
      const want = ['01.jpg', two, three, four, five, '06.jpg', seven, eight, '第１２ページ．jpg'];
      for (const [bytes, name] of [
        [writeOddZip(entries), 'beside.cbz'],
        [
          writeTar(entries.map(({ name, bytes }) => ({ name: name.toString(), bytes: Buffer.from(bytes) }))),
          'beside.cbt',
        ],
      ] as const) {
        const found = await namesOf(bytes, name);
        assert.equal(found.names, want, name);
        assert.equal(
          found.notes.map(({ message }) => message),
          [
            'Images left out: 5; 4 with an odd extension that are damaged or copies of pages (01.jpg~, 01.jpg.tmp, 01.jpg_original), 1 of a type that cannot be shown (psd). Convert psd files to JPEG or PNG to show them as pages.',
          ],
          name,
        );
      }
      const rar = await namesOf(writeRar4(entriesOf(['06.jpg', '01.jpg', ...odd, ...copies])), 'beside.cbr');
      assert.equal(rar.names, want.slice(0, -1));
    });
    check('pages by their bytes remain pages when a stored table is made again', async () => {
      const path = join(folder, 'again.cbz');
      writeFileSync(path, writeOddZip(entriesOf(['02.jpg_large', '01.jpg', '03'])));
      const { pageTable } = await analysed(path);
      assert.ok(pageTable);
      assert.is(remadePageTable(pageTable), pageTable);
    });
    check('a file is a file: by its Unix mode, or by having content', async () => {
      const file = { system: 3, attributes: (0o100644 << 16) | 0x10 };
      const entries = [
        ...entriesOf(['1.png'], { ...file, attributes: file.attributes >>> 0 }),
        ...entriesOf(['2.png'], { attributes: 0x10 }),
        ...entriesOf(['3.png/']),
        ...entriesOf(['folder/'], { bytes: new Uint8Array(), attributes: 0x10 }),
        ...entriesOf(['folder.png/'], { bytes: new Uint8Array() }),
      ];
      assert.equal((await namesOf(writeOddZip(entries), 'modes.cbz')).names, ['1.png', '2.png', '3.png']);
    });
    check('a cover, by its name, comes first in its folder', () => {
      const order = (...names: string[]) => inPageOrder(names.map((name) => ({ name }))).map(({ name }) => name);
      assert.equal(order('01.jpg', '表紙.jpg'), ['表紙.jpg', '01.jpg']);
      assert.equal(order('a/02.jpg', 'a/封面2.jpg', 'a/封面1.jpg'), ['a/封面1.jpg', 'a/封面2.jpg', 'a/02.jpg']);
      for (const cover of ['cover.jpg', 'Front.png', 'front_cover.jpg', 'Couverture.webp', 'обложка.jpg'])
        assert.equal(order('01.jpg', 'zz.jpg', cover, '02.jpg'), [cover, '01.jpg', '02.jpg', 'zz.jpg']);
      assert.equal(order('b/01.jpg', 'a/01.jpg', 'b/cover.jpg'), ['a/01.jpg', 'b/cover.jpg', 'b/01.jpg']);
      for (const name of ['covers.jpg', 'back cover.jpg', 'cover girl.jpg', 'discover.jpg', 'frontier.jpg'])
        assert.equal(order('01.jpg', '02.jpg', name), ['01.jpg', '02.jpg', name]);
      assert.equal(order('a.jpg', 'b.jpg', '1.jpg', 'cover.jpg'), ['cover.jpg', '1.jpg', 'a.jpg', 'b.jpg']);
      assert.equal(order('a/01.jpg', 'cover/01.jpg', 'cover/02.jpg'), ['a/01.jpg', 'cover/01.jpg', 'cover/02.jpg']);
      assert.equal(order('01.jpg', '表紙裏.jpg', '裏表紙.jpg'), ['01.jpg', '表紙裏.jpg', '裏表紙.jpg']);
    });
  },
  HOOKS,
);

const byName = (paths: readonly string[]): string[] =>
  inPageOrder(paths.map((path) => ({ name: plainName(path) }))).map(({ name }) => name);

block(
  'names at random',
  (check) => {
    check('zip, RAR and a folder give the same pages in the same order, whatever the order of the entries', () =>
      fc.assert(
        fc.asyncProperty(oddNames, async ({ paths, encoding }) => {
          const bytes = paths.map((path) => encoded(path, encoding));
          if (bytes.includes(undefined)) return;
          const some = bytes.map((one) => one ?? Buffer.alloc(0));
          const zip = await namesOf(writeOddZip(entriesOf(some)), 'random.cbz');
          const turned = await namesOf(writeOddZip(entriesOf([...some].reverse())), 'turned.cbz');
          const rar = await namesOf(writeRar4(entriesOf(some)), 'random.cbr');
          assert.is(zip.names.length, paths.length);
          assert.equal(rar.names, zip.names);
          assert.equal(turned.names, zip.names);
          if (encoding === 'utf-8') assert.equal(zip.names, byName(paths));
        }),
        { numRuns: 60 },
      ),
    );
    check('no bytes of a name lose the page', () =>
      fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.uint8Array({ min: 0x20, minLength: 1, maxLength: 12 }), {
            maxLength: 4,
            minLength: 1,
            selector: String,
          }),
          async (all) => {
            const some = all.map((bytes) => Buffer.concat([Buffer.from('p'), bytes, Buffer.from('q.png')]));
            const found = await namesOf(writeOddZip(entriesOf(some)), 'bytes.cbz');
            const hidden = some.filter((name) => /[/\\]\./.test(name.toString('latin1')));
            assert.ok(found.names.length >= Math.max(1, some.length - hidden.length), found.names.join(' '));
          },
        ),
        { numRuns: 200 },
      ),
    );
  },
  HOOKS,
);
