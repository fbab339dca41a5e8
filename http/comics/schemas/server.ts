// Small answers about the server.
import Type from 'typebox';
import { record, text, yes } from '../../surface/wire.js';

export const Claim = record('ComicClaim', { isClaimed: yes(true) });

export const NoSettings = record('ComicClientSettings', {});

export const ServerInfo = record('ComicServerInfo', {
  build: record('ComicBuild', {
    artifact: text('longbox'),
    name: text('longbox'),
    version: text('0.1.0'),
    group: text('longbox'),
  }),
});

export const Announcements = record('ComicAnnouncements', {
  version: text('https://jsonfeed.org/version/1.1'),
  title: text('Announcements'),
  items: Type.Array(Type.Object({ id: text('1') }), { description: 'Always empty: this server announces nothing.' }),
});
