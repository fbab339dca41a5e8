// What folder watching needs: the parts of the engine it uses, and its times and limits.
import { MOUNT_INFO } from '../../engine/mounts.js';
import type { Pool } from '../../engine/pool.js';
import type { Readers } from '../../engine/readers.js';
import type { Db } from '../../store/db.js';
import type { Scans } from '../scans.js';

export interface WatchSettings {
  /** A scan starts once nothing has happened for this long. */
  readonly quietMs: number;
  /** A scan starts at the latest this long after the first hint. Folders to be scanned again wait as long. */
  readonly longestMs: number;
  /** After a scan, the next one waits this many times as long as it took; at most ten minutes. */
  readonly restTimes: number;
  /** Polling intervals: for a library whose folders are all watched, and for others. */
  readonly watchedEveryMs: number;
  readonly listedEveryMs: number;
  /** How long a poll is postponed while somebody reads. */
  readonly whileReadingMs: number;
  /** Most folders that the server watches, and most of a library that it polls. */
  readonly watchedMax: number;
  readonly foldersMax: number;
  /** The file that lists the mounts. */
  readonly mountInfo: string;
}

export const WATCH_SETTINGS: WatchSettings = {
  quietMs: 3000,
  longestMs: 60_000,
  restTimes: 3,
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
