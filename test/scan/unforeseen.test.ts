// An unexpected error in a thread: clients get a sentence that reveals nothing internal, and the log gets everything.
import { join } from 'node:path';
import type { Limits } from '../../core/model/jobs.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

/** Reading any limit throws a TypeError. */
const NO_LIMITS = null as unknown as Limits;

const withBroken = async (use: (temp: TempApp, token: string) => Promise<void>): Promise<void> => {
  const temp = await tempApp({ engine: { limits: NO_LIMITS } });
  try {
    writeBook(join(temp.shelf, 'Series', 'Book.cbz'), 1, 'x');
    await use(temp, await temp.tokenOf('admin'));
  } finally {
    await temp.close();
  }
};

const causesOf = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown} ${causesOf(thrown.cause)}` : String(thrown);

block('an unexpected error in a thread', (check) => {
  check('a scan names only the book; the log has the job, the book, and where it happened', () =>
    withBroken(async (temp, token) => {
      const get = async (path: string) => (await temp.call('GET', `/api/v1${path}`, { token })).json;
      const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
      await temp.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      const status = await get(`/libraries/${made.json.id}/scan-status`);
      assert.equal(status.errors, ['Series/Book.cbz: The analysis failed; the log says why.']);
      const [book] = (await get('/books')).data;
      assert.is(book.analysisError, 'The analysis failed; the log says why.');
      const shown = JSON.stringify([status, book.analysisError, (await get('/books/errors')).groups]);
      assert.not.match(shown, /\.js|TypeError|node_modules/);
      const logged = temp.faults.map(causesOf).join('\n');
      assert.match(logged, /The job analyze failed/);
      assert.ok(logged.includes(`book ${book.id}`));
      assert.match(logged, /TypeError[\s\S]* at \w+ .*program\/.*\.js:\d+/);
    }),
  );
});
