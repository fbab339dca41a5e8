// What a scan could not read, across all its walks. Known books there that were not found are kept, since they may still exist.
import type { UnclearFolder } from '../model/jobs.js';

interface Folder {
  /** Null when the whole folder counts as unreadable. */
  readonly names: ReadonlySet<string> | null;
  readonly hasForeignNames: boolean;
}

const BEYOND_ASCII = /[^\0-\x7f]/;

export class Unreadable {
  readonly #folders = new Map<string, Folder>();

  add(folders: readonly UnclearFolder[]): void {
    for (const { path, names, hasForeignNames } of folders) {
      const before = this.#folders.get(path);
      const isWhole = names === null || before?.names === null;
      this.#folders.set(path, {
        names: isWhole ? null : new Set([...(before?.names ?? []), ...names]),
        hasForeignNames: hasForeignNames || before?.hasForeignNames === true,
      });
    }
  }

  /** True when a folder that was not found may still exist: it, or a folder above it, could not be read. `met` holds the folders found. */
  hidesFolder(path: string, met: ReadonlySet<string>): boolean {
    if (this.#folders.size === 0) return false;
    if (this.#folders.get(path)?.names === null || this.#folders.get('')?.names === null) return true;
    for (let end = path.length; end > 0 && !met.has(path.slice(0, end)); ) {
      const cut = path.lastIndexOf('/', end - 1);
      if (this.hidesFile(cut < 0 ? '' : path.slice(0, cut), path.slice(cut + 1, end))) return true;
      end = cut;
    }
    return false;
  }

  /** True when a file that was not found in a listed folder may still exist. */
  hidesFile(folder: string, name: string): boolean {
    const found = this.#folders.get(folder);
    if (found === undefined) return false;
    return found.names === null || found.names.has(name) || (found.hasForeignNames && BEYOND_ASCII.test(name));
  }
}
