// What a viewer with an age limit is shown while files are added, renamed, damaged, moved, deleted and come back: at the end of no transaction
// a book for adults, or a series that has words of one.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { andVisible, andVisibleBook, andVisibleInSeries } from '../../core/catalog/visibility.js';
import { EVERYTHING } from '../../core/model/viewer.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { comicInfo } from '../catalog/told-shelf.js';
import { feedCheck } from '../feed-check.js';
import { assert, block, IS_FULL } from '../kit.js';

const TEENAGER = { ...EVERYTHING, ageLimit: 15, showUnrated: true };
const UP_TO_15 = andVisible(TEENAGER, 's');

/** Deleted books too: lists may include them. */
const EXPOSED = `SELECT s.name, b.file_name AS file, s.summary FROM series s LEFT JOIN book b ON b.series_id = s.id
  WHERE ((b.file_name LIKE 'Adult%'${andVisibleInSeries(TEENAGER, 'b')}) OR s.summary = 'Adult')${UP_TO_15}`;

/** Two libraries, the first with two series. */
const FOLDERS = ['1/A', '1/B', '2/C'] as const;
const folder = fc.constantFrom(...FOLDERS);
const number = fc.integer({ min: 1, max: 3 });
const age = fc.constantFrom('Adult', 'Teen');

const stepArb = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), age, folder, number }),
  fc.record({ kind: fc.constant('retag' as const), age, folder, number }),
  fc.record({ kind: fc.constant('remove' as const), age, folder, number }),
  fc.record({ kind: fc.constant('damage' as const), age, folder, number }),
  fc.record({ kind: fc.constant('write damaged' as const), age, folder, number }),
  fc.record({ kind: fc.constant('move' as const), age, folder, number, to: folder }),
  fc.record({ kind: fc.constant('rename' as const), folder, to: folder }),
);
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

const RATINGS = { Adult: ['R18+', 'Adults Only 18+'], Teen: ['Teen', 'Everyone 10+'] } as const;

interface Shelf extends TempApp {
  scan(): Promise<void>;
}

const write = (path: string, who: 'Adult' | 'Teen', seed: string): void =>
  writeBook(
    path,
    2,
    seed,
    comicInfo({
      Title: who,
      Summary: who,
      Genre: `${who} drama`,
      Tags: `${who} tag`,
      Writer: `${who} Writer`,
      AgeRating: RATINGS[who][seed.length % 2] ?? '',
    }),
  );

/** Cut off before its first page, cut off after it, or with a stretch that the disk lost: then its pages can be read, and no metadata. */
const damaged = (bytes: Buffer, turn: number): Buffer => {
  if (turn % 3 === 0) return bytes.subarray(0, 60 + (turn % 40));
  const from = bytes.indexOf('ComicInfo.xml');
  return turn % 3 === 1 ? bytes.subarray(0, Math.max(60, from - 30)) : Buffer.from(bytes).fill(0, from + 13, from + 60);
};

const apply = (shelf: string, step: Step, turn: number): void => {
  if (step.kind === 'rename') {
    if (existsSync(join(shelf, step.folder)) && !existsSync(join(shelf, step.to)))
      renameSync(join(shelf, step.folder), join(shelf, step.to));
    return;
  }
  const name = `${step.age} ${step.number}.cbz`;
  const path = join(shelf, step.folder, name);
  if (step.kind === 'write' || step.kind === 'write damaged') write(path, step.age, `${step.folder} ${name}`);
  if (!existsSync(path)) return;
  if (step.kind === 'retag') write(path, step.age, `${step.folder} ${name}`.padEnd(20 + (turn % 9), '+'));
  if (step.kind === 'remove') rmSync(path);
  if (step.kind === 'write damaged') writeFileSync(path, readFileSync(path).subarray(0, 50));
  if (step.kind === 'damage') writeFileSync(path, damaged(readFileSync(path), turn));
  if (step.kind !== 'move' || existsSync(join(shelf, step.to, name))) return;
  mkdirSync(join(shelf, step.to), { recursive: true });
  renameSync(path, join(shelf, step.to, name));
};

