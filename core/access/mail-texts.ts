// The texts of the mails. Links use configured addresses only, since a client can put anything in the Host header; nor is there any other
// text that somebody else chose, such as the name of an account: anybody can enter any address. Pure.

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The pages that post what follows the `#`: browsers do not send that part, so it is in no log and no Referer. */
const PAGES = { verify_email: '/auth/verify-email', reset_password: '/auth/reset-password' } as const;

/** Without a configured address: the path, and what to do with it. */
const linkText = (base: string | null, page: keyof typeof PAGES, token: string): string => {
  const path = `${PAGES[page]}#token=${token}`;
  if (base !== null) return `${base.replace(/\/+$/, '')}${path}`;
  return `${path}\n\nThis server does not know its own address: put the address at which you reach it in front of this path.`;
};

const lifetimeText = (ms: number): string => {
  const hours = Math.round(ms / 3_600_000);
  return hours === 1 ? 'one hour' : `${hours} hours`;
};

export interface Link {
  readonly base: string | null;
  readonly token: string;
  readonly lifetimeMs: number;
}

export const verifyLetter = (to: string, { base, token, lifetimeMs }: Link): Letter => ({
  to,
  subject: 'Verify your email address',
  text: `Somebody, probably you, created an account on a Longbox server with this e-mail address.

To verify the address and activate the account, follow this link within ${lifetimeText(lifetimeMs)}:

${linkText(base, 'verify_email', token)}

If that was not you, ignore this mail: without the link, the account cannot be used.
`,
});

export const resetLetter = (to: string, { base, token, lifetimeMs }: Link): Letter => ({
  to,
  subject: 'Set a new password',
  text: `Somebody, probably you, requested a new password for your account on a Longbox server.

To set one, follow this link within ${lifetimeText(lifetimeMs)}:

${linkText(base, 'reset_password', token)}

If that was not you, ignore this mail: your password stays the same.
`,
});

export const takenLetter = (to: string): Letter => ({
  to,
  subject: 'You already have an account',
  text: `Somebody, probably you, tried to register on a Longbox server with this e-mail address. It already belongs to an account, so no other one was created.

If that was you, sign in with this address, or request a new password. If not, you can ignore this mail.
`,
});
