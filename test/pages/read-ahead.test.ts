// Pages made ahead of a reader: each is made once, and is there when the reader turns to it.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeRar } from '../../bench/rar-writer.js';
import type { RunOptions } from '../../core/engine/pool.js';
import type { JobName } from '../../core/model/jobs.js';
import { ReadAhead } from '../../core/pages/read-ahead.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

const PAGES = 12;
const PIXEL = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/** Counts the jobs of a kind, by page. */
const counted = ({ app }: TempApp, kind: JobName): Map<string, number> => {
  const made = new Map<string, number>();
  const { pool } = app;
  const run = pool.run.bind(pool);
  pool.run = (name, input, options) => {
    if (name === kind) {
      const { page } = input as unknown as { page?: { address: unknown } };
      const key = JSON.stringify(page?.address ?? kind);
      made.set(key, (made.get(key) ?? 0) + 1);
    }
    return run(name, input, options);
  };
  return made;
};

interface Reader {
  readonly temp: TempApp;
  /** Opens a page and waits until nothing is being made any more. */
  readonly turnTo: (page: number) => Promise<void>;
  /** Opens a page at once. */
  readonly open: (page: number, signal?: AbortSignal) => Promise<number>;
  /** Replaces the book by another version of it. */
  readonly change: () => Promise<void>;
}

interface Options {
  readonly isSolid?: boolean;
  readonly overrides?: readonly { readonly key: string; readonly text: string }[];
}

