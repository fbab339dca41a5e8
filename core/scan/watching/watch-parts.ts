// What following the folders of libraries is made of: the parts of the engine that it uses, and its times and limits.
import { MOUNT_INFO } from '../../engine/mounts.js';
import type { Pool } from '../../engine/pool.js';
import type { Readers } from '../../engine/readers.js';
import type { Db } from '../../store/db.js';
import type { Scans } from '../scans.js';

export interface WatchSettings {
  /** A scan follows when nothing has happened for so long. */
  readonly quietMs: number;
  /** It follows at the latest so long after the first hint. Folders to be scanned once more wait as long. */
  readonly longestMs: number;
  /** Between listings of a library whose folders are all watched, and of others. */
  readonly watchedEveryMs: number;
  readonly listedEveryMs: number;
  /** A listing waits so long while somebody reads. */
  readonly whileReadingMs: number;
  /** Folders that the server watches, and those of a library that it lists. */
  readonly watchedMax: number;
  readonly foldersMax: number;
  /** The file that lists what is mounted. */
  readonly mountInfo: string;
}

export const WATCH_SETTINGS: WatchSettings = {
  quietMs: 3000,
  longestMs: 60_000,
  watchedEveryMs: 3_600_000,
  listedEveryMs: 300_000,
  whileReadingMs: 10_000,
  watchedMax: 10_000,
  foldersMax: 50_000,
  mountInfo: MOUNT_INFO,
};

export interface WatchParts {
  readonly db: Db;
  readonly pool: Pool;
  readonly readers: Readers;
  readonly scans: Scans;
  readonly settings: WatchSettings;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
  readonly onNote: (sentence: string) => void;
  readonly onWarning: (sentence: string) => void;
}
