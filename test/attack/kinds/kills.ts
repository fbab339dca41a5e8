// kill -9 during deep scans and while people read: what was acknowledged is there after the next start, and the database is sound.
import { join } from 'node:path';
import { checkDatabase } from '../../../core/upkeep/backup.js';
import { until, writeBook } from '../../app.js';
import { jsonOf } from '../ask.js';
import type { Kind, Scene } from '../kind.js';
import type { Book, Target } from '../target.js';

const PAGES = 400;
const READERS = 6;
/** Acknowledged writes between a start and its kill. */
const WRITES = 60;

/** Turns the pages of a book until the server is gone; records what was acknowledged. */
const readOn = async (target: Target, { id }: Book, promised: Map<string, number>): Promise<void> => {
  while (target.death === null) {
    const page = (promised.get(id) ?? 0) + 1;
    if (page > PAGES) return;
    const { status } = await target.api(`/books/${id}/progress`, { method: 'PUT', body: { current_page: page } });
    if (status === 200) promised.set(id, page);
    else if (status !== 0) throw new Error(`turning a page was answered with ${status}`);
  }
};

const lostIn = async (target: Target, promised: ReadonlyMap<string, number>): Promise<string[]> => {
  const lost: string[] = [];
  for (const [id, page] of promised) {
    const { currentPage: current = 0 } = jsonOf(await target.api(`/books/${id}/progress`));
    // One more may have been in flight.
    if (current < page || current > page + 1) lost.push(`page ${page} was acknowledged, ${current} is stored`);
  }
  return lost;
};

const sum = (promised: ReadonlyMap<string, number>): number =>
  [...promised.values()].reduce((all, page) => all + page, 0);

const round = async (
  target: Target,
  libraryId: string,
  books: readonly Book[],
  promised: Map<string, number>,
): Promise<void> => {
  const before = sum(promised);
  await target.api(`/libraries/${libraryId}/scan?mode=deep`, { method: 'POST' });
  const reading = books.slice(0, READERS).map((book) => readOn(target, book, promised));
  await until('pages are turned', () => sum(promised) >= before + WRITES || target.death !== null);
  await target.kill();
  await Promise.all(reading);
};

const run = async (scene: Scene): Promise<void> => {
  const kills = scene.isLarge ? 25 : 2;
  const count = scene.isLarge ? 400 : 60;
  const [shelf, data] = [join(scene.folder, 'shelf'), join(scene.folder, 'data')];
  for (let n = 0; n < count; n += 1)
    writeBook(join(shelf, `Series ${n % 10}`, `Book ${n}.cbz`), n < 10 ? PAGES : 3, `${n}`);
  let target = await scene.start({ data, shelves: [shelf] });
  const books = (await target.books()).filter(({ pageCount }) => pageCount === PAGES);
  const libraryId = String(jsonOf(await target.api('/libraries')).data?.[0]?.id);
  const promised = new Map<string, number>();
  const lost: string[] = [];
  for (let n = 0; n < kills && lost.length === 0; n += 1) {
    await round(target, libraryId, books, promised);
    target = await scene.start({ data, shelves: [], token: target.token });
    lost.push(...(await lostIn(target, promised)));
  }
  scene.report.tried.push(`${kills} kills in deep scans of ${count} books with ${READERS} readers turning pages`);
  scene.report.judge(
    lost.length === 0 && sum(promised) >= kills * WRITES,
    `all of ${sum(promised)} acknowledged writes are there`,
    `acknowledged writes are lost: ${lost.join('; ')}`,
  );
  await target.settled();
  const left = await target.books();
  scene.report.judge(left.length === count, 'every book is there', `${left.length} of ${count} books are there`);
  await target.stop();
  const { faults } = await checkDatabase(join(data, 'longbox.db'), false);
  scene.report.judge(faults.length === 0, 'the database is sound', `the database is damaged: ${faults.join('; ')}`);
};

export const kills: Kind = { name: 'kills', concerns: 'engine', hindrance: () => null, run };
