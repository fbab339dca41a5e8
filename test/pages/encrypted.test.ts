// Encrypted zip pages and archive.passwords: archives made by other programs and by hand, of every kind, open with the right password alone.
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { fixture } from '../../fixtures/index.js';
import { PIXEL, until } from '../app.js';
import { type LockedItem, lockedZip } from '../encrypted-zip.js';
import { assert, block } from '../kit.js';
import { type LockedShelf, lockedShelf } from '../locked-shelf.js';
import { chunk } from '../png.js';

const NOT_OPENED = 'The pages are encrypted; none of the passwords in archive.passwords opens them.';

/** A sound image with so many bytes more. */
const image = (more: number): Buffer =>
  Buffer.concat([PIXEL.subarray(0, -12), chunk('tEXt', Buffer.alloc(more, 'Comment\0 gulls')), PIXEL.subarray(-12)]);

const [SMALL, LARGE] = [image(10), image(300_000)];

const KINDS: readonly (readonly [name: string, item: Partial<LockedItem>])[] = [
  ['aes-128 version 1 stored', { cipher: 128, version: 1 }],
  ['aes-128 version 2 deflated', { cipher: 128, isDeflated: true }],
  ['aes-192 version 1 deflated', { cipher: 192, version: 1, isDeflated: true }],
  ['aes-192 version 2 stored', { cipher: 192 }],
  ['aes-256 version 1 stored', { cipher: 256, version: 1 }],
  ['aes-256 version 2 deflated', { cipher: 256, isDeflated: true }],
  ['aes-256 with a descriptor', { cipher: 256, isDeflated: true, descriptor: 'signed' }],
  ['aes-256 version 1 with a bare descriptor', { cipher: 256, version: 1, descriptor: 'bare' }],
  ['older cipher stored', { cipher: 'zipcrypto' }],
  ['older cipher deflated', { cipher: 'zipcrypto', isDeflated: true }],
  ['older cipher with a descriptor', { cipher: 'zipcrypto', isDeflated: true, descriptor: 'signed' }],
  ['older cipher with a bare descriptor', { cipher: 'zipcrypto', descriptor: 'bare' }],
];

const made = (item: Partial<LockedItem>, password: LockedItem['password'] = 'gulls'): Buffer =>
  lockedZip([SMALL, LARGE].map((bytes, at) => ({ name: `${at + 1}.png`, bytes, password, ...item })));

const FOREIGN = ['7z-aes256', '7z-aes128-stored', '7z-zipcrypto', 'bsdtar-aes256', 'bsdtar-zipcrypto', 'infozip'];
const caseFile = (name: string): Buffer => readFileSync(fixture(`cases/locked-${name}.cbz`));

const withShelf = async (use: (shelf: LockedShelf) => Promise<void>): Promise<void> => {
  const shelf = await lockedShelf();
  try {
    await use(shelf);
    assert.equal(shelf.temp.faults, []);
  } finally {
    await shelf.temp.close();
  }
};

const statusOf = async ({ page }: LockedShelf, name: string, number: number): Promise<number> =>
  (await page(name, number)).status;

/** The plain images that the foreign archives were made of. */
const plainImages = (): readonly Buffer[] => {
  const zip = caseFile('mixed-passwords');
  const at = zip.indexOf('3.jpg');
  return [inflateRawSync(zip.subarray(at + 5 + zip.readUInt16LE(at - 2)))];
};

