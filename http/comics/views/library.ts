// Libraries as the comic-server API shows them.
import type { Library } from '../../../core/catalog/libraries.js';
import type { BookFormat } from '../../../core/model/formats.js';
import type { Wire } from '../../surface/wire.js';
import type { INTERVALS, Library as LibrarySchema } from '../schemas/library.js';
import { idText } from './text.js';

type Interval = (typeof INTERVALS)[number];

/** How often the hour field of a schedule comes round in a day. */
const BY_HOURS: Readonly<Record<string, Interval>> = {
  '*': 'HOURLY',
  '*/1': 'HOURLY',
  '*/6': 'EVERY_6H',
  '*/12': 'EVERY_12H',
};

/** The closest interval to a schedule of five fields, or of six with seconds. */
const intervalOf = ({ scanEnabled, scanCron }: Library): Interval => {
  if (!scanEnabled || scanCron === null) return 'DISABLED';
  const fields = scanCron.trim().split(/\s+/).slice(-5);
  const [, hour = '', day = '', , weekday = ''] = fields;
  if (fields.length < 5 || day !== '*' || !['*', '?'].includes(weekday)) return 'WEEKLY';
  return BY_HOURS[hour] ?? 'DAILY';
};

export const libraryView = (library: Library, root: string): Wire<typeof LibrarySchema> => {
  const takes = (...formats: readonly BookFormat[]): boolean =>
    library.allowedFormats === null || formats.some((format) => library.allowedFormats?.includes(format));
  return {
    id: idText(library.id),
    name: library.name,
    root,
    importComicInfoBook: true,
    importComicInfoSeries: true,
    importComicInfoCollection: false,
    importComicInfoReadList: false,
    importComicInfoSeriesAppendVolume: false,
    importEpubBook: true,
    importEpubSeries: true,
    importMylarSeries: false,
    importLocalArtwork: true,
    importBarcodeIsbn: false,
    scanForceModifiedTime: false,
    scanInterval: intervalOf(library),
    scanOnStartup: library.scanOnStart,
    scanCbx: takes('cbz', 'cbr', 'cbt'),
    scanPdf: takes('pdf'),
    scanEpub: takes('epub'),
    scanDirectoryExclusions: library.excluded.split('\n').filter((line) => line.trim() !== ''),
    repairExtensions: false,
    convertToCbz: false,
    emptyTrashAfterScan: library.scanPurge,
    seriesCover: 'FIRST',
    hashFiles: true,
    hashPages: false,
    hashKoreader: true,
    analyzeDimensions: true,
    oneshotsDirectory: null,
    unavailable: false,
  };
};
