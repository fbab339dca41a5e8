// Where file systems are mounted, as the kernel tells: it answers at once, whatever state they are in.
import { readFile } from 'node:fs/promises';

/** Field 5 of /proc/self/mountinfo; blanks in it are written as octal numbers. */
const placeOf = (line: string): string =>
  (line.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 8)),
  );

export class Mounts {
  readonly #places: ReadonlySet<string>;

  constructor(lines: string) {
    this.#places = new Set(['/', ...lines.split('\n').map(placeOf)].filter((place) => place.startsWith('/')));
  }

  /** None are known but the root where the system does not tell. */
  static read(): Promise<Mounts> {
    return readFile('/proc/self/mountinfo', 'utf8').then(
      (text) => new Mounts(text),
      () => new Mounts(''),
    );
  }

  /** The innermost file system in which a path is. */
  of(path: string): string {
    let found = '/';
    for (const place of this.#places)
      if (place.length > found.length && (path === place || path.startsWith(`${place}/`))) found = place;
    return found;
  }
}
