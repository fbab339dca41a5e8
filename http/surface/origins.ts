// Whether a browser sends a request from a page of this server or of another site (RFC 6454). Only browsers send an Origin, and pages
// cannot change it.
import type { Request } from '../server/adapter.js';
import { forwardedOf, withPort } from './forwarded.js';

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

/** Sec-Fetch-Site of a request by a page of this origin, or by no page (an address that somebody typed). */
const OWN = new Set(['same-origin', 'none']);
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** True when a page of another site made the browser send this, be it by a link that somebody follows. Some browsers do not say. */
export const isFromElsewhere = (request: Request): boolean => {
  const site = request.header('sec-fetch-site');
  return site !== '' && !OWN.has(site);
};

/** What a page embeds: whether it loads reveals something to the page, although browsers call it a navigation. */
const EMBEDDED = new Set(['object', 'embed']);

/** Whether somebody follows a link: the answer replaces the page, which learns nothing about it (Fetch Metadata). */
const isFollowed = (request: Request): boolean =>
  request.header('sec-fetch-mode') === 'navigate' && !EMBEDDED.has(request.header('sec-fetch-dest'));

/**
 * True when a page of another site sends the request. The browser's own statement decides, if it makes one; a link from elsewhere may be
 * followed, but nothing else may be read, such as an image, for which no Origin is sent. Otherwise the Origin decides: its host and port,
 * and its scheme where that is known, must be those that the request was sent to, that a trusted proxy names, or that are configured. A
 * request with neither does not come from a browser, or comes from one that says nothing about reads.
 */
export const isForeign = (request: Request, isTrustedPeer: () => boolean, baseUrl: string | null): boolean => {
  const site = request.header('sec-fetch-site');
  if (site !== '' && !READS.has(request.method)) return !OWN.has(site);
  if (site !== '' && !OWN.has(site) && !isFollowed(request)) return true;
  const origin = request.header('origin');
  if (origin === '' || site === 'same-origin') return false;
  const [, scheme = '', address = ''] = /^(https?:)\/\/(.+)$/.exec(origin) ?? [];
  const from = placeOf(address, scheme);
  if (from === null) return true;
  const forwarded = isTrustedPeer() ? forwardedOf(request) : null;
  const base = baseUrl === null ? null : new URL(baseUrl);
  const isTls = forwarded?.proto === 'https';
  // A page loaded without TLS may have been forged on the network, so it is not one of a server that uses TLS.
  const isScheme = (to: string): boolean => (isTls ? 'https:' : to === base?.host ? base.protocol : scheme) === scheme;
  const host = request.header('host');
  const published = forwarded === null ? '' : withPort(forwarded.host || host, forwarded);
  return ![host, published, base?.host ?? ''].some((to) => {
    const place = placeOf(to, scheme);
    return place !== null && isScheme(to) && place.host === from.host && place.port === from.port;
  });
};
