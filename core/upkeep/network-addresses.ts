// The addresses at which other devices on the network may reach this computer.
import { existsSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

type Interface = Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>;
export type Interfaces = Readonly<Record<string, readonly Interface[] | undefined>>;

/** Names that common software gives to bridges to containers and virtual machines on this computer. */
const BRIDGE = /^(?:docker|br-|veth|virbr|podman|cni|vmnet|vboxnet)/;
/** Self-assigned, or valid on a single link only. */
const LINK_LOCAL = /^(?:169\.254\.|fe[89ab])/i;
const LOOPBACK = /^(?:localhost|127\..*|::1)$/;

const ANY_IPV4 = '0.0.0.0';
const ANY = new Set([ANY_IPV4, '::']);

const byFamily = (a: Interface, b: Interface): number => a.family.localeCompare(b.family);

/** For a server that listens on `host`. IPv4 addresses come first, since they are easier to type. */
export const addressesIn = (interfaces: Interfaces, host: string): readonly string[] => {
  if (LOOPBACK.test(host)) return [];
  if (!ANY.has(host)) return [host];
  return Object.entries(interfaces)
    .filter(([name]) => !BRIDGE.test(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
    .filter(({ family }) => family === 'IPv4' || host !== ANY_IPV4)
    .sort(byFamily)
    .map(({ address }) => address);
};

/** A container has addresses of its own, which mean nothing on the computer's network. */
const isInContainer = (): boolean =>
  process.env.KUBERNETES_SERVICE_HOST !== undefined ||
  ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path));

export const networkAddresses = (host: string): readonly string[] =>
  isInContainer() ? [] : addressesIn(networkInterfaces(), host);
