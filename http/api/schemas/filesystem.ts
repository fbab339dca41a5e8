// Folders of the server, as returned by the API.
import Type from 'typebox';
import { orNull, record, text, yes } from '../../surface/wire.js';

/** FileSystemEntry. */
export const FileSystemEntry = record('FileSystemEntry', {
  name: text('comics'),
  path: text('/srv/comics'),
  isDirectory: yes(true, 'False for links, even to folders: they are not followed.'),
  isReadable: yes(true, 'Also false if the entry does not respond in time.'),
  linkTarget: orNull(text('/mnt/disk/comics', 'The target of a link; null for anything else.')),
});

/** BrowseResponse. */
export const FolderListing = record('FolderListing', {
  currentPath: text('/srv'),
  parentPath: orNull(text('/', 'Null at the root.')),
  entries: Type.Array(FileSystemEntry),
  isTruncated: yes(false, 'True if there are more entries than listed.'),
});
