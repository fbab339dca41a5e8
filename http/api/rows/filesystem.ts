// Browsing the folders of the server, to choose one for a library.
import Type from 'typebox';
import { browse, ENTRIES_MAX, startingPlaces } from '../../../core/upkeep/browse.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { FolderListing, StartingPlace } from '../schemas/filesystem.js';

export const FILESYSTEM_ROUTES: readonly Route[] = [
  route({
    id: 'filesystem.browse',
    method: 'GET',
    path: '/filesystem/browse',
    access: 'SystemAdmin',
    administrator: true,
    query: Type.Object({ path: Type.Optional(Type.String()) }),
    reply: ok(FolderListing),
    fails: ['FileUnreadable'],
    about: `The entries of a folder on the server: folders first, then by name, without hidden entries, at most ${ENTRIES_MAX}. Without a path: the home folder of the user that runs the server. Links are shown but not followed, and no file is opened.`,
    run: async (_, { query }) => json(200, (await browse(query.path)) satisfies Wire<typeof FolderListing>),
  }),
  route({
    id: 'filesystem.drives',
    method: 'GET',
    path: '/filesystem/drives',
    access: 'SystemAdmin',
    administrator: true,
    reply: ok(Type.Array(StartingPlace)),
    about: 'Common starting points for browsing, such as mount points, if they exist.',
    run: async () => json(200, (await startingPlaces()) satisfies readonly Wire<typeof StartingPlace>[]),
  }),
];
