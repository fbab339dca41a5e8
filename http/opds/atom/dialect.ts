// OPDS 1.2 as a format of feeds.
import type { Dialect } from '../dialect.js';
import { ATOM_FEED } from '../media-types.js';
import { atomFeed } from './feed.js';

const [TYPE = ''] = ATOM_FEED.navigation.split(';');

export const ATOM: Dialect = { name: 'opds', types: [TYPE], hasGroups: false, feed: atomFeed };
