// Addresses of the web client of that server, which apps open in a browser: they lead to the same things in ours.
import Type from 'typebox';
import { isUuid, uuidOfHex } from '../../../core/model/ids.js';
import { WANTED_ID } from '../../../core/reading/app-lists.js';
import type { Reply, Request } from '../../server/adapter.js';
import { type Route, route } from '../../surface/route.js';

/** Relative: a proxy may serve this under a subpath. */
const leadingTo = ({ path }: Request, screen: string): Reply => ({
  status: 302,
  headers: [
    ['Location', `${'../'.repeat(path.split('/').length - 2) || './'}${screen}`],
    ['Cache-Control', 'no-store'],
  ],
  body: { kind: 'none' },
});

const idIn = (text: string): string | null => {
  const id = /^[0-9a-f]{32}$/i.test(text) ? uuidOfHex(text.toLowerCase()) : text.toLowerCase();
  return isUuid(id) ? id : null;
};

/** Screens that also show all of their kind, for ids of another server. */
type All = 'libraries' | 'collections' | 'readlists';

const one =
  (ours: 'series' | 'books' | 'read') =>
  (text: string): string => {
    const id = idIn(text);
    return id === null ? '' : `${ours}/${id}`;
  };

const oneOrAll =
  (ours: All) =>
  (text: string): string => {
    if (text === WANTED_ID) return WANTED_ID;
    const id = idIn(text);
    return id === null ? ours : `${ours}/${id}`;
  };

const all = (ours: All) => (): string => ours;

/** `path`: with `{id}`. */
const screen = (path: string, target: (id: string) => string): Route =>
  route({
    id: `comics.screens.${path.replaceAll('/', '.').replace('.{id}', '')}`,
    method: 'GET',
    path: `/${path}`,
    access: 'public',
    params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
    reply: { 302: null },
    about: 'Leads a browser to the web client.',
    run: ({ request }, { params }) => leadingTo(request, target(params.id)),
  });

/** Only below a prefix: on a port of its own, the API has no web client beside it. */
export const SCREEN_ROWS: readonly Route[] = [
  route({
    id: 'comics.screens.home',
    method: 'GET',
    path: '',
    access: 'public',
    reply: { 302: null },
    about: 'Leads a browser to the web client.',
    run: ({ request }) => leadingTo(request, ''),
  }),
  screen('series/{id}', one('series')),
  screen('oneshot/{id}', one('series')),
  screen('book/{id}', one('books')),
  screen('book/{id}/read', one('read')),
  screen('book/{id}/read-epub', one('read')),
  screen('libraries/{id}', oneOrAll('libraries')),
  screen('libraries/{id}/recommended', oneOrAll('libraries')),
  screen('libraries/{id}/series', oneOrAll('libraries')),
  screen('libraries/{id}/books', oneOrAll('libraries')),
  screen('libraries/{id}/collections', all('collections')),
  screen('libraries/{id}/readlists', all('readlists')),
  screen('collections/{id}', oneOrAll('collections')),
  screen('readlists/{id}', oneOrAll('readlists')),
];
