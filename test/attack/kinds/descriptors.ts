// More connections than the descriptor limit: files and threads still open, or their requests are refused and nothing else happens.
import { Agent } from 'node:http';
import { join } from 'node:path';
import { until } from '../../app.js';
import { type Asked, inWords } from '../ask.js';
import { Crowd } from '../crowd.js';
import type { Kind, Scene } from '../kind.js';
import { makeShelf, writePlainBook } from '../library.js';
import type { Book, Target } from '../target.js';

const LIMITS = { small: 384, large: 1024 };

/** Pages that need a thread, pages that need a file, and files, on open connections. */
const askSeveral = (target: Target, agent: Agent, books: readonly Book[], width: number): Promise<Asked[]> => {
  const paths = books.flatMap(({ id }) =>
    [`pages/2?width=${width}`, 'pages/1', 'file'].map((part) => `/books/${id}/${part}`),
  );
  return Promise.all(paths.map((path) => target.api(path, { agent })));
};

const run = async (scene: Scene): Promise<void> => {
  const limit = scene.isLarge ? LIMITS.large : LIMITS.small;
  const shelf = scene.isLarge ? await makeShelf(scene.folder) : join(scene.folder, 'shelf');
  if (!scene.isLarge)
    for (let n = 0; n < 2; n += 1) await writePlainBook(join(shelf, 'Series', `Book ${n}.cbz`), n + 60);
  const data = join(scene.folder, 'data');
  const first = await scene.start({ data, shelves: [shelf] });
  await first.stop();
  // No thread runs yet after this start.
  const target = await scene.start({ data, shelves: [], token: first.token, descriptors: limit });
  const books = (await target.books()).filter(({ pageCount }) => pageCount > 1);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  scene.atEnd(() => agent.destroy());
  await Promise.all(Array.from({ length: 4 }, () => target.api('/auth/me', { agent })));
  const crowd = new Crowd(target);
  const count = Math.round(limit * 1.15);
  scene.report.tried.push(
    `${count} silent connections with ${limit} descriptors, and then requests for files and threads`,
  );
  try {
    await crowd.open(scene, count, 'others', () => undefined);
    const answers = await askSeveral(target, agent, books, 111);
    const wrong = answers.filter(({ status }) => status !== 200 && status !== 503);
    scene.report.judge(
      wrong.length === 0,
      'each request was served, or refused with 503',
      `requests met ${inWords(wrong)}`,
    );
  } finally {
    crowd.leave();
  }
  const isWhole = async (): Promise<boolean> =>
    (await askSeveral(target, agent, books, 112)).every(({ status }) => status === 200);
  const back = await until(
    'everything works again',
    async () => target.death !== null || (await isWhole()),
    20_000,
  ).then(
    () => target.death === null,
    () => false,
  );
  scene.report.judge(back, 'everything works again when they are gone', 'requests fail after the connections are gone');
};

export const descriptors: Kind = {
  name: 'descriptors',
  concerns: 'socket',
  hindrance: () => (process.platform === 'win32' ? 'this system has no limit on descriptors' : null),
  run,
};
