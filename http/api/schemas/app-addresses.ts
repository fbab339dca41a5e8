// Where other people's apps find this server.
import Type from 'typebox';
import { APP_KINDS } from '../../surface/route.js';
import { orNull, record, text, whole, word } from '../../surface/wire.js';

export const AppAddress = record('AppAddress', {
  kind: word(
    APP_KINDS,
    'comics: the API of the comic server; opds: OPDS 1.2 with page streaming; opds2: OPDS 2.0; sync: e-reader sync.',
  ),
  path: text('/opds/v1.2/catalog', 'What follows the address of this server.'),
  port: orNull(whole(25600, 'A port on which the same is at the root, for apps that accept no path.')),
});

export const NetworkAddresses = record('NetworkAddresses', {
  addresses: Type.Array(text('192.168.1.20'), {
    description: 'IP addresses, or the host name that the server is configured to listen on.',
  }),
});

export const AppAddresses = record('AppAddresses', { addresses: Type.Array(AppAddress) });
