// The address under which a client reaches this server, for surfaces whose answers contain absolute addresses: what is configured, what a
// trusted proxy says, or the Host header.
import type { Request } from '../server/adapter.js';
import { isOverTls } from './client-address.js';

export interface Published {
  /** True for the address of a proxy whose X-Forwarded headers are trusted. */
  readonly isTrustedProxy: (address: string) => boolean;
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
 * An untrusted proxy means that the public address is one that this server cannot know. A client that forges these headers gets relative
 * addresses, and nothing else.
 */
const isThroughUnknownProxy = (request: Request): boolean =>
  request.header('x-forwarded-proto') !== '' || request.header('forwarded') !== '';

/**
 * Without a slash at its end; '' when the request names no host that could be an address, or came through a proxy that is not trusted, so that
 * addresses are relative.
 */
export const publicBaseOf = (request: Request, { isTrustedProxy, baseUrl }: Published): string => {
  if (baseUrl !== null) return withoutSlash(baseUrl);
  const isBehindProxy = isTrustedProxy(request.remoteAddress);
  if (!isBehindProxy && isThroughUnknownProxy(request)) return '';
  const forwarded = (name: string): string => (isBehindProxy ? firstOf(request.header(name)) : '');
  const host = [forwarded('x-forwarded-host'), request.header('host')].find((one) => HOST.test(one));
  if (host === undefined) return '';
  const prefix = withoutSlash(forwarded('x-forwarded-prefix'));
  const path = PREFIX.test(prefix) ? prefix : '';
  return `${isOverTls(request, isTrustedProxy) ? 'https' : 'http'}://${host}${path}`;
};
