// What people type into their apps.
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { AppAddresses } from '../schemas/app-addresses.js';

export const APP_ADDRESS_ROUTES: readonly Route[] = [
  route({
    id: 'app-addresses',
    method: 'GET',
    path: '/app-addresses',
    access: 'user',
    reply: ok(AppAddresses),
    about:
      'Where apps that do not use this API find the server: catalogues, the API of the comic server, e-reader sync.',
    run: ({ settings }) =>
      json(200, { addresses: settings.appAddresses.map((one) => ({ ...one })) } satisfies Wire<typeof AppAddresses>),
  }),
];
