// The caches of PDF documents.
import Type from 'typebox';
import { id, orNull, record, text, whole, yes } from '../../surface/wire.js';

/** PdfPageCacheStatsDto. */
const Pages = record('PdfPageCacheStats', {
  bookCount: whole(12, 'Documents with cached pages.'),
  cacheDir: text('/var/lib/longbox/cache'),
  cacheEnabled: yes(true, 'False while nothing can be cached.'),
  oldestFileAgeDays: orNull(whole(3, 'Null if there are none, or if earlier versions cached them.')),
  totalFiles: whole(480, 'Cached pages, in any size and type.'),
  totalSizeBytes: whole(73_400_320),
  totalSizeHuman: text('70.0 MB'),
});

/** PdfHandleCacheStatsDto. */
export const PdfHandles = record('PdfHandleCacheStats', {
  capacity: whole(5, 'One for each thread that the pool may have.'),
  currentSize: whole(1),
  enabled: yes(true),
  entries: Type.Array(
    record('PdfHandleCacheEntry', {
      ageSeconds: whole(12),
      bookId: id(),
      idleSeconds: whole(1),
      path: text('/media/comics/Ants/Ants 1.pdf'),
      renderCount: whole(7, 'Pages rendered from it.'),
    }),
    { description: 'Only documents of books that you see.' },
  ),
  evictions: whole(3, 'Closed because their thread opened another.'),
  hits: whole(480),
  idleEvictions: whole(20, 'Closed because no page was requested for a while.'),
  idleTtlSeconds: whole(5),
  misses: whole(23),
  opens: whole(23),
});

/** PdfCacheStatsDto. */
export const PdfCacheStats = record('PdfCacheStats', { handles: PdfHandles, pages: Pages });

/** PdfHandleCacheClearResultDto. */
export const PdfHandlesClosed = record('PdfHandleCacheClearResult', { handlesClosed: whole(1) });

/** PdfCacheCleanupResultDto. */
export const PdfPagesRemoved = record('PdfCacheCleanupResult', {
  bytesReclaimed: whole(73_400_320),
  bytesReclaimedHuman: text('70.0 MB'),
  filesDeleted: whole(480),
});

/** TriggerPdfCacheCleanupResponse. */
export const PdfCleanupBegun = record('TriggerPdfCacheCleanup', {
  maxAgeDays: whole(30),
  message: text('The clean-up has been enqueued.'),
  taskId: id(),
});
