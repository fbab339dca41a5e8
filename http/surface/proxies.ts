// Which peers are trusted proxies: addresses and ranges from the configuration; and those that forward requests without being trusted.
import { BlockList, isIP } from 'node:net';
import { type Finding, fine, warning } from '../../core/upkeep/finding.js';

/** Of a valid address. `isIP` compiles a pattern of its own for IPv6, 9 ms of a start. */
const family = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

/** A matcher for the configured list; the configuration has already validated every entry. */
export const trustedProxies = (entries: readonly string[]): ((address: string) => boolean) => {
  if (entries.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, Number(bits), family(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, family(address));
};

/** Addresses that are not used on the internet. */
const isPrivate = trustedProxies([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
]);

const NOTED_MAX = 10;
const TRUST =
  'If it is your proxy, add it to http.trusted_proxies (SVC_HTTP__TRUSTED_PROXIES) and start the server again.';

/**
 * Private peers that forward requests without being trusted: all their clients count as one, and addresses in catalogues have no host. Others
 * are clients that wrote such headers themselves.
 */
export class UntrustedProxies {
  readonly #warn: (sentence: string) => void;
  readonly #noted = new Set<string>();

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Warns once per address. */
  note(address: string): void {
    if (this.#noted.size >= NOTED_MAX || this.#noted.has(address) || !isPrivate(address)) return;
    this.#noted.add(address);
    this.#warn(
      `${address} forwards requests but is not a trusted proxy: everyone who signs in through it counts as one address, so one user's wrong passwords make all of them wait, and catalogues for apps contain addresses without a host, which some apps cannot use. ${TRUST}`,
    );
  }

  /** Those seen since the start. */
  look(): Finding {
    if (this.#noted.size === 0) return fine('proxies', 'No untrusted proxy forwards requests.');
    const addresses = [...this.#noted].join(', ');
    const message = `Not listed in http.trusted_proxies, but forwarding requests: ${addresses}. All clients of such a proxy count as one address, and catalogues contain addresses without a host.`;
    return warning('proxies', message, TRUST);
  }
}
