// The address under which a client reaches this server, for surfaces whose answers contain absolute addresses: what is configured, what a
// trusted proxy says, or the Host header.
import type { Request } from '../server/adapter.js';
import { forwardedOf, isForwarded, isProxied, withPort } from './forwarded.js';

export interface Published {
  /** True for the address of a proxy whose Forwarded and X-Forwarded headers are trusted. */
  readonly isTrustedProxy: (address: string) => boolean;
  /** Called with the address of a peer that forwards a request but is not trusted. */
  readonly onUntrustedProxy: (address: string) => void;
  /** The address under which clients reach the server, if it is configured. */
  readonly baseUrl: string | null;
}

const NAME = '(?:[A-Za-z0-9._~\\-]{1,255}|\\[[0-9A-Fa-f:.]{2,45}\\])';
const HOST = new RegExp(`^${NAME}(?::\\d{1,5})?$`);
/** A path whose segments neither name a host (`//`) nor lead upwards. */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+){1,8}$/;

/** A list grows at its end with each proxy: the first entry is what the client used. */
const firstOf = (header: string): string => (header.split(',')[0] ?? '').trim();

const withoutSlash = (text: string): string => text.replace(/\/+$/, '');

/**
 * Without a slash at its end; '' when the request names no host that could be an address, or came through a proxy that is not trusted, so that
 * addresses are relative: the public address is then one that this server cannot know. A client that forges such headers gets relative
 * addresses, and nothing else.
 */
export const publicBaseOf = (request: Request, { isTrustedProxy, onUntrustedProxy, baseUrl }: Published): string => {
  const isBehindProxy = isTrustedProxy(request.remoteAddress);
  if (!isBehindProxy && isProxied(request)) onUntrustedProxy(request.remoteAddress);
  if (baseUrl !== null) return withoutSlash(baseUrl);
  if (!isBehindProxy && isForwarded(request)) return '';
  const forwarded = isBehindProxy ? forwardedOf(request) : null;
  const host = [forwarded?.host ?? '', request.header('host')].find((one) => HOST.test(one));
  if (host === undefined) return '';
  if (forwarded === null) return `http://${host}`;
  const prefix = withoutSlash(firstOf(request.header('x-forwarded-prefix')));
  return `${forwarded.proto || 'http'}://${withPort(host, forwarded)}${PREFIX.test(prefix) ? prefix : ''}`;
};
