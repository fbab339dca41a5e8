// What a viewer with an age limit is shown while files are added, renamed, damaged, moved, deleted and come back: at the end of no transaction
// a book for adults, or a series that has words of one.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { andVisible } from '../../core/catalog/visibility.js';
import { EVERYTHING } from '../../core/model/viewer.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { comicInfo } from '../catalog/told-shelf.js';
import { feedCheck } from '../feed-check.js';
import { assert, block, IS_FULL } from '../kit.js';

const UP_TO_15 = andVisible({ ...EVERYTHING, ageLimit: 15, showUnrated: true }, 's');

/** Deleted books too: lists may include them. */
const EXPOSED = `SELECT s.name, b.file_name AS file, s.summary FROM series s LEFT JOIN book b ON b.series_id = s.id
  WHERE (b.file_name LIKE 'Adult%' OR s.summary = 'Adult')${UP_TO_15}`;

const FOLDERS = ['A', 'B', 'C'] as const;
const folder = fc.constantFrom(...FOLDERS);
const number = fc.integer({ min: 1, max: 3 });
const age = fc.constantFrom('Adult', 'Teen');

const stepArb = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), age, folder, number }),
  fc.record({ kind: fc.constant('retag' as const), age, folder, number }),
  fc.record({ kind: fc.constant('remove' as const), age, folder, number }),
  fc.record({ kind: fc.constant('damage' as const), age, folder, number }),
  fc.record({ kind: fc.constant('move' as const), age, folder, number, to: folder }),
  fc.record({ kind: fc.constant('rename' as const), folder, to: folder }),
);
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

const RATINGS = { Adult: ['R18+', 'Adults Only 18+'], Teen: ['Teen', 'Everyone 10+'] } as const;

interface Shelf extends TempApp {
  scan(): Promise<void>;
}

const write = (path: string, who: 'Adult' | 'Teen', seed: string): void =>
  writeBook(path, 2, seed, comicInfo({ Title: who, Summary: who, AgeRating: RATINGS[who][seed.length % 2] ?? '' }));

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
  if (step.kind === 'write') write(path, step.age, `${step.folder} ${name}`);
  if (!existsSync(path)) return;
  if (step.kind === 'retag') write(path, step.age, `${step.folder} ${name}`.padEnd(20 + (turn % 9), '+'));
  if (step.kind === 'remove') rmSync(path);
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
    const { id } = (await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } }))
      .json;
    await use({
      ...temp,
      scan: async () => {
        temp.advance(10_000);
        await temp.call('POST', `/api/v1/libraries/${id}/scan?acceptMissing=true`, { token });
        await until('the scan ends', () => temp.app.scans.active().length === 0);
      },
    });
    assert.equal(exposed, []);
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

const names = (shelf: Shelf, where: string): Promise<string[]> =>
  shelf.app.db
    .all<{ name: string }>(`SELECT s.name FROM series s WHERE ${where} ORDER BY s.name`)
    .then((rows) => rows.map(({ name }) => name));

block(
  'what an age limit shows',
  (check) => {
    check('whatever happens to files, no book for adults and no word of one', () =>
      fc.assert(
        fc.asyncProperty(fc.array(stepArb, { minLength: 4, maxLength: 14 }), (steps) =>
          withShelf(async (shelf) => {
            for (const one of FOLDERS) write(join(shelf.shelf, one, 'Teen 1.cbz'), 'Teen', one);
            write(join(shelf.shelf, 'A', 'Adult 1.cbz'), 'Adult', 'A');
            await shelf.scan();
            for (const [turn, step] of steps.entries()) {
              apply(shelf.shelf, step, turn);
              await shelf.scan();
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
          const pathOf = (n: number): string => join(shelf.shelf, 'A', `Book ${n}.cbz`);
          const addresses = ['/api/v1/books/*/file', '/api/v1/books/*/pages/1', '/api/v1/books/*/pages/1?width=1'];
          const requested = [...addresses, '/api/v1/books/*/thumbnail', '/komga/api/v1/books/*/pages/1'];
          write(join(shelf.shelf, 'A', 'Teen 1.cbz'), 'Teen', 'one');
          for (const n of requested.keys()) before(pathOf(n));
          await shelf.scan();
          const admin = await shelf.tokenOf('admin');
          const token = await shelf.tokenOf('reader');
          const me = (await shelf.call('GET', '/api/v1/auth/me', { token })).json.id;
          const body = { ageLimit: { max: 15, unrated: 'allow' } };
          assert.is((await shelf.call('PATCH', `/api/v1/users/${me}`, { token: admin, body })).status, 200);
          const { data } = (await shelf.call('GET', '/api/v1/books', { token })).json;
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
    check('series are shown as soon as all their books were read, also if one cannot be', () =>
      withShelf(async (shelf) => {
        write(join(shelf.shelf, 'A', 'Teen 1.cbz'), 'Teen', 'a');
        writeBook(join(shelf.shelf, 'B', 'Plain.cbz'), 1, 'b');
        writeBook(join(shelf.shelf, 'B', 'Broken.cbz'), 1, 'c');
        writeFileSync(join(shelf.shelf, 'B', 'Broken.cbz'), 'no book at all');
        await shelf.scan();
        assert.equal(await names(shelf, `true${UP_TO_15}`), ['A', 'B']);
        assert.equal(await names(shelf, 's.unjudged = 1'), []);
      }),
    );
  },
  { deadlineS: 180 },
);
