// Encrypted zip archives that are damaged or lie: each page has its reason, nothing crashes, and no more is unpacked than was declared.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { fixture } from '../../fixtures/index.js';
import { coversMade, PIXEL } from '../app.js';
import { type LockedItem, lockedZip } from '../encrypted-zip.js';
import { assert, block } from '../kit.js';
import { type LockedShelf, lockedShelf } from '../locked-shelf.js';

const CENTRAL = 'PK\u0001\u0002';
const NOT_OPENED = 'The pages are encrypted; none of the passwords in archive.passwords opens them.';
const DAMAGED = 'The only page cannot be read. The image is damaged.';
const TOO_LARGE = 'The only page cannot be read. The page exceeds the size limit.';

const page = (change: Partial<LockedItem> = {}): Buffer =>
  lockedZip([{ name: '1.png', bytes: PIXEL, password: 'gulls', ...change }]);

const changed = (zip: Buffer, change: (zip: Buffer, central: number) => void): Buffer => {
  change(zip, zip.indexOf(CENTRAL, 0, 'latin1'));
  return zip;
};

/** The packed size, in both records. */
const packedTo = (size: number) => (zip: Buffer, central: number) => {
  zip.writeUInt32LE(size, 18);
  zip.writeUInt32LE(size, central + 20);
};

const AES_AT = 30 + '1.png'.length + 4;

const BOMB = { isDeflated: true, bytes: Buffer.alloc(30_000_000), declared: 1000 };

const BOOKS: readonly (readonly [name: string, book: Buffer, remark: string])[] = [
  ['another password', page({ password: 'terns' }), NOT_OPENED],
  ['another password, older cipher', page({ password: 'terns', cipher: 'zipcrypto' }), NOT_OPENED],
  ['no content', changed(page(), packedTo(0)), DAMAGED],
  ['content cut in the salt', changed(page(), packedTo(5)), NOT_OPENED],
  ['content cut in the header of the older cipher', changed(page({ cipher: 'zipcrypto' }), packedTo(5)), NOT_OPENED],
  ['content cut in the code', changed(page(), packedTo(25)), DAMAGED],
  ['a strength that does not exist', changed(page(), (zip) => zip.writeUInt8(9, AES_AT + 4)), NOT_OPENED],
  ['bzip2 within', changed(page(), (zip) => zip.writeUInt16LE(12, AES_AT + 5)), NOT_OPENED],
  ['no field of the encryption', changed(page(), (zip) => zip.writeUInt16LE(0x7777, AES_AT - 4)), NOT_OPENED],
  ['strong encryption', changed(page({ cipher: 'zipcrypto' }), (zip) => zip.writeUInt16LE(0x41, 6)), NOT_OPENED],
  ['a wrong code', changed(page(), (zip, central) => zip.writeUInt8(1, central - 1)), DAMAGED],
  ['a gigabyte', page({ declared: 1_000_000_000 }), TOO_LARGE],
  ['a gigabyte, older cipher', page({ declared: 1_000_000_000, cipher: 'zipcrypto', isDeflated: true }), TOO_LARGE],
  ['less than declared', page({ declared: 5000 }), DAMAGED],
  ['more than declared', page({ declared: 10 }), DAMAGED],
  ['far more than declared', page({ ...BOMB, version: 1 }), DAMAGED],
  ['far more than declared, older cipher', page({ ...BOMB, cipher: 'zipcrypto' }), NOT_OPENED],
];

let shelf: LockedShelf;

block(
  'encrypted archives that are damaged, and all ways to read those that are not',
  (check) => {
    for (const [name, , remark] of BOOKS)
      check(`${name}: ${remark}`, async () => {
        assert.equal(await shelf.remarks(name), [remark]);
        assert.is((await shelf.page(name, 1)).status, 422);
      });
    check('a page that cannot be opened has its reason beside readable ones', async () => {
      assert.equal(await shelf.remarks('one bad'), ['1 of 2 pages cannot be shown. Page 2: The image is damaged.']);
    });
    check('of a book with many locked pages, only some are tried', async () => {
      const [remark = ''] = await shelf.remarks('many locked');
      assert.match(remark, /^60 of 61 pages cannot be shown\. Pages 2, 3.* The page is encrypted\.$/);
    });
    check('pages are sent as they are, resized, and as a cover; the book itself stays encrypted', async () => {
      const { id } = await shelf.bookOf('sound');
      const small = await shelf.page('sound', 1, '?width=16&format=jpeg');
      assert.equal([small.status, (await sharp(small.bytes).metadata()).width], [200, 16]);
      await coversMade(shelf.temp);
      const cover = await shelf.api('GET', `/books/${id}/thumbnail`);
      assert.equal([cover.status, (await sharp(cover.bytes).metadata()).width], [200, 60]);
      const file = await shelf.api('GET', `/books/${id}/file`);
      const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
      assert.is(sha(file.bytes), sha(readFileSync(fixture('cases/locked-7z-aes256.cbz'))));
    });
    check('a page is no longer opened once its password is removed', async () => {
      await shelf.api('POST', '/admin/settings/archive.passwords/reset');
      const { status, json } = await shelf.page('sound', 2);
      assert.equal([status, json.error], [422, 'EncryptedArchive']);
      assert.match(json.message, /none of the passwords in archive\.passwords opens it/);
    });
  },
  {
    deadlineS: 120,
    before: async () => {
      shelf = await lockedShelf();
      for (const [name, book] of BOOKS) shelf.put(name, book);
      shelf.put('sound', readFileSync(fixture('cases/locked-7z-aes256.cbz')));
      const two = [1, 2].map((n) => ({ name: `${n}.png`, bytes: PIXEL, password: 'gulls' }));
      const central = lockedZip(two).indexOf(CENTRAL, 0, 'latin1');
      shelf.put(
        'one bad',
        changed(lockedZip(two), (zip) => zip.writeUInt8(1, central - 1)),
      );
      const many = Array.from({ length: 60 }, (_, at) => ({
        name: `${at + 10}.png`,
        bytes: PIXEL,
        password: `x${at}`,
      }));
      shelf.put(
        'many locked',
        lockedZip([{ name: '01.png', bytes: Buffer.concat([PIXEL]), password: 'gulls', cipher: 128 }, ...many]),
      );
      await shelf.give('terns again', 'gulls');
      await shelf.scan();
    },
    after: async () => {
      await shelf.temp.close();
      assert.equal(shelf.temp.faults, []);
    },
  },
);
