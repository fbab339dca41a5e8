// What each answer tells browsers to refrain from. Fixed text, made once for each policy; the back-ends write it.

export interface SecurityHeaders {
  readonly list: readonly (readonly [name: string, value: string])[];
  /** Names and values by turns. */
  readonly flat: readonly string[];
  /** The name of the first one, and all that follows it on the wire but for the last line break. */
  readonly first: string;
  readonly others: string;
}

/** With this Content-Security-Policy. */
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

/** JSON, refusals, and whatever says nothing else: opened by its address it may load nothing, run nothing and be framed by nobody. */
export const FOR_DATA = securityHeaders("default-src 'none'; frame-ancestors 'none'");

/**
 * Bytes of a library: they may be a document that somebody else wrote. Opened by its address it runs nothing and belongs to no site, so that
 * it reaches neither cookies nor rows; only pages of this server may frame it.
 */
export const FOR_LIBRARY_BYTES = securityHeaders(
  "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'",
);
