// Front covers come first and back covers last, by the last word of their names: in zip, RAR and tar alike. Names that only contain such a word
// stay where they are.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { sortNaturally } from '../../core/model/natural-order.js';
import { inPageOrder } from '../../core/model/page-names.js';
import { PageTable } from '../../core/model/page-table.js';
import { fixture } from '../../fixtures/index.js';
import { assert, block } from '../kit.js';
import { writeOddZip, writeRar4 } from '../odd-archives.js';
import { writeTar } from '../tar-writer.js';
import { analysed } from './analysed.js';

const IMAGE = readFileSync(fixture('images/png-interlaced.png'));

const ordered = (names: readonly string[]): string[] =>
  inPageOrder(names.map((name) => ({ name }))).map(({ name }) => name);

/** Each in the right order. */
const BOOKS: readonly (readonly string[])[] = [
  ['Front Cover.png', 'Blacksad 1 - 01.png', 'Blacksad 1 - 02.png', 'Back Cover.png'],
  ['cover.png', 'Chapter 1/1.png', 'Chapter 2/1.png', 'Chapter 10/1.png', 'Extras/1.png'],
  ['Cover.png', '01/1.png', '02/1.png', '10/1.png'],
  ['Akira/Cover.png', 'Akira/Ch 1/1.png', 'Akira/Ch 2/1.png', 'Akira/back.png'],
  ['Vol 1/cover.png', 'Vol 1/Chapter 1/01.png', 'Vol 1/bc.png', 'Vol 2/cover.png', 'Vol 2/Chapter 3/01.png'],
  ['cover.png', 'Akira v1 001.png', 'Akira v1 002.png', 'Akira v1 003.png'],
  ['Akira v01/cover.png', 'Akira v01/Akira v01 p001.png', 'Akira v01/Akira v01 p002.png'],
  ['Saga 01 - Cover.png', 'Saga 01 - 001.png', 'Saga 01 - 002.png', 'Saga 01 - Back Cover.png'],
  ['Akira.v01.Cover.png', 'Akira.v01.001.png', 'Akira.v01.002.png', 'Akira.v01.Back.Cover.png'],
  ['Saga_01_FC.png', 'Saga_01_001.png', 'Saga_01_BC.png', 'Saga_02_FC.png', 'Saga_02_001.png'],
  ['Ch 1 - cover.png', 'Ch 1 - 01.png', 'Ch 2 - cover.png', 'Ch 2 - 01.png', 'Ch 10 - cover.png', 'Ch 10 - 01.png'],
  ['Saga 01 - Cover.png', '001.png', '002.png', 'credits.png', 'Saga 01 - Back Cover.png'],
  ['cover 1.png', 'cover 2.png', 'cover 10.png', '01.png', '02.png', '03.png'],
  ['Couverture.png', 'Planche 1.png', 'Planche 2.png', 'Quatrième de couverture.png'],
  ['Umschlag vorne.png', 'Seite 1.png', 'Seite 2.png', 'Umschlag hinten.png'],
  ['Saga_umschlag_vorn.png', 'Saga_01.png', 'Saga_02.png', 'Saga_umschlag_rückseite.png'],
  ['Kapak.png', 'Sayfa 1.png', 'Sayfa 2.png', 'Arka Kapak.png'],
  ['Ön Kapak.png', 'Sayfa 1.png', 'Sayfa 2.png', 'Kapak Arka.png'],
  ['Titelbild.png', 'Seite 1.png', 'Seite 2.png', 'Rückseite.png'],
  ['portada.png', 'El Eternauta 1.png', 'contraportada.png'],
  ['copertina.png', 'Tex 1.png', 'retrocopertina.png'],
  ['обложка.png', 'Глава 1/1.png', 'задняя обложка.png'],
  ['第1巻表紙.png', '第1巻 1.png', '第1巻 2.png', '第1巻裏表紙.png'],
  ['封面.png', '第1話/1.png', '第2話/1.png', '封底.png'],
  [
    'X-Men 001 fc.png',
    'X-Men 001 ifc.png',
    'X-Men 001 01.png',
    'X-Men 001 p02.png',
    'X-Men 001 ibc.png',
    'X-Men 001 bc.png',
  ],
  ['front.png', 'Inside Front Cover.png', '01.png', 'p2.png', 'inside back cover.png', 'Back.png'],
  [
    'Saga 01 - Cover.png',
    'Saga 01 - Inside Cover.png',
    'Saga 01 - 01.png',
    'Saga 01 - Inside Back.png',
    'Saga 01 - Back Cover.png',
  ],
  ['Couv.png', '2e de couv.png', '01.png', '02.png', '03.png', '3e de couverture.png', '4e de couv.png'],
  ['앞표지.png', '1화/1.png', '2화/1.png', '뒤표지.png'],
];

