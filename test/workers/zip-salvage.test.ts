// Zip archives without a directory: what was whole when the file was cut stays readable, the page in the cut is told, and no file made to
// harm is believed, hangs, or is read beyond its end.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import { PAGE_FAULTS, PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { exercise } from '../fuzz/exercise.js';
import { runsHere } from '../fuzz/here.js';
import { assert, block, type Check } from '../kit.js';
import { LIMITS } from '../limits.js';
import { type Analysis, analysed } from './analysed.js';
import { type BareItem, type BareZip, LENGTHS, writeBareZip } from './bare-zip.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));
const CUT_OFF = 'The page is cut off: the file ends in the middle of it.';
const DAMAGED = 'The image is damaged.';

let folder = '';

const fileOf = (bytes: Uint8Array, name = 'book.cbz'): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

interface Page {
  readonly name: string;
  readonly fault: string | null;
  /** Null for a page with a fault. */
  readonly bytes: Buffer | null;
}

const pagesIn = async (path: string, { pageTable }: Analysis): Promise<readonly Page[]> => {
  if (pageTable === null) return [];
  const table = new PageTable(pageTable);
  const pages: Page[] = [];
  for (const [index, name] of table.names().entries()) {
    const page = table.entry(index);
    assert.ok(page);
    const read =
      page.fault === 0 ? await runsHere('original', { path, state: null, page, limits: LIMITS }) : { bytes: null };
    pages.push({
      name,
      fault: PAGE_FAULTS[page.fault] ?? null,
      bytes: read.bytes === null ? null : Buffer.from(read.bytes),
    });
  }
  return pages;
};

const readBook = async (bytes: Uint8Array) => {
  const path = fileOf(bytes);
  const found = await analysed(path);
  return { found, pages: await pagesIn(path, found) };
};

/** Names and faults, `-` for none. */
const told = (pages: readonly Page[]): string[] => pages.map(({ name, fault }) => `${name} ${fault ?? '-'}`);

/** An image of its own, which a program may add anything to. */
const image = (tail: Uint8Array): Buffer => Buffer.concat([IMAGE, tail]);

const item = (name: string, options: Partial<BareItem> = {}): BareItem => ({
  name,
  bytes: image(Buffer.from(name)),
  isDeflated: false,
  lengths: 'before',
  ...options,
});

/** What a file that ends at `cut` still says: whole pages with their bytes, and the page that was cut when its header is whole. */
const expected = ({ entries }: BareZip, cut: number): readonly Page[] =>
  entries
    .filter(({ start }) => start <= cut)
    .map(({ item: { name, bytes, lengths }, contentEnd, end }) => {
      const isWhole = cut >= (lengths === 'before' ? contentEnd : end);
      return { name, fault: isWhole ? null : CUT_OFF, bytes: isWhole ? Buffer.from(bytes) : null };
    });

const isRead = async (zip: BareZip, cut: number): Promise<void> => {
  const { found, pages } = await readBook(zip.bytes.subarray(0, cut));
  const wanted = expected(zip, cut);
  assert.equal(told(pages), told(wanted), `cut at ${cut}`);
  for (const [index, { bytes }] of pages.entries())
    if (bytes !== null) assert.ok(bytes.equals(wanted[index]?.bytes ?? Buffer.alloc(0)), `page ${index + 1}`);
  const isReadable = wanted.some(({ fault }) => fault === null);
  assert.is(found.fault?.kind ?? null, isReadable ? null : 'CorruptArchive');
  if (isReadable) assert.match(found.notes[0]?.message ?? '', /^The zip archive is damaged/);
};

const refused = async (bytes: Uint8Array): Promise<void> => {
  const { found } = await readBook(bytes);
  assert.equal([found.fault?.kind, found.pageTable, found.notes], ['CorruptArchive', null, []]);
};

const full = (part: Uint8Array, size = 1 << 20): Buffer => Buffer.alloc(size, part);

/** A header of an entry that says it has no content, or is told otherwise. */
const header = (name: string, size = 0, method = 0): Buffer => {
  const { bytes } = writeBareZip([item(name, { bytes: Buffer.alloc(0), lie: size })]);
  bytes.writeUInt16LE(method, 8);
  bytes.writeUInt32LE(size, 22);
  return bytes;
};

