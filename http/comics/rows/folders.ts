// Browsing the folders of the server, to choose one for a library.
import Type from 'typebox';
import { browse, type FolderEntry, startingPlaces } from '../../../core/upkeep/browse.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { orNull, record, text, word } from '../../surface/wire.js';

const Entry = record('ComicFolderEntry', {
  type: word(['directory', 'file']),
  name: text('Manga'),
  path: text('/library/Manga'),
});

const Listing = record('ComicFolderListing', {
  parent: orNull(text('/library')),
  directories: Type.Array(Entry),
  files: Type.Array(Entry),
});

const view = ({ name, path, isDirectory }: FolderEntry) => ({ type: isDirectory ? 'directory' : 'file', name, path });

export const FOLDER_ROWS: readonly Route[] = [
  route({
    id: 'comics.folders',
    method: 'POST',
    path: '/api/v1/filesystem',
    access: 'SystemAdmin',
    administrator: true,
    body: Type.Object({
      path: Type.Optional(Type.String()),
      showFiles: Type.Optional(Type.Boolean({ expected: 'true or false' })),
    }),
    reply: ok(Listing),
    fails: ['FileUnreadable'],
    about: 'The folders in a folder of the server, and its files if requested. Without a path: where to begin.',
    run: async (_, { body: { path = '', showFiles = false } }) => {
      const { parentPath, entries } =
        path === '' ? { parentPath: null, entries: await startingPlaces() } : await browse(path);
      const directories = entries.filter(({ isDirectory }) => isDirectory).map(view);
      const files = showFiles ? entries.filter(({ isDirectory }) => !isDirectory).map(view) : [];
      return json(200, { parent: parentPath, directories, files });
    },
  }),
];