/** Names that only contain the word, in their ordinary order. */
const ORDINARY: readonly (readonly string[])[] = [
  ['Cover Girl 01.png', 'Cover Girl 02.png', 'Cover Girl 03.png', 'credits.png'],
  ['Cover 00 credits.png', 'Cover 01.png', 'Cover 02.png'],
  ['cover story 11.png', 'cover story 12.png', 'discovery 01.png', 'story 13.png'],
  ['11 - Home.png', '12 - Under cover.png', '13 - The Western Front.png', '14 - Looking back.png', '15 - End.png'],
  ['Page 11.png', 'Page 12 - Under cover.png', 'Page 13.png', 'Page 14 Front.png', 'Page 15.png'],
  ['11 fic.png', '12 ific.png', '13 The Inside.png', '14 wifc.png', '15 ifc notes.png'],
  ['01.png', 'cover/01.png', 'cover/02.png', 'zz.png'],
  ['001.png', 'hardcover.png', 'recovery.png', 'storefront.png', 'throwback.png', '裏表紙裏.png'],
];

let folder = '';
const HOOKS = {
  before: () => {
    folder = mkdtempSync(join(tmpdir(), 'longbox-covers-'));
  },
  after: () => rmSync(folder, { recursive: true, force: true }),
};

const pagesOf = async (file: string, bytes: Uint8Array): Promise<readonly string[]> => {
  const path = join(folder, file);
  writeFileSync(path, bytes);
  const { pageTable } = await analysed(path);
  return pageTable === null ? [] : new PageTable(pageTable).names();
};

const entriesOf = (names: readonly string[]) =>
  names.map((name) => ({ name: Buffer.from(name), bytes: IMAGE, crc: crc32(IMAGE), flags: 0x800 }));

block(
  'covers in page order',
  (check) => {
    for (const book of [...BOOKS, ...ORDINARY])
      check(book.join(' < '), () => assert.equal(ordered([...book].reverse()), book));
    check('in zip, RAR and tar alike', async () => {
      for (const book of BOOKS) {
        const names = [...book].reverse();
        const tar = writeTar(names.map((name) => ({ name, bytes: IMAGE })));
        assert.equal(await pagesOf('book.cbz', writeOddZip(entriesOf(names))), book);
        assert.equal(await pagesOf('book.cbt', tar), book);
        if (names.every((name) => /^[ -~]*$/.test(name)))
          assert.equal(await pagesOf('book.cbr', writeRar4(entriesOf(names))), book);
      }
    });
  },
  HOOKS,
);

const COVERS = ['cover', 'Front Cover', 'front', 'fc', 'couverture', 'обложка', '표지', '封面', '表紙'];
const BACKS = ['Back Cover', 'backcover', 'bc', 'Rückseite', '裏表紙', '封底'];
const piece = fc.constantFrom(
  'Saga',
  'v1',
  '01',
  '1.5',
  '12',
  'x',
  '第1巻',
  '話',
  'zz',
  '😀',
  'a.b',
  '#',
  '-',
  'Cover Girl',
  'backs',
);
const ordinary = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 3 }), fc.array(piece, { minLength: 1, maxLength: 3 }))
  .map(([folders, words]) => `${folders.length > 1 ? `${folders.join('/')}/` : ''}${words.join(' ')} p.jpg`);
const named = (words: readonly string[]) =>
  fc
    .tuple(fc.constantFrom('', 'Saga ', 'Saga 01 - ', '01 ', 'x/', 'Saga/', '第1巻'), fc.constantFrom(...words))
    .map(([before, word]) => `${before}${word}.jpg`);

block('covers among names at random', (check) => {
  const books = fc.record({
    pages: fc.uniqueArray(ordinary, { minLength: 1, maxLength: 20 }),
    covers: fc.uniqueArray(named([...COVERS, ...BACKS]), { maxLength: 6 }),
  });
  check('the order is total, and that of the other pages does not change', () =>
    fc.assert(
      fc.property(books, fc.infiniteStream(fc.nat()), ({ pages, covers }, order) => {
        const all = [...pages, ...covers];
        const wanted = ordered(all);
        const shuffled = all.map((name) => ({ name, at: order.next().value ?? 0 })).sort((a, b) => a.at - b.at);
        assert.equal(ordered(shuffled.map(({ name }) => name)), wanted);
        assert.equal(
          wanted.filter((name) => pages.includes(name)),
          sortNaturally(pages, (name) => name),
        );
      }),
    ),
  );
  check('one cover is first and one back cover last', () =>
    fc.assert(
      fc.property(books, fc.constantFrom(...COVERS), fc.constantFrom(...BACKS), ({ pages }, front, back) => {
        const found = ordered([`${back}.jpg`, ...pages, `${front}.png`]);
        assert.is(found[0], `${front}.png`);
        assert.is(found.at(-1), `${back}.jpg`);
      }),
    ),
  );
});