/** Runs `use` on a shelf, with a look at what is visible at the end of every transaction. */
const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const exposed: unknown[] = [];
  const inspection = {
    setup: feedCheck.setup,
    begin: () => {
      const end = feedCheck.begin();
      return async (...[tx, reports]: Parameters<ReturnType<typeof feedCheck.begin>>) => {
        await end(tx, reports);
        exposed.push(...(await tx.all(EXPOSED)));
      };
    },
  };
  const temp = await tempApp({ engine: { inspection } });
  try {
    const token = await temp.tokenOf('admin');
    const ids: string[] = [];
    for (const name of ['1', '2']) {
      const path = join(temp.shelf, name);
      mkdirSync(path, { recursive: true });
      ids.push((await temp.call('POST', '/api/v1/libraries', { token, body: { name, path } })).json.id);
    }
    await use({
      ...temp,
      scan: async () => {
        temp.advance(10_000);
        for (const id of ids) {
          await temp.call('POST', `/api/v1/libraries/${id}/scan?acceptMissing=true`, { token });
          await until('the scan ends', () => temp.app.scans.active().length === 0);
        }
      },
    });
    assert.equal(exposed, []);
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

/** Somebody who may see what is for up to 15, and what has no rating. */
const limitedToken = async (shelf: Shelf): Promise<string> => {
  const admin = await shelf.tokenOf('admin');
  const token = await shelf.tokenOf('reader');
  const me = (await shelf.call('GET', '/api/v1/auth/me', { token })).json.id;
  const body = { ageLimit: { max: 15, unrated: 'allow' } };
  assert.is((await shelf.call('PATCH', `/api/v1/users/${me}`, { token: admin, body })).status, 200);
  return token;
};

/** Of both surfaces: what has titles, summaries, paths, names of people and terms. */
const ADDRESSES = [
  ...['books', 'series', 'genres', 'tags', 'libraries'].map((one) => `/api/v1/${one}?pageSize=100`),
  ...['search?q=Adult', 'series/in-progress', 'books/recently-added'].map((one) => `/api/v1/${one}`),
  ...['books', 'series', 'authors', 'genres', 'tags'].map((one) => `/komga/api/v1/${one}`),
];
const DELETED_TOO = { includeDeleted: true, condition: null };

const checkAnswers = async (shelf: Shelf, token: string): Promise<void> => {
  for (const path of ADDRESSES) {
    const { status, bytes } = await shelf.call('GET', path, { token });
    assert.equal([status, /Adult.{0,20}/.exec(bytes.toString())?.[0]], [200, undefined], path);
  }
  const { status, bytes } = await shelf.call('POST', '/api/v1/books/list', { token, body: DELETED_TOO });
  assert.equal([status, /Adult.{0,20}/.exec(bytes.toString())?.[0]], [200, undefined], 'deleted books');
};

const names = (shelf: Shelf, where: string): Promise<string[]> =>
  shelf.app.db
    .all<{ name: string }>(`SELECT s.name FROM series s WHERE ${where} ORDER BY s.name`)
    .then((rows) => rows.map(({ name }) => name));

/** The files that a viewer with an age limit sees. */
const visibleFiles = (shelf: Shelf): Promise<string[]> =>
  shelf.app.db
    .all<{ name: string }>(
      `SELECT b.file_name AS name FROM book b WHERE true${andVisibleBook(TEENAGER, 'b')} ORDER BY b.file_name`,
    )
    .then((rows) => rows.map(({ name }) => name));

/** Files that are no books. */
const writeFiles = (...paths: readonly string[]): void => {
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `no book at all: ${path}`);
  }
};

