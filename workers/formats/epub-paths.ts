// URLs inside an EPUB: relative to their document, percent-encoded, sometimes in the wrong case. No path leads out of the archive.
import { decodedPath, EntryPaths, withoutNul } from '../../core/model/entry-paths.js';
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

export { withoutNul };

/** Path inside the archive; undefined for anything else: a scheme, an absolute path, more `..` than folders. */
export const resolveHref = (base: string, href: string): string | undefined => {
  const path = decodedPath(href.split('#', 1)[0] ?? '').trim();
  if (path === '' || /^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(path)) return undefined;
  const parts = base.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
};

/** The files of an EPUB by path. */
export class EpubEntries {
  readonly archive: ZipArchive;
  readonly files: readonly ZipEntry[];
  readonly #paths: EntryPaths<ZipEntry>;

  constructor(archive: ZipArchive) {
    this.archive = archive;
    this.files = archive.entries.filter((entry) => !entry.isFolder);
    this.#paths = new EntryPaths(this.files, ({ name }) => name);
  }

  at(path: string): ZipEntry | undefined {
    return this.#paths.at(path);
  }

  /** Content of at most `maxBytes`; null when there is no such entry or it cannot be read. */
  read(path: string, maxBytes: number): Uint8Array | null {
    const entry = this.at(path);
    return entry === undefined ? null : this.archive.read(entry, maxBytes);
  }
}
