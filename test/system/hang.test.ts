// A disk that stops answering, in the real program: a library whose calls hang costs its own requests and no others, is served again as soon
// as it answers, and never keeps the program from ending.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { fetch } from '../described.js';
import { assert, block, type Check, IS_FULL, PATIENCE } from '../kit.js';
import { backEndNames } from './back-end.js';
import { kill, type Program, startProgram } from './program.js';
import { compiledShim } from './shims.js';

interface Hanging {
  readonly program: Program;
  hang(): void;
  answer(): void;
  get(path: string): Promise<number>;
  post(path: string, body?: unknown): Promise<Response>;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  json(path: string): Promise<any>;
  /** The metrics as a scraper gets them; rejects when that takes longer than scrapers wait. */
  scrape(): Promise<string>;
  /** Holds the folders of both libraries. */
  readonly folder: string;
  /** Ids of the books of a library, by its name. */
  booksOf(name: string): readonly string[];
  libraryOf(name: string): string;
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'longbox-hang-')));
const shim = compiledShim('hang', root);

/** The connection ended without an answer. */
const CLOSED = 0;
const BOOKS = 6;
const ALIVE = IS_FULL ? 60 : 20;
/** It takes half a minute until the last request to the disk has failed: asking all the time would prove no more. */
const BETWEEN_ROUNDS_MS = 1000;
/** Prometheus gives up after ten seconds, unless told otherwise. */
const SCRAPE_MS = 10_000 * PATIENCE;

const makeShelves = (folder: string): void => {
  for (let n = 0; n < BOOKS; n += 1) writeBook(join(folder, 'dead', `Series ${n}`, `Book ${n}.cbz`), 4, `dead ${n}`);
  for (let n = 0; n < ALIVE; n += 1) writeBook(join(folder, 'alive', `Series ${n}`, `Book ${n}.cbz`), 4, `alive ${n}`);
};

const login = async (address: string): Promise<string> => {
  const body = JSON.stringify({ username: 'owner', email: 'owner@example.com', password: 'Long Password 12!' });
  const headers = { 'content-type': 'application/json' };
  const made = await fetch(`${address}/api/v1/setup/initialize`, { method: 'POST', headers, body });
  return ((await made.json()) as { access_token: string }).access_token;
};

/** The program over two libraries, of which one can be made to hang. */
const withProgram = async (backend: string, use: (hanging: Hanging) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(root, 'run-'));
  const control = join(folder, 'control');
  makeShelves(folder);
  const dead = join(folder, 'dead');
  const program = await startProgram([dead, join(folder, 'alive'), '--data', join(folder, 'data')], {
    ...{ LD_PRELOAD: shim ?? '', LONGBOX_HANG: dead, LONGBOX_HANG_WHILE: control, SVC_HTTP__BACKEND: backend },
  });
  try {
    const api = `${program.address}/api/v1`;
    const token = await login(program.address);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const json: Hanging['json'] = async (path) => (await fetch(`${api}${path}`, { headers })).json();
    await until(
      'both are scanned',
      () => (program.printed().match(/scan of \w+ completed/g) ?? []).length === 2,
      60_000,
    );

    const libraries = (await json('/libraries')).data as { id: string; name: string }[];
    const ids = new Map<string, readonly string[]>();
    for (const { id, name } of libraries) {
      const { data } = await json(`/libraries/${id}/books?pageSize=100`);
      ids.set(
        name,
        data.map((book: { id: string }) => book.id),
      );
    }
    await use({
      program,
      folder,
      hang: () => writeFileSync(control, ''),
      answer: () => rmSync(control, { force: true }),
      get: (path) =>
        fetch(`${api}${path}`, { headers, signal: AbortSignal.timeout(120_000) }).then(
          async (answer) => {
            await answer.arrayBuffer();
            return answer.status;
          },
          () => CLOSED,
        ),
      post: (path, body) =>
        fetch(`${api}${path}`, { method: 'POST', headers, body: body === undefined ? null : JSON.stringify(body) }),
      json,
      scrape: async () => {
        const signal = AbortSignal.timeout(SCRAPE_MS);
        const answer = await fetch(`${api}/metrics`, { headers: { ...headers, accept: 'text/plain' }, signal });
        return answer.text();
      },
      booksOf: (name) => ids.get(name) ?? [],
      libraryOf: (name) => libraries.find((one) => one.name === name)?.id ?? '',
    });
  } finally {
    rmSync(control, { force: true });
    if (program.child.exitCode === null && program.child.signalCode === null) await kill(program);
  }
};

/** Everything that has nothing to do with the dead disk, original and resized pages among it. */
const everythingElseAnswers = async ({ get, booksOf, libraryOf }: Hanging, round: number): Promise<void> => {
  const books = booksOf('alive');
  const [first, second] = [books[0], books[round % books.length]];
  for (const path of [
    '/books?pageSize=10',
    '/series?pageSize=10',
    `/libraries/${libraryOf('dead')}`,
    `/books/${first}/file`,
    `/books/${first}/pages/1`,
    `/books/${second}/pages/2?format=webp`,
    `/books/${second}/pages/3?format=jpeg`,
  ])
    assert.is(await get(path), 200, path);
};

/** Many requests of each kind to the dead disk; resolves with their statuses. */
const askTheDead = ({ get, booksOf }: Hanging): Promise<number[]> =>
  Promise.all(
    booksOf('dead').flatMap((id) => [
      get(`/books/${id}/file`),
      get(`/books/${id}/pages/1`),
      get(`/books/${id}/pages/2?format=webp`),
      get(`/books/${id}/pages/3?format=jpeg`),
    ]),
  );

