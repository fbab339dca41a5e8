// Addresses of the web client of that server, which apps open in a browser: they lead to the same things in ours.
import Type from 'typebox';
import { isUuid, uuidOfHex } from '../../../core/model/ids.js';
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

const idIn = (text: string): string => {
  const id = /^[0-9a-f]{32}$/i.test(text) ? uuidOfHex(text.toLowerCase()) : text.toLowerCase();
  return isUuid(id) ? `/${id}` : '';
};

const screen = (path: string, ours: string): Route =>
  route({
    id: `comics.screens.${path}`,
    method: 'GET',
    path: `/${path}/{id}`,
    access: 'public',
    params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
    reply: { 302: null },
    about: `Leads a browser to the web client.`,
    run: ({ request }, { params }) => leadingTo(request, `${ours}${idIn(params.id)}`),
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
  screen('series', 'series'),
  screen('oneshot', 'series'),
  screen('book', 'books'),
  screen('collections', 'collections'),
  screen('readlists', 'readlists'),
];
