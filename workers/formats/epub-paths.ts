// URLs inside an EPUB: relative to their document, percent-encoded, sometimes in the wrong case. No path leads out of the archive.
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

/** Many APIs end a path at U+0000; the names in a zip directory are cleaned in the same way. */
export const withoutNul = (path: string): string => path.replaceAll('\0', '\ufffd');

const decoded = (href: string): string => {
  try {
    return withoutNul(decodeURIComponent(href));
  } catch {
    return withoutNul(href); // a literal percent sign
  }
};

/** Path inside the archive; undefined for anything else: a scheme, an absolute path, more `..` than folders. */
export const resolveHref = (base: string, href: string): string | undefined => {
  const path = decoded(href.split('#', 1)[0] ?? '').trim();
  if (path === '' || /^(?:[a-z][a-z0-9+.-]*:|[/\\])/i.test(path)) return undefined;
  const parts = base.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
};

const folded = (path: string): string => path.normalize('NFC').toLowerCase();

/** Entries by path: as written, or else ignoring case and Unicode composition. */
export class EpubEntries {
  readonly archive: ZipArchive;
  readonly #exact: ReadonlyMap<string, ZipEntry>;
  readonly #folded: ReadonlyMap<string, ZipEntry>;
  /** Some tools use the URL itself, percent signs and all, as the name in the archive. */
  readonly #decoded: ReadonlyMap<string, ZipEntry>;

  constructor(archive: ZipArchive) {
    const files = archive.entries.filter((entry) => !entry.isFolder);
    this.archive = archive;
    this.#exact = new Map(files.map((entry) => [entry.name, entry]));
    this.#folded = new Map(files.map((entry) => [folded(entry.name), entry]));
    const encoded = files.filter(({ name }) => name.includes('%'));
    this.#decoded = new Map(encoded.map((entry) => [folded(decoded(entry.name)), entry]));
  }

  at(path: string): ZipEntry | undefined {
    const key = folded(path);
    return this.#exact.get(path) ?? this.#folded.get(key) ?? this.#decoded.get(key);
  }

  /** Content of at most `maxBytes`; null when there is no such entry or it cannot be read. */
  read(path: string, maxBytes: number): Uint8Array | null {
    const entry = this.at(path);
    return entry === undefined ? null : this.archive.read(entry, maxBytes);
  }
}
