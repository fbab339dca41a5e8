// Dictionaries that RAR archives declare: books with small contents take little memory, whatever the headers say.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RarOptions, writeRar } from '../../bench/rar-writer.js';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { readImage } from '../../workers/formats/read-page.js';
import { modulesBytes } from '../../workers/heaps.js';
import { ppmd } from '../attack/files/greedy-rar.js';
import { withRarSums } from '../fuzz/rar-sums.js';
import { assert, block } from '../kit.js';
import { LIMITS } from '../limits.js';
import { type Analysis, analysed } from './analysed.js';

const MB = 1024 * 1024;
const IMAGES = ['jpeg-baseline.jpg', 'png-palette-alpha.png', 'webp-lossy.webp'].map((name, at) => ({
  name: `page ${at + 1}${name.slice(name.lastIndexOf('.'))}`,
  bytes: readFileSync(fixture(`images/${name}`)),
}));

/** The same bits as those of the format: 128 KiB doubled so many times. */
const rar5 = (exponent: number): number => exponent << 10;
/** Of RAR 7, packed as by RAR 5: a version, one bit more for the size, a fraction in units of a 32nd, and the bit that says so. */
const rar7 = (exponent: number, fraction: number, isPackedAsByRar5: boolean): number =>
  1 | (exponent << 10) | (fraction << 15) | (Number(isPackedAsByRar5) << 20);

let folder = '';

/** What modules had before: other tests of this process may have read files too, and their memory never shrinks. */
let startBytes = 0;
const grown = (): number => modulesBytes() - startBytes;

const withBook = async (bytes: Uint8Array, use: (found: Analysis, path: string) => Promise<void> | void) => {
  const path = join(folder, 'book.cbr');
  writeFileSync(path, bytes);
  await use(await analysed(path), path);
};

const pagesOf = async ({ pageTable }: Analysis, path: string): Promise<Uint8Array[]> => {
  assert.ok(pageTable);
  const table = new PageTable(pageTable);
  const file = openBookFile(path);
  try {
    const pages: Uint8Array[] = [];
    for (let at = 0; at < table.pageCount; at += 1) {
      const entry = table.entry(at);
      assert.ok(entry);
      assert.is(entry.fault, 0);
      pages.push(await readImage(file, entry, { limits: LIMITS, check: () => undefined }));
    }
    return pages;
  } finally {
    file.close();
  }
};

const isSame = async (found: Analysis, path: string): Promise<void> => {
  const pages = await pagesOf(found, path);
  assert.is(pages.length, IMAGES.length);
  for (const [at, { bytes }] of IMAGES.entries())
    assert.ok(bytes.equals(pages[at] ?? Buffer.alloc(0)), `page ${at + 1}`);
  assert.ok(grown() < 64 * MB, `${grown() / MB} MB`);
};

/** Declares another dictionary for all entries of an archive by another program: the second-lowest bits of the compression information. */
const declared = (bytes: Buffer, exponent: number): Buffer => {
  const out = Buffer.from(bytes);
  for (let at = 8; at + 7 < out.length; ) {
    const start = at;
    const vint = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = out[at++] ?? 0;
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return value;
      }
    };
    at += 4;
    const size = vint();
    const end = at + size;
    const type = vint();
    const flags = vint();
    if ((flags & 1) !== 0) vint();
    const data = (flags & 2) !== 0 ? vint() : 0;
    if (type === 2) {
      const fileFlags = vint();
      vint();
      vint();
      at += ((fileFlags & 2) !== 0 ? 4 : 0) + ((fileFlags & 4) !== 0 ? 4 : 0);
      const high = out[at + 1] ?? 0;
      if ((out[at] ?? 0) >= 0x80) out[at + 1] = (high & ~0x78) | (exponent << 3);
    }
    assert.ok(end > start);
    at = end + data;
  }
  return withRarSums(out);
};

block(
  'dictionaries of RAR archives',
  (check) => {
    for (const name of ['rar5-dictionary-512mb.cbr', 'rar5-dictionary-256mb-solid.cbr'])
      check(`${name} shows its three pages`, async () => {
        const path = fixture(`cases/${name}`);
        const found = await analysed(path);
        assert.is(found.fault, null);
        assert.is((await pagesOf(found, path)).length, 3);
        assert.ok(grown() < 64 * MB, `${grown() / MB} MB`);
      });
    for (const [fact, dictionary] of [
      ['512 MB', rar5(12)],
      ['1 GB', rar5(13)],
      ['4 GB', rar5(15)],
      ['4 GB as RAR 7 writes it', rar7(15, 0, true)],
      ['62 GB as RAR 7 writes it', rar7(18, 30, true)],
    ] as const)
      for (const isSolid of [false, true])
        check(
          `a dictionary of ${fact} takes no more than the pages ${isSolid ? 'of a solid archive ' : ''}need`,
          () => {
            const options: RarOptions = { isPacked: true, isSolid, dictionary };
            return withBook(writeRar(IMAGES, options), isSame);
          },
        );
    check('a solid archive by RAR itself has the same pages when it declares 4 GB', async () => {
      const bytes = readFileSync(fixture('books/rar5-solid.cbr'));
      const seen: Uint8Array[][] = [];
      for (const book of [bytes, declared(bytes, 15)])
        await withBook(book, async (found, path) => {
          seen.push(await pagesOf(found, path));
        });
      assert.equal(seen[1], seen[0]);
      assert.ok(grown() < 64 * MB, `${grown() / MB} MB`);
    });
    check(
      'a solid archive whose pages may refer back further than there is memory for names the dictionary and the limit',
      () => {
        const first = { name: 'a.bin', bytes: Buffer.alloc(1000), claimedBytes: 500 * MB };
        const bytes = writeRar([first, ...IMAGES], { isPacked: true, isSolid: true, dictionary: rar5(12) });
        return withBook(bytes, ({ fault }) => {
          assert.is(fault?.kind, 'LimitExceeded');
          assert.match(fault?.message ?? '', /dictionary of 512 MB.*allows 96 MB/);
          assert.ok(grown() < 64 * MB, `${grown() / MB} MB`);
        });
      },
    );
    check('a model for text that takes more than there is memory for is refused by name', () =>
      withBook(ppmd(256), ({ fault }) => {
        assert.is(fault?.kind, 'LimitExceeded');
        assert.match(fault?.message ?? '', /needs more memory, and this server allows 168 MB/);
        assert.ok(grown() < 64 * MB, `${grown() / MB} MB`);
      }),
    );
    check('an archive that only RAR 7 can unpack says so', () =>
      withBook(writeRar(IMAGES, { isPacked: true, isSolid: false, dictionary: rar7(16, 0, false) }), ({ fault }) => {
        assert.match(fault?.message ?? '', /RAR 7/);
      }),
    );
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-rar-'));
      startBytes = modulesBytes();
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
