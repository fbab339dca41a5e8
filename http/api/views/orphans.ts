// Orphaned files in the wire format.
import type { Cleaned, Found } from '../../../core/pages/orphans.js';
import type { Wire } from '../../surface/wire.js';
import type { CleanupResult, OrphanStats } from '../schemas/orphans.js';

/** OrphanStatsDto. */
export const orphanStatsView = (
  { covers, thumbnails, bytes, files }: Found,
  areFilesShown: boolean,
): Wire<typeof OrphanStats> => ({
  orphanedCovers: covers,
  orphanedThumbnails: thumbnails,
  totalSizeBytes: bytes,
  files: areFilesShown
    ? files.map((file) => ({ fileType: file.kind, entityId: file.id, path: file.path, sizeBytes: file.bytes }))
    : null,
});

/** CleanupResultDto. */
export const cleanupView = ({ covers, thumbnails, bytes, failures, errors }: Cleaned): Wire<typeof CleanupResult> => ({
  coversDeleted: covers,
  thumbnailsDeleted: thumbnails,
  bytesFreed: bytes,
  failures,
  errors: [...errors],
});
