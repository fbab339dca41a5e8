// Which peers are trusted proxies: addresses and ranges from the configuration.
import { BlockList, isIP } from 'node:net';

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

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

const WARNED_MAX = 10;

/** Warns once per peer that forwards requests without being trusted, since all its clients then count as one. */
export const untrustedProxyWarning = (warn: (sentence: string) => void): ((address: string) => void) => {
  const warned = new Set<string>();
  return (address) => {
    if (warned.has(address) || warned.size >= WARNED_MAX) return;
    warned.add(address);
    warn(
      `${address} sends X-Forwarded-For but is not a trusted proxy: everyone who signs in through it counts as one address, so one user's wrong passwords make all of them wait. If it is your proxy, add it to http.trusted_proxies (SVC_HTTP__TRUSTED_PROXIES).`,
    );
  };
};
