// What people type into their apps.
import { networkAddresses } from '../../../core/upkeep/network-addresses.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { AppAddresses, NetworkAddresses } from '../schemas/app-addresses.js';

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
  route({
    id: 'network-addresses',
    method: 'GET',
    path: '/network-addresses',
    access: 'SystemAdmin',
    administrator: true,
    reply: ok(NetworkAddresses),
    about:
      'Where other devices on the network may reach this computer: the addresses of its network interfaces that the server listens on. None if the server listens only on the loopback address, and none in a container of Docker, Podman or Kubernetes, whose addresses are not those of the computer.',
    run: ({ settings }) =>
      json(200, { addresses: [...networkAddresses(settings.host)] } satisfies Wire<typeof NetworkAddresses>),
  }),
];
