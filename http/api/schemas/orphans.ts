// Orphaned files, and the result of their clean-up.
import Type from 'typebox';
import { id, orNull, record, text, whole, word } from '../../surface/wire.js';

/** OrphanedFileDto. */
const OrphanedFile = record('OrphanedFile', {
  fileType: word(['cover', 'thumbnail'], 'An uploaded cover, or a cached image.'),
  entityId: orNull(id('The id of the cover, or of the book or series that is gone.')),
  path: text('uploads/0198c7a2-6f3e-7b51-9c0d-2a4e6f8b1d35.jpg', 'The path in the data folder, or the cache key.'),
  sizeBytes: whole(48_213),
});

/** OrphanStatsDto. */
export const OrphanStats = record('OrphanStats', {
  orphanedCovers: whole(1, 'Uploaded covers without a record.'),
  orphanedThumbnails: whole(12, 'Cached covers and pages of books and series that are gone.'),
  totalSizeBytes: whole(512_000),
  files: orNull(Type.Array(OrphanedFile)),
});

/** TriggerCleanupResponse. */
export const CleanupBegun = record('CleanupBegun', { message: text('The clean-up has been enqueued.'), taskId: id() });

/** CleanupResultDto. */
export const CleanupResult = record('CleanupResult', {
  coversDeleted: whole(1),
  thumbnailsDeleted: whole(12),
  bytesFreed: whole(512_000),
  failures: whole(0, 'How many files could not be removed.'),
  errors: Type.Array(text('The disk of the data folder is full.'), { description: 'The first of the errors.' }),
});
