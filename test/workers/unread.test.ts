// What does not begin like a book is not read to its end to find out that it is none.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { openBookFile } from '../../workers/book-file.js';
import { hashFile } from '../../workers/hashes.js';
import { assert, block } from '../kit.js';
import { analysed } from './analysed.js';

const HUNDRED_GB = 100 * 1024 ** 3;

let folder = '';

block(
  'files that are not books',
  (check) => {
    check('a sparse file of a hundred gigabytes is set aside by its first bytes', async () => {
      const path = join(folder, 'disk image.cbz');
      writeFileSync(path, '');
      truncateSync(path, HUNDRED_GB);
      const { fault, fileHash, sizeBytes } = await analysed(path);
      assert.equal([fault?.kind, fileHash, sizeBytes], ['CorruptArchive', '', HUNDRED_GB]);
    });
    check('a book after other bytes has the hash of its whole file', async () => {
      const path = join(folder, 'behind.cbz');
      const pixel = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
      writeFileSync(path, Buffer.concat([Buffer.from('other bytes'), writeZip([{ name: '1.gif', bytes: pixel }])]));
      const file = openBookFile(path);
      const whole = hashFile(file, () => undefined);
      file.close();
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