block(
  'what an age limit shows',
  (check) => {
    check('whatever happens to files, no book for adults and no word of one', () =>
      fc.assert(
        fc.asyncProperty(fc.array(stepArb, { minLength: 4, maxLength: 14 }), (steps) =>
          withShelf(async (shelf) => {
            for (const one of FOLDERS) write(join(shelf.shelf, one, 'Teen 1.cbz'), 'Teen', one);
            write(join(shelf.shelf, '1/A', 'Adult 1.cbz'), 'Adult', 'A');
            await shelf.scan();
            const token = await limitedToken(shelf);
            for (const [turn, step] of steps.entries()) {
              apply(shelf.shelf, step, turn);
              await shelf.scan();
              await checkAnswers(shelf, token);
            }
          }),
        ),
        { numRuns: IS_FULL ? 60 : 4 },
      ),
    );
    for (const [what, before] of [
      ['another book', (path: string) => write(path, 'Teen', 'before')],
      ['a damaged one', (path: string) => writeFileSync(path, 'still being copied')],
    ] as const)
      check(`a file that replaced ${what} since the last scan is judged before it is sent`, () =>
        withShelf(async (shelf) => {
          const pathOf = (n: number): string => join(shelf.shelf, '1/A', `Book ${n}.cbz`);
          const addresses = ['/api/v1/books/*/file', '/api/v1/books/*/pages/1', '/api/v1/books/*/pages/1?width=1'];
          const requested = [...addresses, '/api/v1/books/*/thumbnail', '/komga/api/v1/books/*/pages/1'];
          write(join(shelf.shelf, '1/A', 'Teen 1.cbz'), 'Teen', 'one');
          for (const n of requested.keys()) before(pathOf(n));
          await shelf.scan();
          const admin = await shelf.tokenOf('admin');
          const token = await limitedToken(shelf);
          const { data } = (await shelf.call('GET', '/api/v1/books', { token: admin })).json;
          for (const [n, address] of requested.entries()) {
            const { id } = data.find((book: { path: string }) => book.path === pathOf(n));
            // Its rating hides the series: the next book is back in it once this one is gone.
            write(pathOf(n), 'Adult', 'adult');
            const statusOf = async (as: string) =>
              (await shelf.call('GET', address.replace('*', id), { token: as })).status;
            assert.equal(
              [await statusOf(token), await statusOf(token), await statusOf(admin)],
              [404, 404, 200],
              address,
            );
            rmSync(pathOf(n));
            await shelf.scan();
          }
        }),
      );
    check('a book that could never be read is hidden, and its series is judged by the others', () =>
      withShelf(async (shelf) => {
        const broken = join(shelf.shelf, '1/B', 'Broken.cbz');
        write(join(shelf.shelf, '1/A', 'Teen 1.cbz'), 'Teen', 'a');
        writeBook(join(shelf.shelf, '1/B', 'Plain.cbz'), 1, 'b');
        writeFiles(broken, join(shelf.shelf, '2/C', 'Broken too.cbz'));
        await shelf.scan();
        assert.equal(await names(shelf, `true${UP_TO_15}`), ['A', 'B'], 'a series of nothing else is not judged');
        assert.equal(await visibleFiles(shelf), ['Plain.cbz', 'Teen 1.cbz']);
        for (const text of ['no book either', 'nor is this']) {
          writeFileSync(broken, text);
          await shelf.scan();
          assert.equal(await visibleFiles(shelf), ['Plain.cbz', 'Teen 1.cbz'], text);
        }
        rmSync(join(shelf.shelf, '2/C', 'Broken too.cbz'));
        await shelf.scan();
        assert.equal(await names(shelf, `true${UP_TO_15}`), ['A', 'B'], 'also when its files are gone');
        writeBook(broken, 1, 'c');
        await shelf.scan();
        assert.equal(await visibleFiles(shelf), ['Broken.cbz', 'Plain.cbz', 'Teen 1.cbz'], 'once it was read');
        writeFiles(broken);
        await shelf.scan();
        assert.equal(
          await visibleFiles(shelf),
          ['Broken.cbz', 'Plain.cbz', 'Teen 1.cbz'],
          'what was read once stays judged',
        );
        rmSync(join(shelf.shelf, '1/B', 'Plain.cbz'));
        writeFiles(join(shelf.shelf, '1/A', 'Other.cbz'));
        await shelf.scan();
        assert.equal(
          await visibleFiles(shelf),
          ['Broken.cbz', 'Plain.cbz', 'Teen 1.cbz'],
          'also when the others are gone',
        );
      }),
    );
  },
  { deadlineS: 180 },
);
