// Scan events for an audience: the status that a member would get on request.
import { faultOf } from '../model/errors.js';
import type { CoverCounts } from '../scan/cover-counts.js';
import type { Scans } from '../scan/scans.js';
import { type ScanStatus, scanAsSeen } from '../scan/status.js';
import type { Db } from '../store/db.js';
import type { Audience } from './audience.js';
import type { ScanNews } from './news.js';

interface Parts {
  readonly db: Db;
  readonly scans: Scans;
  readonly coverCounts: CoverCounts;
}

const isOpen = ({ state }: ScanStatus): boolean => state === 'pending' || state === 'running';

/** Stored counts date from the last transition of a scan; the running scan has newer ones. */
const current = ({ scans }: Parts, stored: ScanStatus): ScanStatus =>
  (isOpen(stored) ? scans.active().find(({ libraryKey }) => libraryKey === stored.libraryKey) : undefined) ?? stored;

export const scanNews = async (
  parts: Parts,
  audience: Audience,
  stored: readonly ScanStatus[],
): Promise<readonly ScanNews[]> => {
  if (!audience.followed.has('scans')) return [];
  const viewer = { userKey: 0, permissions: new Set<never>(), administers: false, scope: audience.scope };
  const news: ScanNews[] = [];
  for (const status of stored.filter(({ libraryKey }) => audience.seesLibrary(libraryKey))) {
    try {
      news.push({ type: 'scan_progress', scan: await scanAsSeen(parts, viewer, current(parts, status)) });
    } catch (thrown) {
      if (faultOf(thrown).kind !== 'NotFound') throw thrown; // its library is being removed
    }
  }
  return news;
};
