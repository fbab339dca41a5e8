// Why single sign-on lets somebody not in, as words that stand in addresses; the page that people see says them in sentences.

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
