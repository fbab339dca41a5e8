// Where the server is: below the folder of this very module, whatever path a proxy serves it under.

/** Ends with a slash. */
export const BASE = new URL('../', import.meta.url);

/** The path below which the client lives, without a slash at its end; '' at the root of a host. */
const ROOT_PATH = BASE.pathname.replace(/\/$/, '');

/** The address of something on this server, as its documents and images need it: `path` begins with a slash. */
export const serverUrl = (path: string): string => `${ROOT_PATH}${path}`;

/** The reverse: the path of an address below the root of this server; null where it is not below it. */
export const pathBelowRoot = (pathname: string): string | null => {
  if (!pathname.startsWith(`${ROOT_PATH}/`)) return pathname === ROOT_PATH ? '/' : null;
  return pathname.slice(ROOT_PATH.length);
};
