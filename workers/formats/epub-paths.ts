// Addresses inside an EPUB: relative to the document they stand in, percent-encoded, sometimes in the wrong case. Nothing leads out of the archive.
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

/** U+0000 means the end to many who are told a path; the names in a zip directory are cleaned in the same way. */
export const withoutNul = (path: string): string => path.replaceAll('\0', '\ufffd');

const decoded = (href: string): string => {
  try {
    return withoutNul(decodeURIComponent(href));
  } catch {
    return withoutNul(href); // a percent sign that was meant as one
  }
};

/** Path inside the archive; undefined for other places: a scheme, an absolute path, more `..` than folders. */
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

/** Entries by path: as written, or else without regard to case and composition of letters. */
export class EpubEntries {
  readonly archive: ZipArchive;
  readonly #exact: ReadonlyMap<string, ZipEntry>;
  readonly #folded: ReadonlyMap<string, ZipEntry>;
  /** Some writers put the address itself, percent signs and all, into the archive. */
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
