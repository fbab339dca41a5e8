// The addresses in documents of the Readium kind: those of a book's rows, below the public address and the prefix of a surface. The surfaces
// that serve such documents have these rows in common.

export interface Addresses {
  readonly manifest: string;
  readonly divina: string;
  readonly epub: string;
  readonly positions: string;
  readonly progression: string;
  readonly file: string;
  readonly thumbnail: string;
  /** From 1. */
  page(pageNumber: number): string;
  /** A path inside an EPUB, perhaps with a fragment. */
  part(path: string): string;
}

/** `encodeURIComponent` leaves some signs that parsers of addresses stumble over. */
const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A path inside an archive as part of an address. */
export const encodedPath = (path: string): string => {
  const hash = path.indexOf('#');
  const [file, fragment] = hash < 0 ? [path, ''] : [path.slice(0, hash), path.slice(hash + 1)];
  const address = file.split('/').map(encoded).join('/');
  return hash < 0 ? address : `${address}#${encoded(fragment)}`;
};

/** `root`: the public address and the prefix of the surface. */
export const addressesOf = (root: string, bookId: string): Addresses => {
  const book = `${root}/books/${bookId}`;
  return {
    manifest: `${book}/manifest`,
    divina: `${book}/manifest/divina`,
    epub: `${book}/manifest/epub`,
    positions: `${book}/positions`,
    progression: `${book}/progression`,
    file: `${book}/file`,
    thumbnail: `${book}/thumbnail`,
    page: (pageNumber) => `${book}/pages/${pageNumber}`,
    part: (path) => `${book}/resource/${encodedPath(path)}`,
  };
};
