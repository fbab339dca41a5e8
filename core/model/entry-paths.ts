// Finds the entries of an archive by path: as written, else ignoring case and Unicode composition, since documents spell the paths of other
// files as their authors did.

/** Many APIs end a path at U+0000; the names in a zip directory are cleaned in the same way. */
export const withoutNul = (path: string): string => path.replaceAll('\0', '\ufffd');

/** A URL without its percent escapes. */
export const decodedPath = (href: string): string => {
  try {
    return withoutNul(decodeURIComponent(href));
  } catch {
    return withoutNul(href); // a literal percent sign
  }
};

const folded = (path: string): string => path.normalize('NFC').toLowerCase();

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
    const all = [...this.#exact];
    return {
      folded: new Map(all.map(([path, entry]) => [folded(path), entry])),
      decoded: new Map(
        all.filter(([path]) => path.includes('%')).map(([path, entry]) => [folded(decodedPath(path)), entry]),
      ),
    };
  }
}
