// The real program on disks that are full: of the cache, which it does without, and of the database, which takes no change until there is
// space. Reading goes on, nothing is blamed on a book, the end is orderly, and it all comes back by itself.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { writeZip } from '../../bench/zip-writer.js';
import { until, writeBook } from '../app.js';
import { fetch } from '../described.js';
import { type Form, formOf, isForm } from '../form.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { type DiskKind, type SmallDisk, smallDisk, whyNoDisk } from '../small-disk.js';
import { kill, type Program, startProgram } from './program.js';

const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
/** Half of them are read before the disk is full. */
const BOOKS = IS_FULL ? 1000 : 500;

interface Client {
  get(path: string): Promise<Response>;
  json<T>(path: string): Promise<T>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
}

const clientOf = async ({ address }: Program, isNew: boolean): Promise<Client> => {
  const send = (method: string, path: string, body: unknown, token: string): Promise<Response> =>
    fetch(`${address}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(isForm(body) ? body.headers : body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm(body) ? new Uint8Array(body.body) : JSON.stringify(body) }),
    });
  const answer = await send('POST', isNew ? '/setup/initialize' : '/auth/login', ADMIN, '');
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const get = (path: string): Promise<Response> => send('GET', path, undefined, token);
  return {
    get,
    json: async <T>(path: string) => (await (await get(path)).json()) as T,
    send: (method, path, body) => send(method, path, body, token),
  };
};

const statusOf = async ({ address }: Program): Promise<string> =>
  ((await (await fetch(`${address}/api/v1/health`)).json()) as { status: string }).status;

const noise = (seed: number): Promise<Buffer> =>
  sharp({
    create: {
      width: 900,
      height: 1200,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: seed, sigma: 60 },
    },
  })
    .jpeg({ quality: 90 })
    .toBuffer();

/** Many small books, and one with pages that are worth resizing. */
const fillShelf = async (shelf: string, books: number): Promise<void> => {
  for (let n = 0; n < books; n += 1) writeBook(join(shelf, `Series ${n % 20}`, `Book ${n}.cbz`), 3, `book ${n}`);
  const large = join(shelf, 'Large', 'Large 1.cbz');
  mkdirSync(dirname(large), { recursive: true });
  const items = [];
  for (let page = 1; page <= 12; page += 1) items.push({ name: `${page}.jpg`, bytes: await noise(100 + page) });
  writeFileSync(large, writeZip(items));
};

interface Row {
  readonly id: string;
  readonly pageCount: number;
  readonly analysisError?: string | null;
}

const booksOf = async (client: Client): Promise<Row[]> => {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await client.json<{ data: Row[] }>(`/books?page=${page}&pageSize=500`);
    rows.push(...data);
    if (data.length === 0) return rows;
  }
};

const resizedPages = async (client: Client, book: string, width: number): Promise<void> => {
  for (let page = 1; page <= 12; page += 1) {
    const answer = await client.get(`/books/${book}/pages/${page}?width=${width}`);
    assert.is(answer.status, 200, `page ${page}`);
    assert.ok((await answer.arrayBuffer()).byteLength > 10_000);
  }
};

const warnings = (program: Program, words: RegExp): number =>
  program
    .printed()
    .split('\n')
    .filter((line) => / warn /.test(line) && words.test(line)).length;

const stopped = async (program: Program): Promise<void> => {
  program.child.kill('SIGTERM');
  assert.is(await program.ended, 0, program.printed());
};

const inFolder = async (body: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-full-'));
  try {
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const withDisk = (
  check: Check,
  kind: DiskKind,
  fact: string,
  body: (disk: SmallDisk, folder: string) => Promise<void>,
) => {
  const why = whyNoDisk(kind);
  if (why !== null) {
    check.skip(`${fact} (${kind})`, `no disk of its own: ${why}`);
    return;
  }
  check(`${fact} (${kind})`, () =>
    inFolder(async (folder) => {
      const disk = smallDisk(kind, 16);
      if (typeof disk === 'string') throw new Error(disk);
      try {
        await body(disk, folder);
      } finally {
        disk.remove();
      }
    }),
  );
};

const fullCache = async (disk: SmallDisk, folder: string): Promise<void> => {
  const [shelf, data] = [join(folder, 'shelf'), join(folder, 'data')];
  await fillShelf(shelf, BOOKS);
  const environment = { SVC_CACHE__PATH: join(disk.path, 'cache') };
  const begin = (): Promise<Program> => startProgram([shelf, '--data', data], environment);
  disk.fill(2 * 1024 * 1024);
  const program = await begin();
  try {
    const client = await clientOf(program, true);
    await until(
      'half of it is read',
      async () => (await booksOf(client)).filter(({ pageCount }) => pageCount > 0).length > BOOKS / 2,
      60_000,
    );
    disk.fill(0);
    await until('the scan completes', () => /scan of shelf completed/.test(program.printed()), 60_000);
    const rows = await booksOf(client);
    assert.is(rows.length, BOOKS + 1);
    assert.equal(
      rows.filter(({ pageCount, analysisError }) => pageCount === 0 || (analysisError ?? null) !== null),
      [],
      'no book is blamed',
    );
    const large = rows.find(({ pageCount }) => pageCount === 12)?.id ?? '';
    await resizedPages(client, large, 600);
    await resizedPages(client, large, 500);
    assert.is((await client.get(`/books/${large}/thumbnail`)).status, 200);
    assert.is(await statusOf(program), 'degraded');
    const details = await client.json<{ cache: string | null; database: string | null }>('/health/details');
    assert.match(details.cache ?? '', /full/);
    assert.is(details.database, null);
    assert.is(warnings(program, /cache/), 1, program.printed());
    await stopped(program);
  } catch (thrown) {
    await kill(program).catch(() => undefined);
    throw thrown;
  }

  const again = await begin();
  try {
    const client = await clientOf(again, false);
    const large = (await booksOf(client)).find(({ pageCount }) => pageCount === 12)?.id ?? '';
    await resizedPages(client, large, 400);
    assert.is(await statusOf(again), 'degraded');
    disk.empty();
    await until('it is well again', async () => (await statusOf(again)) === 'ok', 45_000);
    assert.match(again.printed(), /the cache works again/);
    await resizedPages(client, large, 300);
    await stopped(again);
  } catch (thrown) {
    await kill(again).catch(() => undefined);
    throw thrown;
  }
};

/** Whatever somebody may create or upload, by its path. */
const creations = (book: string, form: Form): readonly (readonly [string, unknown])[] => [
  [`/books/${book}/cover`, form],
  ['/api-keys', { name: 'A key', permissions: ['BooksRead'] }],
  ['/readlists', { name: 'A list', bookIds: [book] }],
  ['/auth/login', ADMIN],
  ['/users', { username: 'reader', email: 'reader@example.com', password: 'Secret123!' }],
];

/** Small rows may still fit into the database's files. An image does not, and leaves nothing behind. */
const refusals = async (client: Client, data: string, book: string, form: Form): Promise<void> => {
  for (const [path, body] of creations(book, form)) {
    const answer = await client.send('POST', path, body);
    const { error } = (await answer.json()) as { error?: string };
    if (!answer.ok) assert.equal([answer.status, error], [503, 'StorageFull'], path);
    assert.ok(!(answer.ok && body === form), 'an image was stored without space for it');
  }
  assert.equal((await client.json<{ covers: unknown[] }>(`/books/${book}/covers`)).covers, []);
  const uploads = join(data, 'uploads');
  const left = existsSync(uploads) ? readdirSync(uploads, { recursive: true, withFileTypes: true }) : [];
  assert.equal(
    left.filter((one) => one.isFile()).map(({ name }) => name),
    [],
  );
};

const fullDatabase = async (disk: SmallDisk, folder: string): Promise<void> => {
  const [shelf, data] = [join(folder, 'shelf'), join(disk.path, 'data')];
  await fillShelf(shelf, 300);
  const program = await startProgram(['--data', data], { SVC_CACHE__PATH: join(folder, 'cache') });
  try {
    const client = await clientOf(program, true);
    const made = await client.send('POST', '/libraries', { name: 'Shelf', path: shelf });
    assert.is(made.status, 201, await made.clone().text());
    const library = ((await made.json()) as { id: string }).id;
    assert.ok((await client.send('POST', `/libraries/${library}/scan`, {})).ok);
    await until(
      'some are read',
      async () => (await booksOf(client)).filter(({ pageCount }) => pageCount > 0).length > 20,
    );
    disk.fill(0);
    await until('the disk is met', async () => (await statusOf(program)) === 'degraded');
    const [book] = (await booksOf(client)).filter(({ pageCount }) => pageCount > 0);
    assert.is((await client.get(`/books/${book?.id}/pages/1`)).status, 200);
    assert.is((await client.get(`/books/${book?.id}`)).status, 200);
    // Small changes may still fit into the files as they are.
    let write = await client.send('PUT', `/books/${book?.id}/progress`, { current_page: 2 });
    let turn = 0;
    await until('a change is refused', async () => {
      turn += 1;
      write = await client.send('PATCH', `/books/${book?.id}/metadata`, { summary: `${turn} `.repeat(4000) });
      return !write.ok;
    });
    const words = (await write.json()) as { error: string; message: string };
    assert.equal([write.status, words.error, write.headers.has('retry-after')], [503, 'StorageFull', true]);
    assert.match(words.message, /disk of the data folder is full/);
    const form = await formOf({ file: await noise(7) });
    disk.fill(0);
    await refusals(client, data, book?.id ?? '', form);
    assert.is(warnings(program, /warn +The disk of the data folder/), 1, program.printed());
    disk.empty();
    await until('it is well again', async () => (await statusOf(program)) === 'ok', 45_000);
    await until(
      'the scan completes',
      async () => (await client.json<{ status: string }>(`/libraries/${library}/scan-status`)).status === 'completed',
      60_000,
    );
    const rows = await booksOf(client);
    assert.equal(
      [rows.length, rows.filter(({ pageCount, analysisError }) => pageCount === 0 || (analysisError ?? null) !== null)],
      [301, []],
    );
    assert.is((await client.send('PUT', `/books/${book?.id}/progress`, { current_page: 2 })).status, 200);
    for (const [path, body] of creations(book?.id ?? '', form)) {
      const answer = await client.send('POST', path, body);
      assert.ok(answer.ok || answer.status === 409, `${path}: ${answer.status}`); // it may have fitted before
    }
    await stopped(program);
  } catch (thrown) {
    await kill(program).catch(() => undefined);
    throw thrown;
  }
};

block(
  'full disks',
  (check) => {
    for (const kind of IS_FULL ? (['tmpfs', 'ext4'] as const) : (['tmpfs'] as const)) {
      withDisk(check, kind, 'of the cache: scan, pages, SIGTERM and start go on; caching resumes', fullCache);
      withDisk(check, kind, 'of the database: reading goes on, changes are refused, the scan waits', fullDatabase);
    }
  },
  { deadlineS: 180 },
);
