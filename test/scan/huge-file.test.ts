// A file of holes may claim any size. One whose size no number holds exactly is named and left out; the books beside it are scanned.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { checkOnDisks } from '../small-disk.js';

/** The most a file can have: as a number it is rounded up, to more than a database column takes. */
const MOST_BYTES = '9223372036854775807';

block('a file larger than any book', (check) => {
  checkOnDisks(check, 8, {
    'is reported by its name, and the books beside it are scanned': async (disk) => {
      const temp = await tempApp();
      try {
        writeBook(join(disk.path, 'Series', 'Book 1.cbz'), 2, 'sound');
        execFileSync('truncate', ['-s', MOST_BYTES, join(disk.path, 'Series', 'Book 2.cbz')]);
        const token = await temp.tokenOf('admin');
        const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: disk.path } });
        await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        const status = (await temp.call('GET', `/api/v1/libraries/${made.json.id}/scan-status`, { token })).json;
        const books = (await temp.call('GET', '/api/v1/books', { token })).json.data;
        assert.equal(
          [status.status, books.map((book: { title: string }) => book.title)],
          ['completed', ['Book 1']],
          JSON.stringify(status),
        );
        assert.match(JSON.stringify(status.errors), /Series\/Book 2\.cbz.{1,20}larger than a book can be/);
        assert.equal(temp.faults, []);
      } finally {
        await temp.close();
      }
    },
  });
});
