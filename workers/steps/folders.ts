// Finds the folders of a library and the ones that changed since they were last known, by their times: a folder that did not change is not
// listed. Files are not looked at. Symbolic links are not followed.
import { lstatSync, readdirSync, statSync } from 'node:fs';
import type { FoldersInput, FoldersOutput } from '../../core/model/jobs.js';
import { isJunk } from '../../core/model/junk.js';
import { type Excludes, excludesOf } from '../globs.js';
import { type Run, step } from '../step.js';

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const placeIn = (root: string, path: string): string => (path === '' ? root : `${root}/${path}`);

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
const codeOf = (thrown: unknown): string => String((thrown as NodeJS.ErrnoException).code);

/** Which file system is at the root, and which folder of it; null when there is none. What cannot be told is an error. */
const identityOf = (root: string): string | null => {
  try {
    const { dev, ino } = statSync(root);
    readdirSync(root); // a root that cannot be listed is none
    return `${dev}:${ino}`;
  } catch (thrown) {
    if (GONE.has(codeOf(thrown)) || codeOf(thrown) === 'EACCES') return null;
    throw thrown;
  }
};

class Look {
  readonly added = new Map<string, number>();
  readonly changed = new Map<string, number>();
  readonly gone = new Set<string>();
  isComplete = true;
  readonly #input: FoldersInput;
  readonly #excludes: Excludes;
  readonly #run: Run;

  constructor(input: FoldersInput, run: Run) {
    this.#input = input;
    this.#excludes = excludesOf(input.excluded);
    this.#run = run;
  }

  /** Compares the times of all known folders. */
  compare(): void {
    const { known } = this.#input;
    for (const [path, before] of known) {
      const now = this.#isBelowGone(path) ? null : this.#timeOf(path);
      if (now === null) this.gone.add(path);
      else if (now !== undefined && now !== before) {
        this.changed.set(path, now);
        this.#addFrom(path);
      }
    }
    if (known.size === 0) this.#add('');
  }

  /** Lists some known folders. */
  list(folders: readonly string[]): void {
    const { known } = this.#input;
    for (const path of folders) {
      const now = known.has(path) ? this.#timeOf(path) : undefined;
      if (now === null) this.gone.add(path);
      else if (now !== undefined) {
        this.changed.set(path, now);
        this.#addFrom(path);
      }
    }
    const listed = new Set(this.changed.keys());
    for (const path of known.keys()) {
      if (path === '') continue;
      if (this.#isBelowGone(path) || (listed.has(parentOf(path)) && this.#timeOf(path) === null)) this.gone.add(path);
    }
  }

  #isBelowGone(path: string): boolean {
    return path !== '' && this.gone.has(parentOf(path));
  }

  /** Null: there is no such folder. Undefined: nobody can tell. */
  #timeOf(path: string): number | null | undefined {
    this.#run.check();
    this.#run.advance();
    try {
      const found = lstatSync(placeIn(this.#input.root, path));
      return found.isDirectory() ? found.mtimeMs : null;
    } catch (thrown) {
      return GONE.has(codeOf(thrown)) ? null : undefined;
    }
  }

  /** With all below it, each before those in it. */
  #add(path: string): void {
    const rest = [path];
    while (rest.length > 0) {
      const next = rest.pop() ?? '';
      const now = this.#timeOf(next);
      if (now === null || now === undefined) continue;
      if (this.#input.known.size + this.added.size >= this.#input.foldersMax) {
        this.isComplete = false;
        return;
      }
      this.added.set(next, now);
      rest.push(...this.#foldersIn(next).reverse());
    }
  }

  /** Adds what is new in a known folder. */
  #addFrom(path: string): void {
    for (const inner of this.#foldersIn(path)) if (!this.#input.known.has(inner)) this.#add(inner);
  }

  #foldersIn(path: string): string[] {
    try {
      return readdirSync(placeIn(this.#input.root, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !isJunk(entry.name))
        .map(({ name }) => [name, path === '' ? name : `${path}/${name}`] as const)
        .filter(([name, inner]) => !this.#excludes(name, inner))
        .map(([, inner]) => inner)
        .sort();
    } catch {
      return []; // the scan tells what cannot be read
    }
  }
}

const look = (input: FoldersInput, run: Run): FoldersOutput => {
  const found = new Look(input, run);
  const root = identityOf(input.root);
  if (root !== null && input.listed === null) found.compare();
  else if (root !== null) found.list(input.listed ?? []);
  const { added, changed, gone, isComplete } = found;
  return { root, added, changed, gone: [...gone], isComplete };
};

export const folders = step({
  name: 'folders',
  needs: ['folders'],
  gives: ['foldersFound'],
  run: ({ folders: input }, run) => ({ foldersFound: look(input, run) }),
});
