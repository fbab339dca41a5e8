// Links in place of books and folders after a scan: nothing outside the library leaks, and the replaced books are not removed.
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { inWords } from '../ask.js';
import { type Kind, pause, type Scene } from '../kind.js';
import { writePlainBook } from '../library.js';
import { type Book, secretsIn, type Target } from '../target.js';

const MARK = 'LEAKED-SECRET-BYTES-';

/** A decoy with the size and time of a book, whose every page is the mark: what a careful attacker would use. */
const writeDecoy = (path: string, book: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  const { size, mtime } = statSync(book);
  const bytes = readFileSync(book);
  const marks = Buffer.alloc(size, MARK);
  // The headers stay, to deceive a reader that checks only those.
  const start = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
  marks.copy(bytes, start, 0, bytes.readUInt32LE(18));
  writeFileSync(path, bytes);
  utimesSync(path, mtime, mtime);
};

const QUICK_MS = 8000;
/** An open file is not checked again for half a second; until then its own bytes may be served. */
const TRUSTED_MS = 700;

/** Requests everything of a book; reports leaked bytes, and answers that are neither correct nor a refusal. */
const askAll = async (
  { report }: Scene,
  target: Target,
  book: Book,
  what: string,
  marks: readonly Buffer[],
): Promise<void> => {
  const paths = ['file', 'pages/1', 'pages/1?width=64', 'pages/2', 'thumbnail', 'pages'];
  const answers = await Promise.all(
    paths.map((path) => target.api(`/books/${book.id}/${path}`, { deadlineMs: QUICK_MS })),
  );
  const leaks = paths.filter((_, at) => marks.some((mark) => answers[at]?.bytes.includes(mark)));
  report.judge(
    leaks.length === 0,
    `${what}: no byte leaked`,
    `${what}: bytes of another file leaked through ${leaks.join(', ')}`,
  );
  const bad = answers.filter(({ status }) => status === 0 || (status >= 500 && status !== 503));
  if (bad.length > 0) report.losses.push(`${what}: answered ${inWords(bad)}`);
  const file = answers[0]?.status ?? 0;
  if (file === 200) report.losses.push(`${what}: the file was answered with 200`);
};

interface Swap {
  readonly what: string;
  /** The affected book. */
  readonly book: string;
  readonly put: () => void;
  readonly undo: () => void;
}

const swapsOf = (shelf: string, outside: string, data: string): readonly Swap[] => {
  const inPlace = (what: string, name: string, goal: string): Swap => {
    const path = join(shelf, 'Series', name);
    return {
      what,
      book: name,
      put: () => {
        renameSync(path, `${path}.away`);
        symlinkSync(goal, path);
      },
      undo: () => {
        unlinkSync(path);
        renameSync(`${path}.away`, path);
      },
    };
  };
  const folder = join(shelf, 'Folder');
  return [
    inPlace("a link to the server's own secrets", 'One.cbz', join(data, 'secrets', 'jwt-secret')),
    inPlace('a link to a file of the same size and time', 'Two.cbz', join(outside, 'Two.cbz')),
    inPlace('a link to /etc/passwd', 'Three.cbz', '/etc/passwd'),
    {
      what: 'a folder swapped for a link to another one',
      book: 'Four.cbz',
      put: () => {
        renameSync(folder, `${shelf}-away`);
        symlinkSync(join(outside, 'Folder'), folder);
      },
      undo: () => {
        unlinkSync(folder);
        renameSync(`${shelf}-away`, folder);
      },
    },
  ];
};

const warm = async (target: Target, book: Book): Promise<void> => {
  for (const path of ['file', 'pages/1']) await target.api(`/books/${book.id}/${path}`);
};

const swapEach = async (
  scene: Scene,
  target: Target,
  swaps: readonly Swap[],
  marks: readonly Buffer[],
): Promise<void> => {
  for (const swap of swaps) {
    scene.report.tried.push(swap.what);
    const book = await target.bookNamed(swap.book);
    await warm(target, book); // the file is open already when it is swapped
    swap.put();
    await pause(TRUSTED_MS);
    await askAll(scene, target, book, swap.what, marks);
  }
};

export const links: Kind = {
  name: 'links',
  concerns: 'engine',
  hindrance: () => (process.platform === 'win32' ? 'creating links needs privileges on this system' : null),
  run: async (scene) => {
    const [shelf, outside, data] = ['shelf', 'outside', 'data'].map((name) => join(scene.folder, name)) as [
      string,
      string,
      string,
    ];
    for (const [n, name] of ['One', 'Two', 'Three'].entries())
      await writePlainBook(join(shelf, 'Series', `${name}.cbz`), n, 2);
    await writePlainBook(join(shelf, 'Folder', 'Four.cbz'), 9, 2);
    writeDecoy(join(outside, 'Two.cbz'), join(shelf, 'Series', 'Two.cbz'));
    writeDecoy(join(outside, 'Folder', 'Four.cbz'), join(shelf, 'Folder', 'Four.cbz'));
    const target = await scene.start({ data, shelves: [shelf] });
    const before = await target.books();
    const marks = [Buffer.from(MARK), Buffer.from('root:x:0:0'), ...secretsIn(data)];
    const swaps = swapsOf(shelf, outside, data);
    await swapEach(scene, target, swaps, marks);
    await target.scan('normal');
    const kept = await target.books();
    scene.report.judge(
      kept.length === before.length,
      'a scan meanwhile keeps every book',
      `a scan meanwhile dropped ${before.length - kept.length} of ${before.length} books`,
    );
    for (const swap of swaps) swap.undo();
    await target.scan('normal');
    const answers = await Promise.all(before.map(({ id }) => target.api(`/books/${id}/file`)));
    const bad = answers.filter(({ status }) => status !== 200);
    scene.report.judge(bad.length === 0, 'every book is back afterwards', `books afterwards: ${inWords(bad)}`);
    rmSync(outside, { recursive: true });
  },
};
