// Whether the folders of libraries can be reached. A disk that does not respond is asked once and not waited for.
import { opendir } from 'node:fs';
import { disks, isSilence } from '../engine/disks.js';
import type { Scope } from '../model/viewer.js';
import type { Reader } from '../store/db.js';
import { type Finding, failing, fine, span, warning, wordsOf } from './finding.js';
import { Probe } from './probe.js';

interface Root {
  readonly key: number;
  readonly name: string;
  readonly root: string;
  readonly books: number;
}

const MOUNT = 'Check that the disk or network share is connected and mounted at this folder.';
const ACCESS = 'Let the user that the server runs as read this folder.';

const titled = ({ name }: Root): string => `library "${name}"`;

const silent = (one: Root, waited: string): Finding =>
  failing(titled(one), `The disk of ${one.root} has not answered${waited}. Its books cannot be read.`, MOUNT);

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);

const unreachable = (one: Root, thrown: unknown): Finding => {
  const name = titled(one);
  if (isSilence(thrown)) return silent(one, '');
  const code = codeOf(thrown);
  if (code === 'ENOENT') return failing(name, `The folder ${one.root} does not exist.`, MOUNT);
  if (code === 'ENOTDIR') return failing(name, `${one.root} is not a folder.`, MOUNT);
  if (code === 'EACCES' || code === 'EPERM')
    return failing(name, `The server may not read the folder ${one.root}.`, ACCESS);
  return failing(name, `The folder ${one.root} cannot be read: ${wordsOf(thrown)}`, MOUNT);
};

/** Whether the folder has anything in it. */
const hasEntries = (root: string): Promise<boolean> =>
  disks.of(root).ask<boolean>((done) =>
    opendir(root, (error, folder) => {
      if (error !== null) return done(error);
      folder.read((fault, entry) => folder.close(() => done(fault, entry !== null)));
    }),
  );

const look = async (one: Root): Promise<Finding> => {
  try {
    if ((await hasEntries(one.root)) || one.books === 0) return fine(titled(one), `${one.root} can be read.`);
    const message = `The folder ${one.root} is empty, although the library has ${one.books} books.`;
    return warning(titled(one), message, `${MOUNT} Its books stay in the library meanwhile.`);
  } catch (thrown) {
    return unreachable(one, thrown);
  }
};

export class LibraryHealth {
  readonly #db: Reader;
  readonly #probes = new Map<string, Probe<Finding>>();
  readonly #list: Probe<readonly Root[]>;
  #last: readonly Root[] = [];

  constructor(db: Reader) {
    this.#db = db;
    this.#list = new Probe(
      () => this.#libraries(),
      () => this.#last,
    );
  }

  /** Of the libraries that exist in a scope. */
  async find({ libraries }: Scope): Promise<readonly Finding[]> {
    const all = await this.#list.get();
    const there = new Set(all.map(({ root }) => root));
    for (const root of this.#probes.keys()) if (!there.has(root)) this.#probes.delete(root);
    const shown = all.filter(({ key }) => libraries === null || libraries.includes(key));
    return Promise.all(shown.map((one) => this.#probeOf(one).get()));
  }

  #probeOf(one: Root): Probe<Finding> {
    const known = this.#probes.get(one.root);
    if (known !== undefined) return known;
    const current = (): Root => this.#last.find(({ root }) => root === one.root) ?? one;
    const made = new Probe(
      () => look(current()),
      (waitedMs) => silent(current(), ` for ${span(waitedMs)}`),
    );
    this.#probes.set(one.root, made);
    return made;
  }

  /** While the database fails, those known from before. */
  async #libraries(): Promise<readonly Root[]> {
    this.#last = await this.#db
      .all<Root>(
        'SELECT id AS key, name, root, book_count AS books FROM library WHERE removing = 0 ORDER BY name_sort, id',
      )
      .catch(() => this.#last);
    return this.#last;
  }
}
