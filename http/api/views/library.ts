// Library and scan status as shown on the wire.
import type { Library } from '../../../core/catalog/libraries.js';
import type { Preview } from '../../../core/scan/preview.js';
import type { ScanProgress } from '../../../core/scan/status.js';
import type { Wire } from '../../surface/wire.js';
import type { Library as LibrarySchema, Scan, ScanPreview } from '../schemas/library.js';
import { instant, instantOrNull } from './time.js';

/** LibraryDto. */
export const libraryView = (library: Library): Wire<typeof LibrarySchema> => ({
  id: library.id,
  name: library.name,
  path: library.root,
  description: library.description,
  isActive: true,
  defaultReadingDirection: library.readingDirection,
  seriesStrategy: library.seriesStrategy,
  seriesConfig: library.seriesConfig,
  bookStrategy: library.bookStrategy,
  bookConfig: library.bookConfig,
  numberStrategy: library.numberStrategy,
  numberConfig: library.numberConfig,
  titlePreprocessingRules: library.titleRules,
  autoMatchConditions: null,
  allowedFormats: library.allowedFormats?.map((format) => format.toUpperCase()) ?? null,
  excludedPatterns: library.excluded === '' ? null : library.excluded,
  scanningConfig: {
    enabled: library.scanEnabled,
    scanMode: library.scanMode,
    cronSchedule: library.scanCron,
    cronTimezone: library.scanZone,
    scanOnStart: library.scanOnStart,
    purgeDeletedOnScan: library.scanPurge,
    watchFolders: library.scanWatch,
  },
  seriesCount: library.seriesCount,
  bookCount: library.bookCount,
  lastScannedAt: instantOrNull(library.lastScannedAt),
  createdAt: instant(library.createdAt),
  updatedAt: instant(library.updatedAt),
});

/** ScanStatusDto, plus the mode of the scan, links, and the covers that follow it. */
export const scanView = (status: ScanProgress): Wire<typeof Scan> => ({
  libraryId: status.libraryId,
  mode: status.mode,
  status: status.state,
  filesTotal: status.filesTotal,
  filesProcessed: status.filesProcessed,
  seriesFound: status.seriesFound,
  booksFound: status.booksFound,
  linksFound: status.linksFound,
  booksChanged: status.booksChanged,
  booksRemoved: status.booksRemoved,
  coversTotal: status.coversTotal,
  coversProcessed: status.coversProcessed,
  booksPerSecond: Math.round(status.rate * 100) / 100,
  secondsLeft: status.secondsLeft,
  errors: status.errors,
  startedAt: instant(status.startedAt),
  completedAt: instantOrNull(status.completedAt),
});

/** PreviewScanResponse, plus the total number of series. */
export const previewView = ({
  files,
  isComplete,
  seriesCount,
  series,
  examples,
}: Preview): Wire<typeof ScanPreview> => ({
  detectedSeries: series.map(({ name, path, bookCount, samples, publisher }) => ({
    name,
    path,
    bookCount,
    sampleBooks: samples,
    metadata: { author: null, publisher },
  })),
  totalFiles: files,
  totalSeries: seriesCount,
  isComplete,
  examples,
});
