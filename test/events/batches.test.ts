// A scan that adds many books reports each of them and each series, and none of it twice.
import { join } from 'node:path';
import { tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { follow } from './listener.js';

const SERIES = 30;
const BOOKS = 9;

block('a scan of many books', (check) => {
  check('one event for each book and each series', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      for (let at = 0; at < SERIES * BOOKS; at += 1)
        writeBook(join(temp.shelf, `S${at % SERIES}`, `S${at % SERIES} ${at}.cbz`), 1, `${at}`);
      const listener = await follow(temp, token);
      const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
      assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const heard = await listener.news();
      const ids = (type: string, id: string): readonly string[] =>
        heard.flatMap(({ data }) => (data.type === type ? [String(data[id])] : []));
      const [books, series] = [ids('book_created', 'bookId'), ids('series_created', 'seriesId')];
      assert.equal([books.length, new Set(books).size], [SERIES * BOOKS, SERIES * BOOKS]);
      assert.equal([series.length, new Set(series).size], [SERIES, SERIES]);
    } finally {
      await temp.close();
    }
  });
});
