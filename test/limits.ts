// The default limits, for tests that run jobs by themselves.
import type { Limits } from '../core/model/jobs.js';

export const LIMITS: Limits = {
  archiveEntries: 20_000,
  entryBytes: 512 * 1024 * 1024,
  entryRatio: 200,
  imagePixels: 268_435_456,
  xmlBytes: 16 * 1024 * 1024,
};

/** For books whose pages take no memory that is counted. */
export const NO_BUDGET = { keepRoom: () => undefined, leaveRoom: () => undefined };
