// The network an address belongs to. An IPv6 customer has at least a whole /64, so a single address means nothing; many have a /48.
import { isIP } from 'node:net';

export interface Peer {
  /** One household: an IPv4 address, or the /64 of an IPv6 address. */
  readonly home: string;
  /** The /48 around it, which may belong to one customer; null for IPv4. */
  readonly site: string | null;
}

const LONGEST_NAME = 64;

/** The eight groups of an IPv6 address. The URL parser writes a dotted end in hex and drops leading zeros. */
const groupsOf = (address: string): readonly number[] => {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16));
};

const isMapped = (groups: readonly number[]): boolean =>
  groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;

const dotted = ([high = 0, low = 0]: readonly number[]): string =>
  [high >> 8, high & 255, low >> 8, low & 255].join('.');

const network = (groups: readonly number[], count: number): string =>
  `${groups
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(':')}::/${count * 16}`;

/** Anything that is not an address is used as is, truncated to bound its memory. */
export const peerOf = (address: string): Peer => {
  const plain = address.split('%')[0] ?? '';
  if (isIP(plain) !== 6) return { home: address.slice(0, LONGEST_NAME), site: null };
  const groups = groupsOf(plain);
  if (isMapped(groups)) return { home: dotted(groups.slice(6)), site: null };
  return { home: network(groups, 4), site: network(groups, 3) };
};
