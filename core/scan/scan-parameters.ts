// What is asked of a scan, and how its task stores that.
import type { ScanMode } from '../catalog/libraries.js';
import type { WalkOutput } from '../model/jobs.js';
import type { By } from '../store/feed.js';
import type { TaskParameters } from '../tasks/task.js';
import { type Part, partIn } from './part.js';

export interface StartOptions {
  readonly mode: ScanMode;
  readonly acceptMissing?: boolean;
  /** The whole library if absent. */
  readonly part?: Part;
  readonly priority?: number | undefined;
  /** Files still being written are left to a later scan. */
  readonly settledOnly?: boolean;
  /** Who wants it; the server itself if absent. */
  readonly by?: By;
}

/** Is told of every scan. Must not throw. */
export interface ScanFollower {
  looked(libraryKey: number, found: WalkOutput): void;
  /** No scan of the library is active any more. */
  freed(libraryKey: number): void;
}

export const parametersOf = ({
  mode,
  acceptMissing = false,
  part = null,
  settledOnly = false,
}: StartOptions): TaskParameters => ({
  mode,
  acceptMissing,
  ...(part === null ? {} : { folders: part }),
  ...(settledOnly ? { settledOnly } : {}),
});

export interface Asked {
  readonly part: Part;
  readonly acceptMissing: boolean;
  readonly settledOnly: boolean;
}

export const askedIn = (parameters: TaskParameters): Asked => ({
  part: partIn(parameters),
  acceptMissing: parameters.acceptMissing === true,
  settledOnly: parameters.settledOnly === true,
});
