// Libraries of the comic-server API. Fields without a counterpart here have the most neutral value.
import Type from 'typebox';
import { orNull, record, text, word, yes } from '../../surface/wire.js';
import { id } from './fields.js';

export const INTERVALS = ['DISABLED', 'HOURLY', 'EVERY_6H', 'EVERY_12H', 'DAILY', 'WEEKLY'] as const;

export const Library = record('ComicLibrary', {
  id: id(),
  name: text('Comics'),
  root: text('/library'),
  importComicInfoBook: yes(true),
  importComicInfoSeries: yes(true),
  importComicInfoCollection: yes(false),
  importComicInfoReadList: yes(false),
  importComicInfoSeriesAppendVolume: yes(false),
  importEpubBook: yes(true),
  importEpubSeries: yes(true),
  importMylarSeries: yes(false),
  importLocalArtwork: yes(true),
  importBarcodeIsbn: yes(false),
  scanForceModifiedTime: yes(false),
  scanInterval: word(INTERVALS, 'The interval closest to its schedule.'),
  scanOnStartup: yes(false),
  scanCbx: yes(true),
  scanPdf: yes(true),
  scanEpub: yes(true),
  scanDirectoryExclusions: Type.Array(text('extras/**')),
  repairExtensions: yes(false),
  convertToCbz: yes(false),
  emptyTrashAfterScan: yes(false),
  seriesCover: word(['FIRST']),
  hashFiles: yes(true),
  hashPages: yes(false),
  hashKoreader: yes(true),
  analyzeDimensions: yes(true),
  oneshotsDirectory: orNull(text('_oneshots')),
  unavailable: yes(false),
});
