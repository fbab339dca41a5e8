// What a walk could not read. Messages for people are capped, facts are not: one name too many makes the whole folder count as unclear.
import type { UnclearFolder, WalkOutput } from '../core/model/jobs.js';

const REASONS_MAX = 100;
/** How many names are recorded individually for a folder. */
const NAMES_MAX = 1000;

/** How the name of a file that is not valid UTF-8 is decoded; nothing can be opened by such a name. */
export const FOREIGN = '\ufffd';

interface Folder {
  readonly path: string;
  names: string[] | null;
  hasForeignNames: boolean;
}

export class Unclear {
  readonly #folders = new Map<string, Folder>();
  readonly #reasons: { readonly path: string; readonly reason: string }[] = [];
  readonly #unsettled = new Set<string>();
  #count = 0;

  /** The folder could not be listed. */
  folder(path: string, reason: string): void {
    this.#folder(path).names = null;
    const cut = path.lastIndexOf('/');
    if (path.slice(cut + 1).includes(FOREIGN)) this.#folder(cut < 0 ? '' : path.slice(0, cut)).hasForeignNames = true;
    this.#note(path, reason);
  }

  /** Something directly in a folder could not be inspected, or is a link. */
  entry(folder: string, name: string, reason: string): void {
    this.#name(folder, name);
    this.#note(folder === '' ? name : `${folder}/${name}`, reason);
  }

  /** Something directly in a folder is still being written: nothing that anybody has to be told. */
  unsettled(folder: string, name: string): void {
    this.#name(folder, name);
    this.#unsettled.add(folder);
  }

  /** For the digest of a folder: it changes when something else in it cannot be read. Empty when everything can. */
  textOf(folder: string): string {
    const found = this.#folders.get(folder);
    return found === undefined ? '' : (found.names?.sort().join('\n') ?? '*');
  }

  result(): Pick<WalkOutput, 'unclear' | 'unreadable' | 'unreadableCount' | 'unsettled'> {
    const unclear: UnclearFolder[] = [...this.#folders.values()];
    const unsettled = [...this.#unsettled];
    return { unclear, unreadable: this.#reasons, unreadableCount: this.#count, unsettled };
  }

  #name(folder: string, name: string): void {
    const found = this.#folder(folder);
    if (name.includes(FOREIGN)) found.hasForeignNames = true;
    if (found.names !== null && found.names.length >= NAMES_MAX) found.names = null;
    found.names?.push(name);
  }

  #folder(path: string): Folder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const made: Folder = { path, names: [], hasForeignNames: false };
    this.#folders.set(path, made);
    return made;
  }

  #note(path: string, reason: string): void {
    this.#count += 1;
    if (this.#reasons.length < REASONS_MAX) this.#reasons.push({ path, reason });
  }
}