const HOSTILE: Readonly<Record<string, () => Buffer>> = {
  marks: () => full(Buffer.from('PK')),
  'signatures of headers': () => full(Buffer.from('PK\u0003\u0004')),
  'signatures of lengths behind content': () => full(Buffer.from('PK\u0007\u0008')),
  'signatures of a directory': () => full(Buffer.from('PK\u0001\u0002')),
  'headers of names that are 64 kB long': () => {
    const one = header('1.png');
    one.writeUInt16LE(0xffff, 26);
    return full(one);
  },
  'headers whose content is all the rest': () => full(header('1.png', 0x7fffffff), 512 * 1024),
  'headers whose lengths stand behind content that never ends': () =>
    full(
      writeBareZip([item('1.png', { bytes: Buffer.alloc(0), lengths: 'unsigned' })]).bytes.subarray(0, 35),
      512 * 1024,
    ),
  'a header and zeros': () => Buffer.concat([header('1.png', 1000, 8), Buffer.alloc(1 << 20)]),
};

const hostile = (check: Check): void => {
  check('bytes without any header are still a damaged archive', async () => {
    for (const bytes of [
      Buffer.from('PK'),
      full(Buffer.from('text ')),
      Buffer.alloc(100),
      Buffer.from('PK\u0003\u0004'),
    ])
      await refused(bytes);
  });
  check('an archive without a page is damaged, not empty', () =>
    refused(writeBareZip([item('a.txt'), item('b.nfo')]).bytes),
  );
  check('a header after more than a megabyte of other bytes does not begin an archive', () =>
    refused(Buffer.concat([Buffer.alloc((1 << 20) + 1), writeBareZip([item('1.png')]).bytes])),
  );
  check('more entries than allowed is a limit error, as with a directory', async () => {
    const many = full(header('1.png'), header('1.png').length * (LIMITS.archiveEntries + 1));
    assert.is((await analysed(fileOf(many))).fault?.kind, 'LimitExceeded');
  });
  check('names that need more memory than a directory may have are a limit error too', async () => {
    const one = header('1.png');
    one.writeUInt16LE(0xffff, 26);
    const long = Buffer.concat([one, Buffer.alloc(0xffff - 5, 'x')]);
    const many = full(long, long.length * 1100);
    assert.is((await analysed(fileOf(many))).fault?.kind, 'LimitExceeded');
  });
  for (const [fact, bytes] of Object.entries(HOSTILE))
    check(`it ends in bounded time: ${fact}`, async () =>
      assert.equal((await exercise(runsHere, fileOf(bytes()))).findings, []),
    );
  check('an EPUB without its package is damaged; with it, the rest is read', async () => {
    const whole = writeBareZip([
      { ...item('mimetype'), bytes: Buffer.from('application/epub+zip') },
      { ...item('META-INF/container.xml'), bytes: Buffer.from('<container><rootfile full-path="p.opf"/></container>') },
      {
        ...item('p.opf'),
        bytes: Buffer.from(
          '<package><manifest><item id="a" href="1.png" media-type="image/png"/><item id="b" href="2.png" media-type="image/png"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        ),
      },
      item('1.png'),
      item('2.png'),
    ]);
    const [, , opf, , last] = whole.entries;
    assert.ok(opf && last);
    await refused(whole.bytes.subarray(0, opf.start + 20));
    const { found, pages } = await readBook(whole.bytes.subarray(0, last.start + 10));
    assert.is(found.format, 'epub');
    assert.equal(told(pages), ['1.png -', `2.png ${CUT_OFF}`]);
  });
};

const odd = (check: Check): void => {
  check('a hole in the file costs the page it lies in', async () => {
    const zip = writeBareZip(['1.png', '2.png', '3.png', '4.png'].map((name) => item(name)));
    const [, second, third] = zip.entries;
    assert.ok(second && third);
    zip.bytes.fill(0, second.start + 200, third.at + 10);
    assert.equal(told((await readBook(zip.bytes)).pages), ['1.png -', '2.png -', '4.png -']);
  });
  check('a wrong length in a header costs no other page', async () => {
    for (const lie of [7, 5000, 0x7ffffff0]) {
      const names = Array.from({ length: 30 }, (_, index) => `${index + 10}.png`);
      const { pages } = await readBook(
        writeBareZip(names.map((name) => item(name, name === '11.png' ? { lie } : {}))).bytes,
      );
      assert.equal(
        pages.filter(({ fault }) => fault === null).map(({ name }) => name),
        names.filter((name) => name !== '11.png'),
        String(lie),
      );
    }
  });
  check('wrong lengths after content make a damaged page, and cost no other', async () => {
    for (const lengths of LENGTHS.filter((one) => one !== 'before')) {
      const items = [item('1.png', { lengths }), item('2.png', { lengths, lie: 3 }), item('3.png', { lengths })];
      assert.equal(
        told((await readBook(writeBareZip(items).bytes)).pages),
        ['1.png -', `2.png ${DAMAGED}`, '3.png -'],
        lengths,
      );
    }
  });
  check('an archive inside a page is part of that page', async () => {
    const inner = writeBareZip([item('inner.png')]).bytes;
    const { pages } = await readBook(writeBareZip([item('1.png', { bytes: image(inner) }), item('2.png')]).bytes);
    assert.equal(told(pages), ['1.png -', '2.png -']);
  });
  check('a file truncated in its directory has all of its pages', async () => {
    const items: ZipItem[] = ['1.png', '2.png'].map((name) => ({
      name,
      bytes: image(Buffer.from(name)),
      isDeflated: true,
    }));
    const whole = writeZip(items);
    for (let cut = whole.indexOf('PK\u0001\u0002'); cut < whole.length - 1; cut += 1) {
      const { found, pages } = await readBook(whole.subarray(0, cut));
      assert.equal(told(pages), ['1.png -', '2.png -'], `cut at ${cut}`);
      assert.match(found.notes[0]?.message ?? '', /^The zip archive is damaged: .* Copy or download the file again\.$/);
    }
  });
  check('bytes before an archive shift everything, with a directory and without', async () => {
    const whole = writeZip(['1.png', '2.png'].map((name) => ({ name, bytes: image(Buffer.from(name)) })));
    const junk = Buffer.alloc(70_000, 'MZ junk ');
    const sound = await readBook(Buffer.concat([junk, whole]));
    assert.equal([told(sound.pages), sound.found.notes], [['1.png -', '2.png -'], []]);
    const cut = await readBook(Buffer.concat([junk, whole.subarray(0, whole.length - 40)]));
    assert.equal(told(cut.pages), ['1.png -', '2.png -']);
  });
  check("the book's own metadata is read too", async () => {
    const info = { ...item('ComicInfo.xml'), bytes: Buffer.from('<ComicInfo><Title>Cut</Title></ComicInfo>') };
    const { found } = await readBook(writeBareZip([info, item('1.png')]).bytes);
    assert.is(found.metadata?.book.title, 'Cut');
  });
};

const items = fc.array(
  fc.record({
    tail: fc.uint8Array({ maxLength: 300 }),
    isDeflated: fc.boolean(),
    lengths: fc.constantFrom(...LENGTHS),
  }),
  { minLength: 1, maxLength: 6 },
);

block(
  'zip archives without a directory',
  (check) => {
    hostile(check);
    odd(check);
    check('cut at any byte around content, complete pages are read and the truncated one is reported', async () => {
      for (const [index, lengths] of LENGTHS.entries()) {
        const zip = writeBareZip([item('1.png', { lengths }), item('2.png', { lengths, isDeflated: index % 2 === 0 })]);
        const isAround = (cut: number): boolean =>
          cut % 16 === 0 || !zip.entries.some(({ start, contentEnd }) => cut > start + 2 && cut < contentEnd - 2);
        for (let cut = 1; cut <= zip.bytes.length; cut += 1) if (isAround(cut)) await isRead(zip, cut);
      }
    });
    check('any archive, cut anywhere', () =>
      fc.assert(
        fc.asyncProperty(items, fc.nat(), async (list, at) => {
          const zip = writeBareZip(
            list.map(({ tail, ...rest }, index) => item(`${index + 1}.png`, { bytes: image(tail), ...rest })),
          );
          await isRead(zip, 1 + (at % zip.bytes.length));
        }),
        { numRuns: 200 },
      ),
    );
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-salvage-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
