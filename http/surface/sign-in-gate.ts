// Guards set-up and login: no cross-site requests, no set-up under a name that others control, and a rate limit.
import { isIP } from 'node:net';
import type { Allowance } from '../../core/access/request-rate.js';
import { AppError } from '../../core/model/errors.js';
import type { Reply, Request } from '../server/adapter.js';
import { type Cors, isNamedOrigin } from './cors.js';
import { forwardedHosts } from './forwarded.js';
import { isForeign } from './origins.js';

/** These routes issue credentials: other sites may call them only if the settings name them one by one. */
export const refuseForeignSite = (
  request: Request,
  isTrustedPeer: () => boolean,
  baseUrl: string | null,
  cors: Cors,
): void => {
  if (!isForeign(request, isTrustedPeer, baseUrl) || isNamedOrigin(cors, request.header('origin'))) return;
  throw new AppError(
    'Forbidden',
    'Pages of other sites may not set up this server or sign anyone in or out. Behind a proxy, forward the Host header, or set application.base_url to the public address. A site that you trust can be named in api.cors_origins.',
  );
};

/** An address, or a name that no public name server answers for. */
const isLocalName = (host: string): boolean =>
  isIP(host.replace(/^\[|\]$/g, '')) !== 0 || !host.includes('.') || /\.(?:local|localhost)$/.test(host);

/** Without the port, in lower case; '' when there is none. */
const nameIn = (host: string): string => {
  const text = `http://${host.trim()}`;
  return !/[\s/@?#\\]/.test(host.trim()) && URL.canParse(text) ? new URL(text).hostname.replace(/\.$/, '') : '';
};

/**
 * Until a server is set up, whoever reaches it becomes its administrator. A page elsewhere can give its own name the address of this server
 * (DNS rebinding), and is then no other site; so set-up needs a name that only the owner's network, or the configuration, can give. Such a page
 * can send forwarding headers too, and a trusted proxy may pass them on or add to them, so every name that is stated has to be one of these.
 * Without a Host, no browser sent the request.
 */
export const refuseStrangeHost = (request: Request, isTrustedPeer: () => boolean, baseUrl: string | null): void => {
  const host = request.header('host');
  const stated = [...(host === '' ? [] : [host]), ...(isTrustedPeer() ? forwardedHosts(request) : [])].map(nameIn);
  const ownName = baseUrl === null ? null : new URL(baseUrl).hostname;
  if (stated.every((name) => name !== '' && (isLocalName(name) || name === ownName))) return;
  throw new AppError(
    'Forbidden',
    'The first account can be created only under an IP address, localhost, a name without a dot or one that ends in .local. To create it under another name, set application.base_url to the public address and start the server again.',
  );
};

export const rateHeaders = ({ limit, remaining, resetS }: Allowance): Reply['headers'] => [
  ['X-RateLimit-Limit', String(limit)],
  ['X-RateLimit-Remaining', String(remaining)],
  ['X-RateLimit-Reset', String(resetS)],
];

export const refuseTooMany = ({ retryS }: Allowance): void => {
  if (retryS === null) return;
  throw new AppError('TooManyRequests', `Too many requests; try again in ${retryS} s.`, { retry_after: retryS });
};
