// URLs inside an EPUB: relative to their document, percent-encoded, sometimes in the wrong case. No path leads out of the archive.
import { decodedPath, EntryPaths, normalPath, withoutNul } from '../../core/model/entry-paths.js';
import { AppError } from '../../core/model/errors.js';
import { isJunk } from '../../core/model/junk.js';
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

export { withoutNul };

/** Most addresses are paths of plain names: nothing of them has to be decoded or left out. */
const PLAIN = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const ODD_FOLDER = /^\/|\/\//;

/**
 * Path inside the archive; undefined for anything with a scheme, and for a mere fragment. A path that begins with a slash counts from the
 * root of the book (EPUB 3.3, 4.2.5), which is a folder of the archive if everything was packed with the folder around it.
 */
export const resolveHref = (base: string, href: string, root = ''): string | undefined => {
  if (PLAIN.test(href) && !ODD_FOLDER.test(base)) return base.slice(0, base.lastIndexOf('/') + 1) + href;
  const written = href.trim().split(/[?#]/, 1)[0] ?? '';
  const path = decodedPath(written).trim().replaceAll('\\', '/');
  if (path === '' || /^[a-z][a-z0-9+.-]*:/i.test(path)) return undefined;
  const from = path.startsWith('/') ? root.split('/') : base.split('/').slice(0, -1);
  const resolved = normalPath(
    path,
    from.filter((part) => part !== ''),
  );
  return resolved === '' ? undefined : resolved;
};

/** The scheme of an address; a single letter is a Windows drive. */
const SCHEME = /^\s*([a-z][a-z0-9+.-]*):/i;
/** Schemes of addresses that are not files on a disk: on other servers, inside the document, or nowhere. */
const NO_FILE = /^(?:https?|data|about|javascript)$/i;
const LOCAL_PARTS_MAX = 8;

/** Ends of a path on the disk of whoever made the book, longest first: `C:\Book\i\1.jpg` may be `Book/i/1.jpg`, `i/1.jpg` or `1.jpg`. */
const endsOf = (address: string): readonly string[] => {
  const path = decodedPath(address.replace(SCHEME, '').split(/[?#]/, 1)[0] ?? '').trim();
  const parts = normalPath(path).split('/').slice(-LOCAL_PARTS_MAX);
  return parts.map((_, from) => parts.slice(from).join('/'));
};

/** What makes a path begin at the root. */
const FROM_ROOT = /^\s*(?:[/\\]|%2f|%5c)+/i;

const CONTAINER_END = 'META-INF/container.xml';
const MIMETYPE_END = 'mimetype';
/** Compared before anything is normalised: an archive of images has thousands of names. */
const MAY_BE = /(?:container\.xml|mimetype)$/i;

const partsOf = (name: string): readonly string[] => normalPath(name).split('/');

/** Entries that belong to nobody's book: what systems add to archives. */
const isForeign = (name: string): boolean => partsOf(name).some(isJunk) || name.includes('__MACOSX');

/** The file of this name in the root of the book: of the archive, or of the one folder in which everything else lies. */
interface Marker {
  readonly entry: ZipEntry;
  /** '' or `Folder/`, as the archive spells it. */
  readonly root: string;
}

const markerOf = (files: readonly ZipEntry[], wanted: string): Marker | undefined => {
  const end = wanted.toLowerCase();
  const found = files
    .filter(({ name }) => MAY_BE.test(name))
    .flatMap((entry) => {
      const path = normalPath(entry.name);
      const isIt = path.toLowerCase() === end || path.toLowerCase().endsWith(`/${end}`);
      return isIt ? [{ entry, root: path.slice(0, path.length - end.length) }] : [];
    });
  const first = found.reduce<Marker | undefined>(
    (best, one) => (best === undefined || one.root.length < best.root.length ? one : best),
    undefined,
  );
  if (first === undefined || first.root === '') return first;
  const isAround = files.every(
    ({ name, isFolder }) => isFolder || normalPath(name).startsWith(first.root) || isForeign(name),
  );
  return isAround ? first : undefined;
};

export const containerIn = (files: readonly ZipEntry[]): Marker | undefined => markerOf(files, CONTAINER_END);

export const mimetypeIn = (files: readonly ZipEntry[]): Marker | undefined => markerOf(files, MIMETYPE_END);

/** The files of an EPUB by path. */
export class EpubEntries {
  readonly archive: ZipArchive;
  readonly files: readonly ZipEntry[];
  /** The folder of the archive that is the root of the book, with a slash; '' for the archive itself. */
  readonly root: string;
  /** Once it is known. */
  packagePath = '';
  readonly #paths: EntryPaths<ZipEntry>;

  constructor(archive: ZipArchive) {
    this.archive = archive;
    this.files = archive.entries.filter((entry) => !entry.isFolder);
    this.root = containerIn(this.files)?.root ?? '';
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

  /** The first bytes of an entry; null when they cannot be read. */
  head(entry: ZipEntry, wanted: number): Uint8Array | null {
    const page = this.archive.page(entry);
    if (page.fault !== 'none') return null;
    try {
      return this.archive.head(page, wanted).bytes;
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.kind === 'CorruptPage') return null;
      throw thrown;
    }
  }

  /** A file of the container itself. */
  readMeta(name: string, maxBytes: number): Uint8Array | null {
    return this.read(`${this.root}META-INF/${name}`, maxBytes);
  }

  /** Some tools mean the folder of the package by the root: there is looked where the root has no such file. */
  resolve(base: string, href: string): string | undefined {
    const path = resolveHref(base, href, this.root);
    const relative = href.replace(FROM_ROOT, '');
    if (path === undefined || relative === href || this.at(path) !== undefined) return path;
    const inPackage = resolveHref(this.packagePath, relative, this.root);
    return inPackage !== undefined && this.at(inPackage) !== undefined ? inPackage : path;
  }

  /**
   * The path of the image at an address, even if the archive does not have it; undefined for an image on another server or inside the
   * document. An address on the disk of whoever made the book (`file:///C:/Book/i/1.jpg`) means the entry at its longest end that exists.
   */
  resolveImage(base: string, href: string): string | undefined {
    const path = this.resolve(base, href);
    const scheme = path === undefined ? SCHEME.exec(href)?.[1] : undefined;
    if (scheme === undefined || NO_FILE.test(scheme)) return path;
    for (const end of endsOf(href))
      for (const from of [base, this.packagePath, this.root]) {
        const found = resolveHref(from, end, this.root);
        if (found !== undefined && this.at(found) !== undefined) return found;
      }
    return href;
  }
}
