// Files that ask for much memory, six at a time, on two threads and on four: the process stays below its ceiling, and honest requests are
// answered.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Asked, inWords } from '../ask.js';
import { GREEDY_FILES } from '../files/greedy.js';
import { amongReaders } from '../honest.js';
import { inMb, type Kind, type Scene } from '../kind.js';
import { writePlainBook } from '../library.js';
import type { Target } from '../target.js';

const AT_ONCE = 6;
const ANSWER_MS = 70_000;
const SCAN_MS = 180_000;

const makeShelf = async ({ folder, isLarge, report }: Scene): Promise<string> => {
  const shelf = join(folder, 'greedy');
  const left = isLarge ? [] : GREEDY_FILES.filter(({ isSlow }) => isSlow === true);
  if (left.length > 0) report.tried.push(`only in a large run: ${left.map(({ name }) => name).join(', ')}`);
  for (const { name, make } of GREEDY_FILES.filter((file) => !left.includes(file))) {
    mkdirSync(join(shelf, name), { recursive: true });
    writeFileSync(join(shelf, name, name), await make());
  }
  return shelf;
};

/** Each book's page in a size of its own, its cover, and the sheet of its pages. */
const askAll = async ({ report, isLarge }: Scene, target: Target): Promise<void> => {
  const books = (await target.books()).filter(({ path }) => path.includes('/greedy/'));
  const slow = GREEDY_FILES.filter(({ isSlow }) => isSlow === true).map(({ name }) => `/${name}`);
  const widths = (path: string): number[] =>
    // One that is drawn without end is stopped after its deadline, and refused after two of them.
    Array.from({ length: isLarge && !slow.some((end) => path.endsWith(end)) ? AT_ONCE : 1 }, (_, n) => 301 + n);
  const paths = books.flatMap(({ id, path }) => [
    ...widths(path).map((width) => `/books/${id}/pages/1?width=${width}`),
    `/books/${id}/pages/overview`,
    `/books/${id}/thumbnail`,
  ]);
  const answers: Asked[] = [];
  const left = paths.values();
  const work = async (): Promise<void> => {
    for (const path of left) answers.push(await target.api(path, { deadlineMs: ANSWER_MS }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const wrong = answers.filter(({ status }) => status === 0 || status === 500);
  const shown = answers.filter(({ status }) => status === 200).length;
  report.judge(
    wrong.length === 0,
    `${answers.length} requests for ${books.length} of them were answered, ${shown} with an image`,
    `requests for them met ${inWords(wrong)}`,
  );
};

/** Some of them ask for much and need little. */
const seeShown = async ({ report }: Scene, target: Target): Promise<void> => {
  const books = await target.books();
  const wanted = GREEDY_FILES.filter(({ isShown }) => isShown === true).map(({ name }) => name);
  const hidden: string[] = [];
  for (const name of wanted) {
    const id = books.find(({ path }) => path.endsWith(`/${name}`))?.id;
    const { status } = await target.api(`/books/${id}/pages/1?width=299`, { deadlineMs: ANSWER_MS });
    if (status !== 200) hidden.push(`${name} (${status})`);
  }
  report.judge(
    hidden.length === 0,
    `${wanted.length} of them are shown: ${wanted.join(', ')}`,
    `not shown: ${hidden.join(', ')}`,
  );
};

const withThreads = async (scene: Scene, shelf: string, threads: number): Promise<void> => {
  const [sound, data] = [join(scene.folder, `sound-${threads}`), join(scene.folder, `data-${threads}`)];
  for (let n = 0; n < 3; n += 1) await writePlainBook(join(sound, 'Sound', `Sound ${n}.cbz`), n + 70);
  const target = await scene.start({
    data,
    shelves: [sound],
    environment: { SVC_POOL__THREADS: String(threads) },
  });
  await amongReaders(scene, target, `greedy files on ${threads} threads`, async () => {
    await target.api('/libraries', { method: 'POST', body: { name: 'Greedy', path: shelf, scanImmediately: true } });
    await target.settled(SCAN_MS);
    await askAll(scene, target);
    await seeShown(scene, target);
  });
  scene.report.tried.push(`${threads} threads: at most ${inMb(target.peakBytes())}`);
  await target.stop();
};

const run = async (scene: Scene): Promise<void> => {
  const shelf = await makeShelf(scene);
  for (const threads of scene.isLarge ? [2, 4] : [2]) await withThreads(scene, shelf, threads);
};

export const greedy: Kind = { name: 'greedy files', concerns: 'engine', hindrance: () => null, run };
