// Names of folders and files that systems leave behind, on disk and in archives: thumbnails, recycle bins, snapshots. They never contain
// books or pages.

/** In lower case. */
const JUNK: ReadonlySet<string> = new Set([
  // Synology, QNAP, NetApp and Buffalo
  '@eadir',
  '#recycle',
  '#snapshot',
  '~snapshot',
  'trashbox',
  '@recycle',
  '@recently-snapshot',
  '.@__thumb',
  '.@upload_cache',
  // macOS, and file servers for it
  '__macosx',
  '.appledouble',
  '.appledb',
  '.appledesktop',
  '.ds_store',
  '.spotlight-v100',
  '.fseventsd',
  '.temporaryitems',
  '.documentrevisions-v100',
  'network trash folder',
  'temporary items',
  // Windows
  '$recycle.bin',
  'system volume information',
  'thumbs.db',
  'ehthumbs.db',
  'desktop.ini',
  // file systems of Linux and others
  'lost+found',
  '.snapshot',
  '.snapshots',
  '.zfs',
  '.recycle',
  // older Windows, and programs that synchronise or manage folders: deleted and earlier versions
  'recycler',
  'recycled',
  '.stversions',
  '.sync',
  '.dropbox.cache',
  '.tmp.drivedownload',
  '.tmp.driveupload',
  '.caltrash',
  '_gsdata_',
  // other readers
  '.yacreaderlibrary',
]);

/** Per-user trash folders (`.Trash-1000`, `.Trashes`), and macOS resource forks. */
const JUNK_START = /^(?:\.trash|\._)/i;

/** Whether a folder or file with this name (without its path) is skipped wherever it is. */
export const isJunk = (name: string): boolean => JUNK.has(name.toLowerCase()) || JUNK_START.test(name);