const withReader = async (
  name: string,
  query: string,
  use: (reader: Reader) => Promise<void>,
  { isSolid = false, overrides = [] }: Options = {},
): Promise<void> => {
  const temp = await tempApp({ overrides });
  try {
    const folder = join(temp.shelf, 'Alpha');
    mkdirSync(folder);
    if (name.endsWith('.cbz')) writeBook(join(folder, name), PAGES, name);
    else {
      const items = Array.from({ length: PAGES }, (_, n) => ({
        name: `${n + 1}.gif`,
        bytes: Buffer.concat([PIXEL, Buffer.from(`${n}`)]),
      }));
      writeFileSync(join(folder, name), writeRar(items, { isPacked: true, isSolid }));
    }
    const token = await temp.tokenOf('admin');
    const scanned = (): Promise<void> => until('the scan ends', () => temp.app.scans.active().length === 0);
    const { json: library } = await temp.call('POST', '/api/v1/libraries', {
      token,
      body: { name: 'L', path: temp.shelf, scanImmediately: true },
    });
    await scanned();
    const [book] = (await temp.call('GET', '/api/v1/books', { token })).json.data;
    const open: Reader['open'] = async (page, signal = new AbortController().signal) =>
      (await temp.call('GET', `/api/v1/books/${book.id}/pages/${page}${query}`, { token, signal })).status;
    const turnTo = async (page: number): Promise<void> => {
      assert.is(await open(page), 200, `page ${page}`);
      await until('nothing is made', () => {
        const { running, waiting } = temp.app.pool.load();
        return running + waiting === 0;
      });
    };
    const change = async (): Promise<void> => {
      const later = Date.now() / 1000 + 60;
      utimesSync(join(folder, name), later, later);
      await temp.call('POST', `/api/v1/libraries/${library.id}/scan`, { token });
      await scanned();
    };
    await use({ temp, turnTo, open, change });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

block('pages made ahead', (check) => {
  check('a reader is followed page by page; a page is named once, also when the reader turns back or jumps', () => {
    const ahead = new ReadAhead();
    assert.equal(ahead.after('a', 1, 10), [2, 3, 4]);
    assert.equal(ahead.after('a', 1, 10), []);
    assert.equal(ahead.after('a', 2, 10), [5]);
    assert.equal(ahead.after('b', 2, 10), [3, 4, 5]);
    assert.equal(ahead.after('a', 4, 10), [6, 7]);
    assert.equal(ahead.after('a', 9, 10), [10]);
    assert.equal(ahead.after('a', 10, 10), []);
    assert.equal(ahead.after('a', 2, 10), [3, 4, 5], 'back to the start');
    assert.equal(ahead.after('a', 3, 10), [6]);
    for (let n = 0; n < 5000; n += 1) ahead.after(`reader ${n}`, 1, 10);
    assert.equal(ahead.after('a', 3, 10), [4, 5, 6], 'the oldest readers are forgotten');
  });
  check('resized pages are ready before the reader turns to them, and each is rendered once', () =>
    withReader('One.cbz', '?format=webp', async ({ temp, turnTo, open }) => {
      const made = counted(temp, 'page');
      await turnTo(1);
      assert.is(made.size, 4);
      for (let page = 2; page <= PAGES; page += 1) {
        const before = made.size;
        assert.is(await open(page), 200);
        assert.is(
          [...made.values()].length,
          Math.min(PAGES, before + 1),
          `the page after the next ones of page ${page}`,
        );
        await turnTo(page);
      }
      assert.equal([made.size, new Set(made.values())], [PAGES, new Set([1])]);
    }),
  );
  check('a reader who turns pages without waiting has each rendered once, too', () =>
    withReader('One.cbz', '?format=webp', async ({ temp, open }) => {
      const made = counted(temp, 'page');
      for (let page = 1; page <= PAGES; page += 1) assert.is(await open(page), 200);
      assert.equal([made.size, new Set(made.values())], [PAGES, new Set([1])]);
    }),
  );
  check('packed pages of a RAR archive are unpacked ahead, each once', () =>
    withReader('One.cbr', '', async ({ temp, turnTo }) => {
      const made = counted(temp, 'original');
      await turnTo(1);
      assert.is(made.size, 4);
      for (let page = 2; page <= PAGES; page += 1) await turnTo(page);
      assert.equal([made.size, new Set(made.values())], [PAGES, new Set([1])]);
    }),
  );
  check('pages of a solid archive are made ahead from the one pass that unpacks it', () =>
    withReader(
      'One.cbr',
      '?format=webp',
      async ({ temp, turnTo }) => {
        const [made, passes] = [counted(temp, 'page'), counted(temp, 'spill')];
        for (let page = 1; page <= PAGES; page += 1) await turnTo(page);
        assert.equal([made.size, new Set(made.values()), [...passes.values()]], [PAGES, new Set([1]), [1]]);
      },
      { isSolid: true },
    ),
  );
  check('a book that has changed is made ahead again', () =>
    withReader('One.cbz', '?format=webp', async ({ temp, turnTo, change }) => {
      await turnTo(1);
      await change();
      const made = counted(temp, 'page');
      await turnTo(1);
      assert.is(made.size, 4);
    }),
  );
  check('nothing is made ahead where it cannot be kept', () =>
    withReader(
      'One.cbz',
      '?format=webp',
      async ({ temp, turnTo }) => {
        const made = counted(temp, 'page');
        for (let page = 1; page <= PAGES; page += 1) await turnTo(page);
        assert.equal([made.size, new Set(made.values())], [PAGES, new Set([1])]);
      },
      { overrides: [{ key: 'cache.path', text: '/dev/null/cache' }] },
    ),
  );
  check(
    'who leaves takes along the page that was being made ahead and that nobody else wants; the others are made',
    () =>
      withReader('One.cbz', '?format=webp', async ({ temp: { app }, turnTo, open }) => {
        await turnTo(1);
        const asked: RunOptions[] = [];
        const { pool } = app;
        const run = pool.run.bind(pool);
        let letGo = (): void => undefined;
        const gate = new Promise<void>((resolve) => {
          letGo = resolve;
        });
        pool.run = async (name, input, options) => {
          asked.push(options);
          await gate;
          return run(name, input, options);
        };
        for (const page of [2, 3]) assert.is(await open(page), 200);
        await until('two pages are being made ahead', () => asked.length === 2);
        const reader = new AbortController();
        const left = open(5, reader.signal);
        await new Promise(setImmediate);
        reader.abort();
        assert.is.not(await left, 200);
        assert.equal(
          asked.map(({ signal }) => signal?.aborted),
          [true, false],
        );
        letGo();
      }),
  );
});
