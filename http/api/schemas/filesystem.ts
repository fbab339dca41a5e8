// Folders of the machine as answers show them.
import Type from 'typebox';
import { orNull, record, text, yes } from '../../surface/wire.js';

/** FileSystemEntry. */
export const FileSystemEntry = record('FileSystemEntry', {
  name: text('comics'),
  path: text('/srv/comics'),
  isDirectory: yes(true, 'False for links, also to folders: they are not followed.'),
  isReadable: yes(true, 'False as well for what does not answer in time.'),
  linkTarget: orNull(text('/mnt/disk/comics', 'Where a link leads; null for anything else.')),
});

/** BrowseResponse. */
export const FolderListing = record('FolderListing', {
  currentPath: text('/srv'),
  parentPath: orNull(text('/', 'Null at the root.')),
  entries: Type.Array(FileSystemEntry),
  isTruncated: yes(false, 'There are more entries than are listed.'),
});
