// Addresses at which other devices may reach this computer.
import { addressesIn, type Interfaces } from '../../core/upkeep/network-addresses.js';
import { assert, block } from '../kit.js';

const at = (address: string, internal = false) => ({
  address,
  family: address.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
  internal,
});

const INTERFACES: Interfaces = {
  lo: [at('127.0.0.1', true), at('::1', true)],
  eth0: [at('fd00::20'), at('192.168.1.20'), at('fe80::1')],
  wlan0: [at('10.0.0.7'), at('169.254.3.4')],
  docker0: [at('172.17.0.1')],
  'br-4f2a': [at('172.18.0.1')],
  gone: undefined,
};

block('network addresses', (check) => {
  check('they are those of all interfaces, except what other devices cannot reach', () => {
    assert.equal(addressesIn(INTERFACES, '0.0.0.0'), ['192.168.1.20', '10.0.0.7']);
    assert.equal(addressesIn(INTERFACES, '::'), ['192.168.1.20', '10.0.0.7', 'fd00::20']);
  });
  check('a server that listens on one address has only that one, and on the loopback address none', () => {
    assert.equal(addressesIn(INTERFACES, '10.0.0.7'), ['10.0.0.7']);
    for (const host of ['localhost', '127.0.0.1', '127.3.2.1', '::1']) assert.equal(addressesIn(INTERFACES, host), []);
  });
});
