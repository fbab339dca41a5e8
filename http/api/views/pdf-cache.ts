// The caches of PDF documents in the wire format.
import type { PdfPages, RemovedPages } from '../../../core/pages/pdf-cache.js';
import type { Documents } from '../../../core/scan/pdf-cache-tasks.js';
import { sizeInWords } from '../../../core/upkeep/finding.js';
import type { Wire } from '../../surface/wire.js';
import type { PdfCacheStats, PdfHandles, PdfPagesRemoved } from '../schemas/pdf-cache.js';

const secondsSince = (ms: number): number => Math.max(0, Math.floor((performance.now() - ms) / 1000));

/** PdfHandleCacheStatsDto. */
export const handlesView = (found: Documents): Wire<typeof PdfHandles> => ({
  capacity: found.capacity,
  currentSize: found.open,
  enabled: true,
  entries: found.entries.map(({ bookId, path, openedMs, usedMs, pages }) => ({
    ageSeconds: secondsSince(openedMs),
    bookId,
    idleSeconds: secondsSince(usedMs),
    path,
    renderCount: pages,
  })),
  evictions: found.evictions,
  hits: found.hits,
  idleEvictions: found.idleEvictions,
  idleTtlSeconds: Math.round(found.idleMs / 1000),
  misses: found.opens,
  opens: found.opens,
});

interface Place {
  readonly folder: string;
  readonly isKeeping: boolean;
  readonly ageDays: number | null;
}

/** PdfCacheStatsDto. */
export const pdfCacheView = (
  { pages, bytes, books }: PdfPages,
  { folder, isKeeping, ageDays }: Place,
  documents: Documents,
): Wire<typeof PdfCacheStats> => ({
  handles: handlesView(documents),
  pages: {
    bookCount: books,
    cacheDir: folder,
    cacheEnabled: isKeeping,
    oldestFileAgeDays: ageDays,
    totalFiles: pages,
    totalSizeBytes: bytes,
    totalSizeHuman: sizeInWords(bytes),
  },
});

/** PdfCacheCleanupResultDto. */
export const removedView = ({ pages, bytes }: RemovedPages): Wire<typeof PdfPagesRemoved> => ({
  bytesReclaimed: bytes,
  bytesReclaimedHuman: sizeInWords(bytes),
  filesDeleted: pages,
});
