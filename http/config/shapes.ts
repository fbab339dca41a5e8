// The shapes of texts among the settings: each as a pattern, which config.schema.json contains too, and what a pattern cannot say as code.
import { isIP } from 'node:net';
import { zoneFault } from '../../core/engine/cron.js';

export interface Shape {
  /** A regular expression of ECMAScript. It is the whole rule, or refuses nothing that the rule accepts. */
  readonly pattern: string;
  /** What a value has to be; follows the word "expected" in messages. */
  readonly expects: string;
  /** The rest of the rule. */
  readonly holds: (text: string) => boolean;
}

const always = (): boolean => true;

export const fits = ({ pattern, holds }: Shape, text: string): boolean =>
  new RegExp(pattern, 'u').test(text) && holds(text);

export const filled = (expects: string): Shape => ({ pattern: '\\S', expects, holds: always });

/** Paths are added to it. */
export const HTTP_ADDRESS: Shape = {
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#\\\\][^?#]*$',
  expects: 'an address that begins with http:// or https:// and has no ? or #, like https://comics.example',
  holds: (text) => URL.canParse(text),
};

const IPV4_BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `${IPV4_BYTE}(?:\\.${IPV4_BYTE}){3}(?:/(?:3[0-2]|[12]?\\d))?`;
/** Roughly: node:net knows where colons may be. */
const IPV6 = '[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%[^\\s/]+)?(?:/(?:12[0-8]|1[01]\\d|[1-9]?\\d))?';

/** An IP address, or a range written as address/bits. */
export const ADDRESS_OR_RANGE: Shape = {
  pattern: `^(?:${IPV4}|${IPV6})$`,
  expects: 'one or a list of IP addresses or ranges, like 10.0.0.0/8',
  holds: (text) => isIP(text.split('/')[0] ?? '') !== 0,
};

/** As browsers send it: without a path, without the default port, in lower case. */
export const ORIGIN: Shape = {
  pattern:
    '^(?:\\*|(?!http:.*:80$)(?!https:.*:443$)https?://(?:\\[[0-9a-f:]+\\]|[^\\s/?#@:\\[\\]\\\\A-Z]+)(?::\\d{1,5})?)$',
  expects: 'one or a list of origins without a path, like https://comics.example, or * for all of them',
  holds: (text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text),
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const isEncrypted = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || LOOPBACK.test(hostname);

/** What comes from there says who somebody is: it must not be changed on the way. */
export const ISSUER: Shape = {
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#\\\\@]+(?:/[^\\s?#\\\\]*)?$',
  expects: 'an address that begins with https:// (http:// for this computer only), like https://login.example',
  holds: (text) => URL.canParse(text) && isEncrypted(new URL(text)),
};

/** Schemes that run or open what the address itself says. */
const UNSAFE = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'ws:', 'wss:', 'ftp:']);

/** An app's own scheme, or a page. */
export const APP_ADDRESS: Shape = {
  pattern: '^[A-Za-z][A-Za-z0-9+.\\-]*:[!"$-~]+$',
  expects: 'one or a list of addresses without #, like com.example.app:/signed-in or https://app.example/signed-in',
  holds: (text) => {
    if (!URL.canParse(text) || text.includes('#')) return false;
    const url = new URL(text);
    return !UNSAFE.has(url.protocol) && (url.protocol !== 'http:' || isEncrypted(url));
  },
};

export const MAIL_ADDRESS: Shape = {
  pattern: '^[^\\s@,;:<>()\\[\\]\\\\"]{1,64}@[^\\s@,;:<>()\\[\\]\\\\"]+$',
  expects: 'an e-mail address, like longbox@example.org',
  holds: always,
};

export const ONE_LINE: Shape = { pattern: '^[^\\p{Cc}]*\\S[^\\p{Cc}]*$', expects: 'a text of one line', holds: always };

export const TIME_ZONE: Shape = {
  pattern: '^[A-Za-z0-9+\\-_/:]+$',
  expects: 'a time zone such as Europe/Berlin',
  holds: (text) => zoneFault(text, 0) === undefined,
};

/** The first part of the paths of a surface; those of others are taken. */
export const PATH_SEGMENT: Shape = {
  pattern: '^(?!(?:api|auth|health|docs|opds|koreader)$)(?!\\.{1,2}$)[A-Za-z0-9._~\\-]{1,64}$',
  expects: 'a word of letters, digits and - . _ ~, like komga, other than api, auth, health, docs, opds and koreader',
  holds: always,
};

export const DOCS_PATH: Shape = {
  pattern: '^(?!/(?:api/v1|auth|health)/?$)(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~\\-]+)+/?$',
  expects: 'a path like /docs, of letters, digits and - . _ ~, other than /api/v1, /auth and /health',
  holds: always,
};

/** A size with its unit; the bounds are those of the setting. */
export const SIZE_PATTERN = '^\\s*\\d{1,15} ?[KkMmGgTt][Ii][Bb]\\s*$';
