// Folders of the server, as returned by the API.
import Type from 'typebox';
import { PLACE_KINDS } from '../../../core/upkeep/browse.js';
import { orNull, record, text, word, yes } from '../../surface/wire.js';

const ENTRY = {
  name: text('comics'),
  path: text('/srv/comics'),
  isDirectory: yes(true, 'False for links, even to folders: they are not followed.'),
  isReadable: yes(true, 'Also false if the entry does not respond in time.'),
  linkTarget: orNull(text('/mnt/disk/comics', 'The target of a link; null for anything else.')),
};

/** FileSystemEntry. */
export const FileSystemEntry = record('FileSystemEntry', ENTRY);

export const StartingPlace = record('StartingPlace', {
  ...ENTRY,
  place: word(
    PLACE_KINDS,
    'The kind of place, for clients that show a name of their own; `own` is the home folder of the user running the server.',
  ),
});

/** BrowseResponse. */
export const FolderListing = record('FolderListing', {
  currentPath: text('/srv'),
  parentPath: orNull(text('/', 'Null at the root.')),
  entries: Type.Array(FileSystemEntry),
  isTruncated: yes(false, 'True if there are more entries than listed.'),
});