block('encrypted pages of zip archives', (check) => {
  check('every kind is opened by its password, and each page has the bytes that were encrypted', () =>
    withShelf(async (shelf) => {
      for (const [name, item] of KINDS) shelf.put(name, made(item));
      await shelf.scan();
      for (const [name] of KINDS) assert.equal(await shelf.remarks(name), [NOT_OPENED], name);
      assert.is(await statusOf(shelf, 'older cipher stored', 1), 422);
      await shelf.give('terns', 'gulls');
      for (const [name] of KINDS) {
        assert.equal(await shelf.remarks(name), [], name);
        for (const [index, bytes] of [SMALL, LARGE].entries())
          for (const _ of ['decrypted', 'cached'])
            assert.ok((await shelf.page(name, index + 1)).bytes.equals(bytes), `${name}, page ${index + 1}`);
      }
    }),
  );
  check('archives by other programs are opened too, with their metadata', () =>
    withShelf(async (shelf) => {
      for (const name of FOREIGN) shelf.put(name, caseFile(name));
      for (const name of ['infozip-streamed', 'infozip-unicode']) shelf.put(name, caseFile(name));
      shelf.put('aes256', readFileSync(fixture('books/aes256.cbz')));
      shelf.put('six', readFileSync(fixture('books/zipcrypto-six-pages.cbz')));
      await shelf.give('terns', 'Möwe', 'gulls', 'secret', 'password');
      await shelf.scan();
      for (const name of [...FOREIGN, 'infozip-unicode', 'aes256', 'six'])
        assert.equal([name, await statusOf(shelf, name, 1), await shelf.remarks(name)], [name, 200, []]);
      assert.is(await statusOf(shelf, 'six', 6), 200);
      for (const name of ['7z-aes256', '7z-zipcrypto', 'infozip']) {
        const { id } = await shelf.bookOf(name);
        const bookText = async (): Promise<string> => JSON.stringify((await shelf.api('GET', `/books/${id}`)).json);
        await until(`the title in ${name}`, async () => (await bookText()).includes('The Key'));
      }
    }),
  );
  check('a password that is not ASCII is tried as UTF-8 and as Latin-1', () =>
    withShelf(async (shelf) => {
      for (const cipher of [256, 'zipcrypto'] as const)
        for (const encoding of ['utf8', 'latin1'] as const)
          shelf.put(`${cipher} ${encoding}`, made({ cipher }, Buffer.from('Möwe 1é', encoding)));
      shelf.put('cyrillic', made({ cipher: 'zipcrypto' }, 'чайка'));
      await shelf.give('Möwe 1é', 'чайка');
      await shelf.scan();
      for (const name of ['256 utf8', '256 latin1', 'zipcrypto utf8', 'zipcrypto latin1', 'cyrillic'])
        assert.equal([name, await statusOf(shelf, name, 2)], [name, 200]);
    }),
  );
  check('of twenty passwords only the right one counts, although some pass the short check', () =>
    withShelf(async (shelf) => {
      const wrong = Array.from({ length: 19 }, (_, at) => `wrong ${at}`);
      const names = Array.from({ length: 40 }, (_, at) => `book ${at}`);
      for (const [at, name] of names.entries()) {
        const bytes = image(1000 + at);
        const item = { password: `gulls`, cipher: 'zipcrypto', isDeflated: at % 2 === 0 } as const;
        shelf.put(name, lockedZip([1, 2, 3].map((n) => ({ name: `${n}.png`, bytes, ...item }))));
      }
      await shelf.give(...wrong, 'gulls');
      await shelf.scan();
      for (const [at, name] of names.entries())
        assert.ok((await shelf.page(name, 3)).bytes.equals(image(1000 + at)), name);
    }),
  );
  check('pages under several passwords, and plain ones, are opened each by its own', () =>
    withShelf(async (shelf) => {
      shelf.put('mixed', caseFile('mixed-passwords'));
      await shelf.scan();
      assert.equal(await shelf.remarks('mixed'), ['2 of 3 pages cannot be shown. Pages 1, 2: The page is encrypted.']);
      assert.is(await statusOf(shelf, 'mixed', 3), 200);
      await shelf.give('gulls');
      assert.equal(await shelf.remarks('mixed'), ['1 of 3 pages cannot be shown. Page 2: The page is encrypted.']);
      const locked = await shelf.page('mixed', 2);
      assert.equal([locked.status, locked.json.message], [422, 'The page is encrypted.']);
      await shelf.give('gulls', 'terns');
      assert.equal(await shelf.remarks('mixed'), []);
      assert.ok((await shelf.page('mixed', 3)).bytes.equals(plainImages()[0] ?? Buffer.alloc(0)));
      assert.equal([await statusOf(shelf, 'mixed', 1), await statusOf(shelf, 'mixed', 2)], [200, 200]);
    }),
  );
});
