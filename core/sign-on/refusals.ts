// Reasons why a sign-on is refused, as words used in URLs; the page on which it ends explains them in sentences.

export const REASONS = [
  'expired',
  'declined',
  'failed',
  'unreachable',
  'no-account',
  'email-taken',
  'inactive',
  'not-set-up',
] as const;

export type Reason = (typeof REASONS)[number];

export class Refused extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
