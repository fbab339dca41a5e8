// What the proxies in front of this server state about the client's request, in X-Forwarded-* and similar headers or in Forwarded (RFC 7239).
// To be read only if the peer is a trusted proxy.
import type { Request } from '../server/adapter.js';

/** Each is '' when no proxy states it. */
export interface Forwarded {
  readonly proto: 'http' | 'https' | '';
  /** As in a Host header: it may include a port, and need not be a host at all. */
  readonly host: string;
  /** Of the address that the client used. */
  readonly port: string;
  /** From the client to the last proxy, each as that proxy wrote it. */
  readonly clients: readonly string[];
}

/** A pair of Forwarded, with the separator before it: a comma begins the next proxy's element. */
const PAIR = /([;,]?)[ \t]*([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))[ \t]*/gy;

type Element = Partial<Record<string, string>>;

/** Of the elements, from the client's on; none when the header cannot be read to its end. */
const elementsOf = (header: string): readonly Element[] => {
  const elements: Element[] = [];
  let end = 0;
  for (const [text, separator, name = '', quoted, token] of header.matchAll(PAIR)) {
    if (elements.length === 0 || separator === ',') elements.push({});
    const last = elements.at(-1);
    if (last !== undefined) last[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? token ?? '';
    end += text.length;
  }
  return end === header.length ? elements : [];
};

/** A list grows at its end with each proxy. */
const partsOf = (header: string): readonly string[] => header.split(',').map((one) => one.trim());
const firstOf = (header: string): string => partsOf(header)[0] ?? '';

/** In the order in which they count. */
const SCHEME_HEADERS = ['x-forwarded-proto', 'x-forwarded-scheme', 'x-scheme'] as const;

const schemeIn = (text: string): Forwarded['proto'] => {
  const scheme = text.toLowerCase();
  return scheme === 'https' || scheme === 'http' ? scheme : '';
};

const protoOf = (request: Request, element: Element): Forwarded['proto'] => {
  const named = SCHEME_HEADERS.map((name) => request.header(name)).find((value) => value !== '');
  if (named !== undefined) return schemeIn(firstOf(named));
  const ssl = request.header('x-forwarded-ssl').toLowerCase();
  if (ssl === 'on' || ssl === 'off') return ssl === 'on' ? 'https' : 'http';
  return schemeIn(element.proto ?? '');
};

/** X-Forwarded-* first: a proxy that sets them may pass on a Forwarded that the client wrote. */
export const forwardedOf = (request: Request): Forwarded => {
  const elements = elementsOf(request.header('forwarded'));
  const first = elements[0] ?? {};
  const addresses = request.header('x-forwarded-for');
  return {
    proto: protoOf(request, first),
    host: firstOf(request.header('x-forwarded-host')) || (first.host ?? ''),
    port: firstOf(request.header('x-forwarded-port')),
    clients: addresses === '' ? elements.map((one) => one.for ?? '') : partsOf(addresses),
  };
};

/** Every host that is stated, by whichever proxy or by the client through them; '' for what cannot be read. */
export const forwardedHosts = (request: Request): readonly string[] => {
  const forwarded = request.header('forwarded');
  const elements = elementsOf(forwarded);
  const named = request.header('x-forwarded-host');
  return [
    ...(named === '' ? [] : partsOf(named)),
    ...(forwarded !== '' && elements.length === 0 ? [''] : elements.flatMap(({ host }) => host ?? [])),
  ];
};

/** True when a proxy says how the client reached it: perhaps over TLS, perhaps under another host. */
export const isForwarded = (request: Request): boolean =>
  [...SCHEME_HEADERS, 'x-forwarded-ssl', 'forwarded'].some((name) => request.header(name) !== '');

/** True when a proxy forwarded the request, even if the proxy names only the client. */
export const isProxied = (request: Request): boolean =>
  request.header('x-forwarded-for') !== '' || isForwarded(request);

const DEFAULT_PORTS = { http: '80', https: '443' } as const;

/**
 * A host with the port of the client's address, where a proxy names it separately from the host. A default port is left out; that of the other
 * scheme belongs to a connection between proxies.
 */
export const withPort = (host: string, { proto, port }: Forwarded): string => {
  const isNamed = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535;
  const isDefault = proto === '' ? port === DEFAULT_PORTS.http : Object.values<string>(DEFAULT_PORTS).includes(port);
  return host === '' || !isNamed || isDefault || /:\d+$/.test(host) ? host : `${host}:${port}`;
};
