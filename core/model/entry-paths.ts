// Finds the entries of an archive by path: as written, else in a normal form, since documents spell the paths of other files as their
// authors did, and archives spell them as their programs did.

/** Many APIs end a path at U+0000; the names in a zip directory are cleaned in the same way. */
export const withoutNul = (path: string): string => path.replaceAll('\0', '\ufffd');

const decodedRun = (run: string): string => {
  try {
    return decodeURIComponent(run);
  } catch {
    return run; // escapes of another encoding, or a literal percent sign
  }
};

/** A URL without its percent escapes; what is no valid escape stays as it is. */
export const decodedPath = (href: string): string =>
  href.includes('%') ? withoutNul(href.replace(/(?:%[0-9a-f]{2})+/gi, decodedRun)) : withoutNul(href);

/** Backslashes, and parts that are empty, `.` or `..`. */
const ODD_PART = /\\|(?:^|\/)\.{0,2}(?:\/|$)/;

/** `from` and the parts of a path after it, without those that mean nothing. `..` ends at the root, as in a URL: no path leads out. */
export const normalPath = (path: string, from: readonly string[] = []): string => {
  if (from.length === 0 && !ODD_PART.test(path)) return path;
  const parts = [...from];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
};

const ASCII = /^[\0-\x7f]*$/;

const folded = (path: string): string => {
  const normal = normalPath(path);
  return (ASCII.test(normal) ? normal : normal.normalize('NFC')).toLowerCase();
};

export class EntryPaths<T> {
  readonly #exact: ReadonlyMap<string, T>;
  #loose: { readonly folded: ReadonlyMap<string, T>; readonly decoded: ReadonlyMap<string, T> } | null = null;

  /** Of entries with the same path, the last counts. */
  constructor(entries: readonly T[], pathOf: (entry: T) => string) {
    this.#exact = new Map(entries.map((entry) => [pathOf(entry), entry]));
  }

  at(path: string): T | undefined {
    const found = this.#exact.get(path);
    if (found !== undefined) return found;
    this.#loose ??= this.#looser();
    const key = folded(path);
    return this.#loose.folded.get(key) ?? this.#loose.decoded.get(key);
  }

  /** Made when it is first needed: most paths are exact. Some tools use the URL itself, percent signs and all, as the name in the archive. */
  #looser(): { readonly folded: ReadonlyMap<string, T>; readonly decoded: ReadonlyMap<string, T> } {
    const loose = { folded: new Map<string, T>(), decoded: new Map<string, T>() };
    for (const [path, entry] of this.#exact) {
      loose.folded.set(folded(path), entry);
      if (path.includes('%')) loose.decoded.set(folded(decodedPath(path)), entry);
    }
    return loose;
  }
}
