// Where the browser goes after a sign-on: to a page of this server, or to an app listed in the settings. Codes are sent nowhere else. Pure.
import { AppError } from '../model/errors.js';

export type Target =
  /** Null: the page that shows the result. */
  { readonly kind: 'page'; readonly path: string | null } | { readonly kind: 'app'; readonly address: string };

/** Up to 10,000 of them may be held in memory. */
const PATH_MAX = 500;
/** A base for parsing paths; any host would do. */
const SOMEWHERE = 'http://longbox.invalid';

const refused = (): AppError => {
  const message = 'must be a path on this server or one of the addresses in auth.oidc.allowed_redirect_uris';
  return new AppError('BadRequest', `The redirectUri ${message}.`, [{ path: 'redirectUri', message }]);
};

/** The path as browsers resolve it; undefined if it leads to another host. */
const ownPath = (text: string): string | undefined => {
  if (text.length > PATH_MAX || !/^\/(?![/\\])[!-[\]-~]*$/.test(text) || !URL.canParse(text, SOMEWHERE))
    return undefined;
  const { origin, pathname, search, hash } = new URL(text, SOMEWHERE);
  // Resolving dots may leave two leading slashes, after which browsers expect a host.
  return origin !== SOMEWHERE || pathname.startsWith('//') ? undefined : `${pathname}${search}${hash}`;
};

const withoutOwnOrigin = (text: string, base: string): string => {
  const { origin } = new URL(base);
  return text.startsWith(`${origin}/`) ? text.slice(origin.length) : text;
};

export const targetOf = (
  wanted: string | null,
  { redirectBase, allowedRedirects }: { readonly redirectBase: string; readonly allowedRedirects: readonly string[] },
): Target => {
  if (wanted === null || wanted === '') return { kind: 'page', path: null };
  if (allowedRedirects.includes(wanted)) return { kind: 'app', address: wanted };
  const path = ownPath(withoutOwnOrigin(wanted, redirectBase));
  if (path === undefined) throw refused();
  return { kind: 'page', path };
};

/** An app's address with these query parameters added. */
export const addressWith = (address: string, told: Readonly<Record<string, string | null>>): string => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(told)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
};
