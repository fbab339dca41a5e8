// Guards set-up and login: no cross-site requests, and a rate limit.
import type { Allowance } from '../../core/access/request-rate.js';
import { AppError } from '../../core/model/errors.js';
import type { Reply, Request } from '../server/adapter.js';
import { type Cors, isNamedOrigin } from './cors.js';
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

export const rateHeaders = ({ limit, remaining, resetS }: Allowance): Reply['headers'] => [
  ['X-RateLimit-Limit', String(limit)],
  ['X-RateLimit-Remaining', String(remaining)],
  ['X-RateLimit-Reset', String(resetS)],
];

export const refuseTooMany = ({ retryS }: Allowance): void => {
  if (retryS === null) return;
  throw new AppError('TooManyRequests', `Too many requests; try again in ${retryS} s.`, { retry_after: retryS });
};
