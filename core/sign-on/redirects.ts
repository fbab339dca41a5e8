// Where somebody who has signed in is sent: a page of this server, or an app that the settings name. Pure. Nobody else is ever sent a code.
import { AppError } from '../model/errors.js';

export type Target =
  /** Null: the page that says that it is done. */
  { readonly kind: 'page'; readonly path: string | null } | { readonly kind: 'app'; readonly address: string };

/** Ten thousand of them may wait in memory. */
const PATH_MAX = 500;
/** Anything, as long as it is on this server. */
const SOMEWHERE = 'http://longbox.invalid';

const refused = (): AppError => {
  const message = 'must be a path of this server, or an address that auth.oidc.allowed_redirect_uris names';
  return new AppError('BadRequest', `The redirectUri ${message}.`, [{ path: 'redirectUri', message }]);
};

/** As browsers read it; undefined when that leads elsewhere. */
const ownPath = (text: string): string | undefined => {
  if (text.length > PATH_MAX || !/^\/(?![/\\])[!-[\]-~]*$/.test(text) || !URL.canParse(text, SOMEWHERE))
    return undefined;
  const { origin, pathname, search, hash } = new URL(text, SOMEWHERE);
  // Dots may leave two slashes at the front, which browsers take for a host.
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

/** An app's address with what it is told. */
export const addressWith = (address: string, told: Readonly<Record<string, string | null>>): string => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(told)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
};
