// Whether a browser sends a request from a page of this server or of another site (RFC 6454). Only browsers send an Origin, and pages
// cannot change it.
import type { Request } from '../server/adapter.js';

interface Place {
  readonly host: string;
  readonly port: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

const placeOf = (address: string, scheme: string): Place | null => {
  const text = `${scheme}//${address}`;
  if (!/^[^\s/?#@\\]+$/.test(address) || !URL.canParse(text)) return null;
  const { hostname, port } = new URL(text);
  return { host: hostname, port: port === '' ? (DEFAULT_PORTS[scheme] ?? '') : port };
};

/**
 * True when the Origin is present and names another host or port than the request was sent to. Behind a proxy that changes Host, the
 * browser's own statement, the host named by a trusted proxy, or the configured address of the server decides.
 */
export const isForeign = (request: Request, isTrustedPeer: boolean, baseUrl: string | null): boolean => {
  const origin = request.header('origin');
  if (origin === '' || request.header('sec-fetch-site') === 'same-origin') return false;
  const [, scheme = '', address = ''] = /^(https?:)\/\/(.+)$/.exec(origin) ?? [];
  const from = placeOf(address, scheme);
  if (from === null) return true;
  const forwarded = isTrustedPeer ? (request.header('x-forwarded-host').split(',')[0] ?? '').trim() : '';
  const own = [request.header('host'), forwarded, baseUrl === null ? '' : new URL(baseUrl).host];
  return !own.some((to) => {
    const place = placeOf(to, scheme);
    return place !== null && place.host === from.host && place.port === from.port;
  });
};
