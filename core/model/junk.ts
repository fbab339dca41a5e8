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

/** The same anywhere in a path, without splitting it. */
const JUNK_PART = new RegExp(
  `(?:^|[/\\\\])(?:\\.trash|\\._|(?:${[...JUNK].map((name) => name.replace(/[$+.]/g, '\\$&')).join('|')})(?:[/\\\\]|$))`,
  'i',
);

/** Whether one part of a path is such a name. Parts are separated by `/` or `\`. */
export const isJunkPath = (path: string): boolean => JUNK_PART.test(path);

/** Whether a folder or file with this name (without its path) is skipped wherever it is. */
export const isJunk = (name: string): boolean => JUNK.has(name.toLowerCase()) || JUNK_START.test(name);
