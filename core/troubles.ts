// What the server does without while it fails: told once, and told again when it works.
import type { EngineOptions } from './start.js';
import { CacheDisk } from './store/cache-disk.js';

/** Logs once that something fails, and once that it works again. */
export const telling =
  ({ onWarning, onNote }: EngineOptions, until: string, again: string) =>
  (reason: string | null): void => {
    if (reason === null) onNote(again);
    else onWarning(`${reason} ${until}`);
  };

const WITHOUT_CACHE = 'Nothing is cached until it works again; everything is computed on each request.';

export const cacheDiskOf = (options: EngineOptions, onBack: () => void): CacheDisk => {
  const tell = telling(options, WITHOUT_CACHE, 'the cache works again');
  return new CacheDisk(options.cacheFolder, (reason) => {
    tell(reason);
    if (reason === null) onBack();
  });
};
