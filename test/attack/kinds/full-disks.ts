// Full disks: without room for its cache the server goes on; without room for its database it refuses writes and loses no acknowledged one.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkDatabase } from '../../../core/upkeep/backup.js';
import { type Asked, inWords, jsonOf } from '../ask.js';
import type { Kind, Scene } from '../kind.js';
import { PAGES, writePlainBook } from '../library.js';
import { type Disk, fill, mountDisk, mountHindrance } from '../mounts.js';
import type { Book, Target } from '../target.js';

const MIB = 1024 * 1024;
const CACHE_DISK_BYTES = 12 * MIB;
const DATABASE_DISK_BYTES = 24 * MIB;
const BOOKS = 3;

const shelfOf = async ({ folder }: Scene): Promise<string> => {
  const shelf = join(folder, 'shelf');
  for (let n = 0; n < BOOKS; n += 1) await writePlainBook(join(shelf, 'Series', `Book ${n}.cbz`), n + 10);
  return shelf;
};

/** Pages of every book in new sizes, four at a time. */
const resized = async (target: Target, books: readonly Book[], from: number, widths: number): Promise<Asked[]> => {
  const paths: string[] = [];
  for (let width = from; width < from + widths; width += 1)
    for (const { id } of books)
      for (let page = 1; page <= PAGES; page += 1) paths.push(`/books/${id}/pages/${page}?width=${width}`);
  const answers: Asked[] = [];
  for (let at = 0; at < paths.length && target.death === null; at += 4)
    answers.push(...(await Promise.all(paths.slice(at, at + 4).map((path) => target.api(path)))));
  return answers;
};

const judgePages = ({ report }: Scene, what: string, answers: readonly Asked[]): void => {
  const bad = answers.filter(({ status }) => status !== 200);
  report.judge(bad.length === 0, `${what}: ${answers.length} pages came`, `${what}: pages met ${inWords(bad)}`);
};

const judgeBooks = ({ report }: Scene, what: string, books: readonly Book[], count: number): void => {
  const bad = books.filter(({ pageCount, analysisError }) => pageCount !== PAGES || (analysisError ?? null) !== null);
  report.judge(
    books.length === count && bad.length === 0,
    `${what}: no book was put aside`,
    `${what}: ${books.length} of ${count} books are listed, ${bad.length} of them put aside`,
  );
};

const fullCache = (disk: Disk): Kind => ({
  name: `full cache, ${disk}`,
  concerns: 'engine',
  hindrance: (isLarge) =>
    isLarge || disk === 'tmpfs' ? mountHindrance(disk) : 'the small run uses a disk in memory instead',
  run: async (scene) => {
    const shelf = await shelfOf(scene);
    const [data, cache] = [join(scene.folder, 'data'), join(scene.folder, 'cache')];
    mountDisk(scene, disk, cache, CACHE_DISK_BYTES);
    const environment = { SVC_CACHE__PATH: cache };
    const target = await scene.start({ data, shelves: [shelf], environment });
    const books = await target.books();
    const widths = scene.isLarge ? 12 : 1;
    scene.report.tried.push(`resized pages until a cache disk of ${CACHE_DISK_BYTES / MIB} MB is full, and after`);
    judgePages(scene, 'while it fills', await resized(target, books, 200, widths));
    fill(join(cache, 'filler'));
    judgePages(scene, 'when it is full', await resized(target, books, 100, widths));
    for (let n = 0; n < BOOKS; n += 1) await writePlainBook(join(shelf, 'Later', `Later ${n}.cbz`), n + 30);
    scene.report.tried.push('a scan of new books with the cache disk full');
    await target.scan('normal');
    judgeBooks(scene, 'a scan', await target.books(), BOOKS * 2);
    scene.report.judge(await target.stop(), 'SIGTERM ends it', 'SIGTERM does not end it');
    scene.report.tried.push('a start with the cache disk full');
    const again = await scene.start({ data, shelves: [], environment, token: target.token });
    judgePages(scene, 'after a start', await resized(again, await again.books(), 90, 1));
    rmSync(join(cache, 'filler'));
    judgePages(scene, 'with room again', await resized(again, await again.books(), 80, 1));
  },
});

const writePage = (target: Target, { id }: Book, page: number): Promise<Asked> =>
  target.api(`/books/${id}/progress`, { method: 'PUT', body: { current_page: page } });

/** Turns pages back and forth until a write is refused or time is up; returns the last acknowledged page of each book. */
const writeUntilRefused = async (
  scene: Scene,
  target: Target,
  books: readonly Book[],
): Promise<Map<string, number>> => {
  const promised = new Map<string, number>();
  const refused: Asked[] = [];
  for (let n = 0; n < 3000 && refused.length < 20 && target.death === null; n += 1) {
    for (const book of books) {
      const page = (n % PAGES) + 1;
      const answer = await writePage(target, book, page);
      if (answer.status === 200) promised.set(book.id, page);
      else refused.push(answer);
    }
  }
  const wrong = refused.filter(({ status }) => status !== 503);
  scene.report.judge(
    wrong.length === 0,
    `${refused.length} writes were refused with 503`,
    `writes met ${inWords(wrong)}`,
  );
  return promised;
};

const judgePromises = async (
  { report }: Scene,
  target: Target,
  promised: ReadonlyMap<string, number>,
): Promise<void> => {
  let lost = 0;
  for (const [id, page] of promised) {
    const { currentPage: current } = jsonOf(await target.api(`/books/${id}/progress`));
    if (current !== page) lost += 1;
  }
  report.judge(lost === 0, 'no acknowledged write is lost', `${lost} acknowledged writes are lost`);
};

const fullDatabase: Kind = {
  name: 'full database, tmpfs',
  concerns: 'engine',
  hindrance: () => mountHindrance('tmpfs'),
  run: async (scene) => {
    const shelf = await shelfOf(scene);
    const data = join(scene.folder, 'data');
    mountDisk(scene, 'tmpfs', data, DATABASE_DISK_BYTES);
    const environment = { SVC_CACHE__PATH: join(scene.folder, 'cache') };
    const target = await scene.start({ data, shelves: [shelf], environment });
    const books = await target.books();
    scene.report.tried.push('writes with the disk of the database full');
    fill(join(data, 'filler'));
    const promised = await writeUntilRefused(scene, target, books);
    const reads = await Promise.all(
      ['/books', '/series', '/auth/me', `/books/${books[0]?.id}/pages/1`].map((path) => target.api(path)),
    );
    const bad = reads.filter(({ status }) => status !== 200);
    scene.report.judge(bad.length === 0, 'reads go on', `reads met ${inWords(bad)}`);
    judgePages(scene, 'with the database disk full', await resized(target, books, 120, 1));
    await judgePromises(scene, target, promised);
    rmSync(join(data, 'filler'));
    const [book] = books;
    const later = book === undefined ? 0 : (await writePage(target, book, PAGES)).status;
    scene.report.judge(later === 200, 'writes go on with room again', `a write with room again is ${later}`);
    if (book !== undefined) promised.set(book.id, PAGES);
    await target.kill();
    const again = await scene.start({ data, shelves: [], environment, token: target.token });
    await judgePromises(scene, again, promised);
    await again.stop();
    const { faults } = await checkDatabase(join(data, 'longbox.db'), false);
    scene.report.judge(faults.length === 0, 'the database is sound', `the database is damaged: ${faults.join('; ')}`);
  },
};

export const fullDisks: readonly Kind[] = [fullCache('tmpfs'), fullCache('ext4'), fullDatabase];
