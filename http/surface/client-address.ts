// The address of a client, and whether it speaks TLS: its peer address, or what a trusted proxy says.
import { isIP } from 'node:net';
import { plainAddress, type Request } from '../server/adapter.js';
import { forwardedOf } from './forwarded.js';

/** An address from a list of proxies, which may include a port; undefined when it is not an address. */
const forwardedAddress = (entry: string): string | undefined => {
  const bare = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(entry);
  const address = plainAddress(bare?.[1] ?? bare?.[2] ?? entry);
  return isIP(address) === 0 ? undefined : address;
};

/** The last forwarded address that is not a trusted proxy's: addresses that the client wrote there itself do not count. */
export const clientAddressOf = (request: Request, isTrusted: (address: string) => boolean): string => {
  let address = request.remoteAddress;
  if (!isTrusted(address)) return address;
  const forwarded = [...forwardedOf(request).clients];
  while (isTrusted(address)) {
    const next = forwardedAddress(forwarded.pop() ?? '');
    if (next === undefined) break;
    address = next;
  }
  return address;
};

/** This server speaks no TLS itself: only a trusted proxy may have. */
export const isOverTls = (request: Request, isTrusted: (address: string) => boolean): boolean =>
  isTrusted(request.remoteAddress) && forwardedOf(request).proto === 'https';
