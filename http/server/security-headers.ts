// Security headers: fixed text, built once for each policy and written by the back-ends.

export interface SecurityHeaders {
  readonly list: readonly (readonly [name: string, value: string])[];
  /** Names and values alternating. */
  readonly flat: readonly string[];
  /** The name of the first header, and everything after it on the wire except the last line break. */
  readonly first: string;
  readonly others: string;
}

/** The headers with this Content-Security-Policy. */
export const securityHeaders = (policy: string): SecurityHeaders => {
  const list = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', policy],
    ['Referrer-Policy', 'no-referrer'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=()'],
  ] as const;
  const [[first, value], ...rest] = list;
  return { list, flat: list.flat(), first, others: [value, ...rest.map((one) => one.join(': '))].join('\r\n') };
};

/** JSON, errors, and everything that does not choose another: opened directly, it may load nothing, run nothing and be framed by nobody. */
export const FOR_DATA = securityHeaders("default-src 'none'; frame-ancestors 'none'");

/**
 * Content of a library, which may be a document written by anybody. Opened directly, it runs nothing and has an opaque origin, so it can
 * use neither cookies nor the API; only pages of this server may frame it.
 */
export const FOR_LIBRARY_BYTES = securityHeaders(
  "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'",
);

/**
 * A document inside a book, which apps show with its own style sheets, images and fonts. It runs no script, sends no form, has an opaque origin,
 * and reaches nothing but this server.
 */
export const FOR_BOOK_PARTS = securityHeaders(
  "sandbox; default-src 'self'; script-src 'none'; object-src 'none'; connect-src 'none'; form-action 'none'; base-uri 'none'; " +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'self'",
);
