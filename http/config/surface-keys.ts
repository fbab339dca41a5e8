// Settings of the surfaces beside the API: those for other people's apps, and the web client. Part of the table in config-keys.ts.
import { flag, text, whole } from './key-kinds.js';
import { PATH_SEGMENT } from './shapes.js';

export const SURFACE_KEYS = {
  'komga_api.enabled': flag(true, 'Serve the comic-server API, for reader apps made for that server.'),
  'komga_api.prefix': text(
    'komga',
    'First segment of the paths of the comic-server API, as in /komga/api/v1.',
    PATH_SEGMENT,
  ),
  'komga_api.port': whole(
    0,
    0,
    65535,
    'Second port for the comic-server API, without the prefix, for apps that accept no path; 0 for none.',
  ),
  'koreader_api.enabled': flag(true, 'Serve e-reader sync at /koreader.'),
  'koreader_api.registration': flag(
    false,
    'Let e-readers create accounts that can synchronise documents and nothing else.',
  ),
  'opds.enabled': flag(true, 'Serve the catalogues for reader apps (OPDS 1.2 and 2.0).'),
  'opds.record_progress': flag(true, 'Record reading progress from the pages that OPDS apps fetch one by one.'),
  'web.enabled': flag(true, 'Serve the web client at the root of the server.'),
} as const;
