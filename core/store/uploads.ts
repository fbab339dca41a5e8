// Images that users upload: files in a folder of their own, named by id and never changed. They cannot be made again, so they are not in the
// cache; each is whole and synced to the disk before its row is stored.
import { open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';
import { isUuid } from '../model/ids.js';
import { syncFolder } from './durable.js';
import { isDiskError, isDiskFull } from './free-space.js';
import { makeFolder } from './make-folder.js';

const ENDING = '.jpg';
const DRAFT = '.tmp';
/** Files that are compared with their rows at a time. */
const BATCH = 1000;

export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** A file that no row knows. */
export interface Leftover {
  readonly name: string;
  readonly id: string;
  readonly bytes: number;
}

/** Which of these ids have a row. */
export type Known = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

/** The id of a file of ours, finished or not; undefined for a file that somebody else put there. */
const idOf = (name: string): string | undefined => {
  const whole = name.endsWith(DRAFT) ? name.slice(0, -DRAFT.length) : name;
  const id = whole.endsWith(ENDING) ? whole.slice(0, -ENDING.length) : '';
  return isUuid(id) ? id : undefined;
};

const storageFault = (thrown: unknown): unknown => {
  if (isDiskFull(thrown)) return new AppError('StorageFull', undefined, null, thrown);
  return isDiskError(thrown) ? new AppError('StorageFailed', undefined, null, thrown) : thrown;
};

const isMissing = (thrown: unknown): boolean => (thrown as NodeJS.ErrnoException | null)?.code === 'ENOENT';

/** `wx`: an existing file is never overwritten. */
const writeSynced = async (path: string, bytes: Uint8Array): Promise<void> => {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

export class Uploads {
  readonly folder: string;
  /** Files whose rows are being stored: they are nobody's leftovers. */
  readonly #pending = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  nameOf(id: string): string {
    return `${id}${ENDING}`;
  }

  pathOf(id: string): string {
    return join(this.folder, this.nameOf(id));
  }

  /** Stores the bytes under a new id, then runs `body`, which stores the row; without a row there is no file either. */
  async keep<T>(id: string, bytes: Uint8Array, body: () => Promise<T>): Promise<T> {
    this.#pending.add(id);
    try {
      await this.#write(id, bytes).catch((thrown: unknown) => {
        throw storageFault(thrown);
      });
      return await body();
    } catch (thrown) {
      await this.remove([id]).catch(() => undefined); // the next sweep finds it
      throw thrown;
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Undefined when the file is not there. */
  async read(id: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.pathOf(id));
    } catch (thrown) {
      if (isMissing(thrown)) return undefined;
      throw storageFault(thrown);
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) for (const ending of ['', DRAFT]) await rm(`${this.pathOf(id)}${ending}`, { force: true });
  }

  /** Files of ours without a row, written before a time, a batch at a time: nobody shows them. */
  async *leftovers(known: Known, beforeMs: number): AsyncGenerator<readonly Leftover[]> {
    for await (const names of this.#batches()) {
      // In this order: a file that was listed is either pending now, or its row is stored by now.
      const candidates = names.filter((name) => !this.#pending.has(idOf(name) ?? ''));
      const ids = await known(candidates.flatMap((name) => idOf(name) ?? []));
      const left: Leftover[] = [];
      for (const name of candidates) {
        const id = idOf(name) ?? '';
        if (!name.endsWith(DRAFT) && ids.has(id)) continue;
        const found = await stat(join(this.folder, name)).catch(() => undefined);
        if (found !== undefined && found.mtimeMs < beforeMs) left.push({ name, id, bytes: found.size });
      }
      yield left;
    }
  }

  /** False when somebody else has removed it. */
  async discard({ name }: Leftover): Promise<boolean> {
    try {
      await rm(join(this.folder, name));
      return true;
    } catch (thrown) {
      if (isMissing(thrown)) return false;
      throw storageFault(thrown);
    }
  }

  /**
   * Removes files without a row that were written before a time: what a crash left. Younger ones may belong to a database that a restore
   * has put aside, and that may come back.
   */
  async sweep(known: Known, beforeMs: number): Promise<Swept> {
    let swept: Swept = { files: 0, bytes: 0 };
    for await (const batch of this.leftovers(known, beforeMs))
      for (const leftover of batch)
        if (await this.discard(leftover)) swept = { files: swept.files + 1, bytes: swept.bytes + leftover.bytes };
    return swept;
  }

  async *#batches(): AsyncGenerator<readonly string[]> {
    let names: string[] = [];
    try {
      for await (const entry of await opendir(this.folder)) {
        if (!entry.isFile() || idOf(entry.name) === undefined) continue;
        names.push(entry.name);
        if (names.length < BATCH) continue;
        yield names;
        names = [];
      }
    } catch (thrown) {
      if (!isMissing(thrown)) throw storageFault(thrown); // nothing was ever uploaded
    }
    yield names;
  }

  async #write(id: string, bytes: Uint8Array): Promise<void> {
    await makeFolder(this.folder, 0o700);
    const path = this.pathOf(id);
    await writeSynced(`${path}${DRAFT}`, bytes);
    await rename(`${path}${DRAFT}`, path);
    await syncFolder(this.folder);
  }
}
