// Where file systems are mounted, and of which kind they are, as the kernel tells: it answers at once, whatever state they are in.
import { readFile } from 'node:fs/promises';

/** Field 5 of /proc/self/mountinfo; blanks in it are written as octal numbers. */
const placeOf = (line: string): string =>
  (line.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 8)),
  );

/** The field after the lone dash: a variable number of fields precedes it. */
const kindOf = (line: string): string => / - (\S+)/.exec(line)?.[1] ?? '';

export const MOUNT_INFO = '/proc/self/mountinfo';

export class Mounts {
  /** Kinds by place. What is mounted over something comes after it. */
  readonly #kinds: ReadonlyMap<string, string>;

  constructor(lines: string) {
    const found = lines.split('\n').map((line) => [placeOf(line), kindOf(line)] as const);
    this.#kinds = new Map([['/', ''], ...found.filter(([place]) => place.startsWith('/'))]);
  }

  /** None are known but the root where the system does not tell. */
  static read(file = MOUNT_INFO): Promise<Mounts> {
    return readFile(file, 'utf8').then(
      (text) => new Mounts(text),
      () => new Mounts(''),
    );
  }

  /** The innermost file system in which a path is. */
  of(path: string): string {
    let found = '/';
    for (const place of this.#kinds.keys())
      if (place.length > found.length && (path === place || path.startsWith(`${place}/`))) found = place;
    return found;
  }

  /** Where file systems are mounted inside a folder. */
  below(path: string): readonly string[] {
    return [...this.#kinds.keys()].filter((place) => place.startsWith(path === '/' ? '/' : `${path}/`));
  }

  /** `ext4`, `nfs4`, `fuse.sshfs`; empty where the system does not tell. */
  kindOf(path: string): string {
    return this.#kinds.get(this.of(path)) ?? '';
  }
}