/** Files that are being sent, and all other requests meanwhile. */
const ofSending = (check: Check, backend: string): void => {
  check(`${backend}: a library whose disk hangs fails its own requests and no others`, () =>
    withProgram(backend, async (hanging) => {
      assert.is(await hanging.get(`/books/${hanging.booksOf('dead')[0]}/pages/1`), 200);
      assert.is(await hanging.get(`/books/${hanging.booksOf('dead')[0]}/pages/1`), 200, 'it is warm');
      hanging.hang();
      const asked = askTheDead(hanging);
      const scan = await hanging.post(`/libraries/${hanging.libraryOf('dead')}/scan?mode=deep`);
      assert.is(scan.status, 200);
      let isAnswered = false;
      const statuses = asked.finally(() => {
        isAnswered = true;
      });
      let rounds = 0;
      while (!isAnswered || rounds < 3) {
        rounds += 1;
        await everythingElseAnswers(hanging, rounds);
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_ROUNDS_MS));
      }
      // What was being sent when the disk fell silent cannot be sent to its end.
      for (const status of await statuses) assert.ok(status === 503 || status === CLOSED, String(status));
      for (const status of await askTheDead(hanging)) assert.is(status, 503, 'at once now');
      await until(
        'the scan gives up',
        async () => {
          const { status } = await hanging.json(`/libraries/${hanging.libraryOf('dead')}/scan-status`);
          return status !== 'running' && status !== 'pending';
        },
        60_000,
      );
      assert.is((await hanging.json(`/libraries/${hanging.libraryOf('dead')}`)).bookCount, BOOKS, 'nothing is lost');
      hanging.answer();
      await until(
        'it is served again',
        async () => (await askTheDead(hanging)).every((status) => status === 200),
        60_000,
      );
      hanging.program.child.kill('SIGTERM');
      assert.is(await hanging.program.ended, 0, hanging.program.printed());
    }),
  );
};

/** A shutdown, which waits for requests. */
const ofStopping = (check: Check, backend: string): void => {
  check(`${backend}: SIGTERM ends the program while the disk hangs, and the log says why it did not wait`, () =>
    withProgram(backend, async (hanging) => {
      hanging.hang();
      const asked = askTheDead(hanging);
      await hanging.post(`/libraries/${hanging.libraryOf('dead')}/scan?mode=deep`);
      await everythingElseAnswers(hanging, 1);
      hanging.program.child.kill('SIGTERM');
      await hanging.program.ended;
      assert.match(hanging.program.printed(), /still running: .*(?:thread|disk request).*; exiting without waiting/);
      await asked;
    }),
  );
};

/** What is behind every network engine. */
const ofEngine = (check: Check, backend: string): void => {
  check(
    `${backend}: health says which library hangs and waits for nothing, and its folders are shown as unreadable`,
    () =>
      withProgram(backend, async (hanging) => {
        const said = async (name: string): Promise<string> =>
          (await hanging.json('/health/details')).checks.find(
            (one: { name: string }) => one.name === `library "${name}"`,
          ).status;
        assert.equal([await said('dead'), await said('alive')], ['ok', 'ok']);
        hanging.hang();
        await until('it is noticed', async () => (await said('dead')) === 'failing', 20_000);
        const polls = await Promise.all(Array.from({ length: 200 }, () => hanging.get('/health/details')));
        assert.ok(polls.every((status) => status === 200));
        assert.is(await said('alive'), 'ok');
        for (let n = 0; n < 5; n += 1) assert.match(await hanging.scrape(), /^longbox_http_requests_total\{/m);
        for (const path of ['/health', '/health/live', '/health/ready'])
          assert.is((await fetch(`${hanging.program.address}${path}`)).status, 200, path);
        await everythingElseAnswers(hanging, 1);
        await showsFolders(hanging);
        await until('it is well again', async () => (await said('dead')) === 'ok', 60_000);
      }),
  );
};

/** Folders on the hanging disk are shown as unreadable, and those beside them as they are. */
const showsFolders = async (hanging: Hanging): Promise<void> => {
  const path = (name: string): string => `/filesystem/browse?path=${join(hanging.folder, name)}`;
  const readable = async (): Promise<unknown> =>
    (await hanging.json(path(''))).entries
      ?.filter(({ name }: { name: string }) => name !== 'data')
      .map(({ name, isDirectory, isReadable }: Record<string, unknown>) => [name, isDirectory, isReadable]);
  assert.equal(await readable(), [
    ['alive', true, true],
    ['dead', true, false],
    ['control', false, true],
  ]);
  assert.is(await hanging.get(path('dead')), 503);
  hanging.answer();
  await until('it is shown again', async () => (await hanging.get(path('dead'))) === 200, 60_000);
  const now = [
    ['alive', true, true],
    ['dead', true, true],
  ];
  await until('it is readable again', async () => JSON.stringify(await readable()) === JSON.stringify(now), 60_000);
};

block(
  'an unresponsive disk',
  (check) => {
    if (shim === undefined) {
      check.skip('everything here', 'gcc is needed to make calls hang, and Linux');
      return;
    }
    for (const [at, backend] of backEndNames(check).entries()) {
      ofStopping(check, backend);
      if (at === 0 || IS_FULL) {
        ofSending(check, backend);
        ofEngine(check, backend);
      } else check.skip(`${backend}: other libraries, health, folders`, 'only in a full run');
    }
  },
  { deadlineS: 240, after: () => rmSync(root, { recursive: true, force: true }) },
);
