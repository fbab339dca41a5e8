// What the server does without while it fails: said once, and once again when it works.
import { CacheDisk } from './cache-disk.js';

export interface Notes {
  readonly onNote: (sentence: string) => void;
  readonly onWarning: (sentence: string) => void;
}

/** `until`: what does not happen meanwhile. `again`: what is said when it works. */
export const toldOnce =
  ({ onWarning, onNote }: Notes, until: string, again: string) =>
  (reason: string | null): void => {
    if (reason === null) onNote(again);
    else onWarning(`${reason} ${until}`);
  };

const WITHOUT_CACHE = 'Nothing is cached until it works again; everything is computed on each request.';

export const cacheDiskOf = (folder: string, notes: Notes): CacheDisk =>
  new CacheDisk(folder, toldOnce(notes, WITHOUT_CACHE, 'the cache works again'));
