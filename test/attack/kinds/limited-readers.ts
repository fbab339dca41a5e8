// A reader with an age limit, while books for adults come, are damaged, moved and removed, and are edited: what the reader is answered, and
// how it is tagged.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, writeBook } from '../../app.js';
import { comicInfo } from '../../catalog/told-shelf.js';
import { type Asked, ask, jsonOf } from '../ask.js';
import type { Kind, Scene } from '../kind.js';
import type { Target } from '../target.js';

/** Ratings for adults as files have them. */
const WORDS = [
  'Adults Only 18+',
  'R18',
  'R-18',
  'X',
  'XXX',
  'NC-17',
  'Hentai',
  'NSFW',
  'Explicit Content',
  '+18',
  '18禁',
  'Ages 18+',
  'Mature (17+)',
];

const SECRET = 'Undisclosed';
const PASSWORD = 'gulls over the pier 4';

const PATHS = [
  '/api/v1/series?pageSize=100',
  '/api/v1/books?pageSize=100',
  '/api/v1/libraries',
  '/api/v1/genres',
  '/api/v1/people',
  '/api/v1/books/errors',
  `/api/v1/search?q=${SECRET}`,
  '/api/v1/books/recently-added',
  '/komga/api/v1/series',
  '/komga/api/v1/books?deleted=true',
  '/opds/v1.2/recent',
  '/opds/v2/series',
];

interface Reader {
  readonly target: Target;
  readonly token: string;
}

const look = ({ target, token }: Reader, path: string): Promise<Asked> =>
  ask(`${target.program.address}${path}`, { token });

const deleted = ({ target, token }: Reader): Promise<Asked> =>
  target.api('/books/list', { token, method: 'POST', body: { includeDeleted: true } });

/** What the reader is told that says something of the books for adults. */
const toldOf = async (reader: Reader): Promise<readonly string[]> => {
  const told: string[] = [];
  const check = (path: string, { bytes }: Asked): void => {
    if (bytes.toString().includes(`${SECRET} `)) told.push(path);
  };
  for (const path of PATHS) check(path, await look(reader, path));
  check('POST /books/list with deleted ones', await deleted(reader));
  return told;
};

const tagsOf = async (reader: Reader): Promise<string> => {
  const tags: string[] = [];
  for (const path of PATHS) tags.push((await look(reader, path)).header('etag'));
  return tags.join();
};

const writeAdult = (shelf: string, n: number, word: string): void =>
  writeBook(
    join(shelf, `${SECRET} ${n}`, `${SECRET} ${n}.cbz`),
    2,
    `adult ${n}`,
    comicInfo({ Title: `${SECRET} ${n}`, Genre: `${SECRET} genre`, Writer: `${SECRET} writer`, AgeRating: word }),
  );

const joinReader = async (target: Target): Promise<Reader> => {
  const body = { username: 'kid', email: 'kid@example.org', password: PASSWORD, role: 'reader' };
  const limits = { ageLimit: { max: 12, unrated: 'allow' } };
  await target.api('/users', { method: 'POST', body: { ...body, ...limits } });
  const login = await target.login('', { body: { username: 'kid', password: PASSWORD } });
  return { target, token: jsonOf(login).access_token };
};

const rescan = async (target: Target): Promise<void> => {
  const [{ id } = { id: '' }] = jsonOf(await target.api('/libraries')).data ?? [];
  await until('a scan may start', async () => {
    const { status } = await target.api(`/libraries/${id}/scan?acceptMissing=true`, { method: 'POST' });
    return status === 200 || target.death !== null;
  });
};

/** Looks while the scan goes on, and once more after it. */
const tellsDuring = async (reader: Reader): Promise<readonly string[]> => {
  await rescan(reader.target);
  const told = new Set<string>();
  let isOver = false;
  const ends = reader.target.settled().then(() => {
    isOver = true;
  });
  while (!isOver) for (const path of await toldOf(reader)) told.add(path);
  await ends;
  for (const path of await toldOf(reader)) told.add(path);
  return [...told];
};

const steps = (shelf: string): readonly (readonly [what: string, change: () => unknown])[] => {
  const path = (n: number): string => join(shelf, `${SECRET} ${n}`, `${SECRET} ${n}.cbz`);
  return [
    ['new', () => WORDS.map((word, n) => writeAdult(shelf, n, word))],
    ['cut off', () => writeFileSync(path(0), readFileSync(path(0)).subarray(0, 90))],
    ['no archives any more', () => writeFileSync(path(1), 'no archive')],
    ['moved into a visible folder', () => renameSync(path(2), join(shelf, 'Plain', `${SECRET} 2.cbz`))],
    ['renamed', () => renameSync(join(shelf, `${SECRET} 3`), join(shelf, `${SECRET} 33`))],
    ['gone', () => WORDS.map((_, n) => rmSync(join(shelf, `${SECRET} ${n}`), { recursive: true, force: true }))],
  ];
};

const edits = async ({ report }: Scene, reader: Reader): Promise<void> => {
  const { target } = reader;
  const before = await tagsOf(reader);
  const { data = [] } = jsonOf(await target.api('/series?pageSize=100'));
  const hidden = data.filter(({ title }: { title: string }) => title.startsWith(SECRET));
  for (const { id } of hidden.slice(0, 3)) {
    await target.api(`/series/${id}/metadata`, { method: 'PATCH', body: { summary: 'Other' } });
    await target.api('/collections', { method: 'POST', body: { name: `of ${id}`, seriesIds: [id] } });
  }
  report.judge(
    hidden.length > 0 && (await tagsOf(reader)) === before,
    'tags of answers do not follow what is edited out of sight',
    hidden.length > 0 ? 'a tag changed with a hidden series' : 'no hidden series was found',
  );
};

export const limitedReaders: Kind = {
  name: 'limited readers',
  concerns: 'engine',
  hindrance: () => null,
  run: async (scene) => {
    const shelf = join(scene.folder, 'shelf');
    for (const n of [1, 2])
      writeBook(join(shelf, 'Plain', `Plain ${n}.cbz`), 2, `plain ${n}`, comicInfo({ AgeRating: 'Everyone' }));
    const target = await scene.start({ data: join(scene.folder, 'data'), shelves: [shelf] });
    const reader = await joinReader(target);
    scene.report.tried.push(
      `an age limit of 12 against ${WORDS.length} words for adults, while their books come, break, move and go`,
    );
    for (const [what, change] of steps(shelf)) {
      change();
      const told = await tellsDuring(reader);
      scene.report.judge(
        told.length === 0,
        `books that are ${what} are not told of`,
        `books that are ${what}: ${told.join(', ')}`,
      );
      if (what === 'new') await edits(scene, reader);
    }
  },
};
