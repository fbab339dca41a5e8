// What does not begin like a book is not read to its end to find out that it is none. Its hash follows after the scan.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { openBookFile } from '../../workers/book-file.js';
import { hashFile } from '../../workers/hashes.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const PIXEL = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const HUNDRED_GB = 100 * 1024 ** 3;
const TEN_TB = 10 * 1024 ** 4;

let folder = '';

const hashOf = async (path: string): Promise<string> => {
  const file = openBookFile(path);
  const readAhead = (): Promise<void> => Promise.reject(new Error('nothing is slow here'));
  return hashFile({ ...file, isSlow: false, readAhead }, () => undefined).finally(() => file.close());
};

block(
  'files that are not books',
  (check) => {
    check('a sparse file of a hundred gigabytes is set aside by its first bytes', async () => {
      const path = join(folder, 'disk image.cbz');
      writeFileSync(path, '');
      truncateSync(path, HUNDRED_GB);
      const { fault, fileHash, isHashDue, sizeBytes } = await analysed(path);
      assert.equal([fault?.kind, fileHash, isHashDue, sizeBytes], ['CorruptArchive', '', true, HUNDRED_GB]);
    });
    check('a book that is mostly a hole is hashed by samples: each byte of them counts', async () => {
      const path = join(folder, 'hole.cbz');
      const zip = writeZip([{ name: '1.gif', bytes: PIXEL }]);
      const hashWith = async (last: string): Promise<string> => {
        writeFileSync(path, zip);
        truncateSync(path, TEN_TB);
        writeFileSync(path, last, { flag: 'a' });
        const { fileHash, sizeBytes } = await analysed(path);
        assert.is(sizeBytes, TEN_TB + last.length);
        return fileHash;
      };
      const [one, other] = [await hashWith('one'), await hashWith('two')];
      assert.match(one, /^[0-9a-f]{16}$/);
      assert.is.not(one, other);
      assert.is(await hashWith('one'), one);
    });
    check('a huge document is not searched for its pages', async () => {
      const path = join(folder, 'hole.pdf');
      writeFileSync(path, '%PDF-1.7\n');
      truncateSync(path, TEN_TB);
      const { fault } = await analysed(path);
      assert.is(fault?.kind, 'LimitExceeded');
    });
    check('the hash of an ordinary file is that of all its bytes, holes or not', async () => {
      const path = join(folder, 'sparse.cbz');
      const plain = join(folder, 'plain.cbz');
      writeFileSync(plain, Buffer.alloc(8 * 1024 ** 2));
      writeFileSync(path, '');
      truncateSync(path, 8 * 1024 ** 2);
      assert.is(await hashOf(path), await hashOf(plain));
    });
    check('a book after other bytes has the hash of its whole file', async () => {
      const path = join(folder, 'behind.cbz');
      writeFileSync(path, Buffer.concat([Buffer.from('other bytes'), writeZip([{ name: '1.gif', bytes: PIXEL }])]));
      const whole = await hashOf(path);
      const { fault, fileHash } = await analysed(path);
      assert.equal([fault, fileHash], [null, whole]);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-unread-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
