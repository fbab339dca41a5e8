// Pipes and sockets in place of books: opening one for reading blocks for ever, so the server must not.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, renameSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { inWords } from '../ask.js';
import type { Kind, Scene } from '../kind.js';
import { writePlainBook } from '../library.js';
import { ADMIN, type Book, type Target } from '../target.js';

const BOOKS = 4;
const QUICK_MS = 4000;
const ANSWER_MS = 10_000;

const hasFifos = (): boolean => {
  try {
    execFileSync('mkfifo', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Releases readers blocked on a missing writer. */
const relieve = (path: string): void => closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));

const othersGoOn = async ({ report }: Scene, target: Target, sound: Book): Promise<void> => {
  const quick = { deadlineMs: QUICK_MS };
  const answers = await Promise.all([
    target.health(quick),
    target.api('/books', quick),
    target.api(`/books/${sound.id}/pages/1`, quick),
    target.api(`/books/${sound.id}/pages/2?width=77`, quick),
    target.api(`/books/${sound.id}/file`, quick),
    target.login(ADMIN.password, { ...quick, from: '127.0.0.95' }),
  ]);
  const bad = answers.filter(({ status }) => status !== 200);
  report.judge(bad.length === 0, 'all other requests go on', `other requests met ${inWords(bad)}`);
};

const askPipes = async (scene: Scene, target: Target, books: readonly Book[], sound: Book): Promise<void> => {
  const paths = books.flatMap(({ id }) => [
    `/books/${id}/file`,
    `/books/${id}/pages/1`,
    `/books/${id}/pages/1?width=55`,
    `/books/${id}/pages/2`,
  ]);
  scene.report.tried.push(`${paths.length} requests for books that are pipes or sockets now`);
  const asked = Promise.all(paths.map((path) => target.api(path, { deadlineMs: ANSWER_MS })));
  await othersGoOn(scene, target, sound);
  const wrong = (await asked).filter(({ status }) => status < 400 || (status >= 500 && status !== 503));
  scene.report.judge(wrong.length === 0, 'each was refused quickly', `requests for them met ${inWords(wrong)}`);
};

export const fifos: Kind = {
  name: 'fifos',
  concerns: 'engine',
  hindrance: () => (hasFifos() ? null : 'this system has no mkfifo'),
  run: async (scene) => {
    const [shelf, data] = [join(scene.folder, 'shelf'), join(scene.folder, 'data')];
    const paths = Array.from({ length: BOOKS }, (_, n) => join(shelf, 'Series', `Pipe ${n}.cbz`));
    for (const [n, path] of paths.entries()) await writePlainBook(path, n, 2);
    await writePlainBook(join(shelf, 'Series', 'Sound.cbz'), 50, 2);
    const target = await scene.start({ data, shelves: [shelf] });
    const books = (await target.books()).filter(({ path }) => path.includes('Pipe'));
    const sound = await target.bookNamed('Sound.cbz');
    for (const path of paths) renameSync(path, `${path}.away`);
    const [socket = '', ...pipes] = paths;
    for (const path of pipes) execFileSync('mkfifo', [path]);
    const listener = createServer().listen(socket);
    scene.atEnd(() => {
      listener.close();
    });
    try {
      await askPipes(scene, target, books, sound);
      scene.report.tried.push('a scan of the folder with the pipes');
      await target.scan('deep', 15_000).catch((thrown: unknown) => {
        scene.report.losses.push(`the scan of pipes: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      });
      const kept = await target.books();
      scene.report.judge(
        kept.length === BOOKS + 1,
        'a scan keeps every book',
        `a scan left ${kept.length} of ${BOOKS + 1} books`,
      );
      scene.report.judge(await target.stop(10_000), 'SIGTERM ends it', 'SIGTERM does not end it');
    } finally {
      for (const path of pipes) relieve(path);
      for (const path of pipes) unlinkSync(path);
    }
  },
};
