// What is left of rows that are gone, and what became of it.
import Type from 'typebox';
import { id, orNull, record, text, whole, word } from '../../surface/wire.js';

/** OrphanedFileDto. */
const OrphanedFile = record('OrphanedFile', {
  fileType: word(['cover', 'thumbnail'], 'An uploaded cover, or an image in the cache.'),
  entityId: orNull(id('Of the cover, or of the book or series that is gone.')),
  path: text('uploads/0198c7a2-6f3e-7b51-9c0d-2a4e6f8b1d35.jpg', 'In the data folder, or the key in the cache.'),
  sizeBytes: whole(48_213),
});

/** OrphanStatsDto. */
export const OrphanStats = record('OrphanStats', {
  orphanedCovers: whole(1, 'Files of uploaded covers that no cover has.'),
  orphanedThumbnails: whole(12, 'Covers and pages in the cache, of books and series that are gone.'),
  totalSizeBytes: whole(512_000),
  files: orNull(Type.Array(OrphanedFile)),
});

/** TriggerCleanupResponse. */
export const CleanupBegun = record('CleanupBegun', { message: text('The clean-up is enqueued.'), taskId: id() });

/** CleanupResultDto. */
export const CleanupResult = record('CleanupResult', {
  coversDeleted: whole(1),
  thumbnailsDeleted: whole(12),
  bytesFreed: whole(512_000),
  failures: whole(0, 'What could not be removed.'),
  errors: Type.Array(text('The disk of the data folder is full.'), { description: 'The first of the reasons.' }),
});
