// Libraries and their scans as answers show them.
import Type from 'typebox';
import { BOOK_STRATEGIES, NUMBER_STRATEGIES, SERIES_STRATEGIES } from '../../../core/model/strategies.js';
import { anyObject, id, number, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { DIRECTIONS } from './book.js';
import { pageOf } from './paging.js';

export const SCAN_MODES = ['normal', 'deep'] as const;
const STATES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

const options = orNull(anyObject('Options of the strategy, as set; null means all defaults.'));

const TitleRule = record('TitleRule', {
  pattern: text('^The (.+)$'),
  replacement: text('$1, The'),
  enabled: yes(true),
  description: orNull(text('The article goes last.')),
});

const never = Type.Null({ description: 'Always null: there is no such feature.' });

const ScanConfig = record('ScanConfig', {
  enabled: yes(true),
  scanMode: word(SCAN_MODES),
  cronSchedule: orNull(text('0 3 * * *')),
  cronTimezone: orNull(text('Europe/Berlin', 'Null for the setting scheduler.timezone.')),
  scanOnStart: yes(false),
  purgeDeletedOnScan: yes(false),
  watchFolders: yes(false, 'Whether folders that change are scanned automatically, while enabled.'),
});

/** LibraryDto. */
export const Library = record('Library', {
  id: id(),
  name: text('Comics'),
  path: text('/library'),
  description: orNull(text('What we read')),
  isActive: yes(true),
  defaultReadingDirection: word(DIRECTIONS),
  seriesStrategy: word(SERIES_STRATEGIES),
  seriesConfig: options,
  bookStrategy: word(BOOK_STRATEGIES),
  bookConfig: options,
  numberStrategy: word(NUMBER_STRATEGIES),
  numberConfig: options,
  titlePreprocessingRules: orNull(Type.Array(TitleRule)),
  autoMatchConditions: never,
  allowedFormats: orNull(Type.Array(text('CBZ'))),
  excludedPatterns: orNull(text('.trash\n*.tmp')),
  scanningConfig: ScanConfig,
  seriesCount: whole(23),
  bookCount: whole(54),
  lastScannedAt: orNull(time()),
  createdAt: time(),
  updatedAt: time(),
});

export const LibraryPage = pageOf('LibraryPage', Library);

/** ScanStatusDto, plus the mode of the scan, links, and the covers that follow it. */
export const Scan = record('Scan', {
  libraryId: id(),
  mode: word(SCAN_MODES),
  status: word(STATES),
  filesTotal: whole(54),
  filesProcessed: whole(12),
  seriesFound: whole(23),
  booksFound: whole(54),
  linksFound: whole(0, 'Symbolic links in the library; none is followed.'),
  booksChanged: whole(
    3,
    'Known books whose file size or modification time had changed. Always 0 for users with an age limit or sharing tags.',
  ),
  booksRemoved: whole(
    1,
    'Books removed because their files were gone; moved files do not count. Always 0 for users with an age limit or sharing tags.',
  ),
  coversTotal: whole(12),
  coversProcessed: whole(4),
  booksPerSecond: number(
    12.5,
    'Books read per second, over the last half minute; 0 while unknown, and once the scan has ended.',
  ),
  secondsLeft: orNull(whole(340, 'Until the books are read; null while unknown.')),
  errors: Type.Array(text('Comics/bad.cbz: The file is damaged.')),
  startedAt: time(),
  completedAt: orNull(time()),
});

const DetectedSeries = record('DetectedSeries', {
  name: text('Little Nemo'),
  path: text('Comics/Little Nemo'),
  bookCount: whole(4),
  sampleBooks: Type.Array(text('Little Nemo 001.cbz')),
  metadata: record('DetectedSeriesMetadata', { author: never, publisher: orNull(text('McKay')) }),
});

const shownAs = { title: text('The Walking Bed'), number: orNull(number(12.5)) };

export const StrategyPreview = record('StrategyPreview', {
  books: whole(260, 'How many books were checked: at most about 20,000.'),
  changed: whole(31, 'How many of them would get a different title or number.'),
  isComplete: yes(true, 'Whether all books of the library were checked.'),
  examples: Type.Array(
    record('ChangedBook', {
      id: id(),
      fileName: text('Little Nemo 012.5.cbz'),
      seriesName: text('Little Nemo'),
      before: record('ShownBefore', shownAs),
      after: record('ShownAfter', shownAs),
    }),
  ),
});

/** PreviewScanResponse, plus the total number of series. */
export const ScanPreview = record('ScanPreview', {
  detectedSeries: Type.Array(DetectedSeries),
  totalFiles: whole(54),
  totalSeries: whole(23),
  isComplete: yes(true, 'False if there are too many files to list all of them.'),
  examples: Type.Array(
    record('ExampleBook', {
      fileName: text('Little Nemo 001.cbz'),
      seriesName: text('Little Nemo'),
      title: text('The Walking Bed'),
      number: orNull(number(1, 'Null if the number is the place in the series.')),
    }),
    { description: 'The titles and numbers that up to eight books would get.' },
  ),
});
