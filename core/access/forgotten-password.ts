// Resetting a password through a link in a mail, for people who cannot sign in. A request is answered before the account is looked up.
import { uuidOfHex } from '../model/ids.js';
import type { Tx } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { audited } from './audit.js';
import type { Actor } from './caller.js';
import { checkLink, issueLink, refuseLink, useLink } from './mail-links.js';
import { type Letter, resetLetter } from './mail-texts.js';
import { storePassword } from './password-change.js';
import { checkPassword } from './passwords.js';
import { accountOf, type RegistrationParts } from './registration.js';
import { postTo } from './registration-state.js';

const LINK_MS = 3_600_000;

/** The same work for an address that nobody has, as far as there is any. */
const draftFor = ({ db, clock, mails }: RegistrationParts, email: string): Promise<Letter | null> => {
  const nowMs = clock.now();
  return db.write(SYSTEM, 'interactive', async (tx) => {
    const found = await accountOf(tx, email);
    if (found?.active !== 1) return null;
    const token = await issueLink(tx, found.key, 'reset_password', { nowMs, lifetimeMs: LINK_MS });
    return resetLetter(found.email, { base: mails.linkBase, token, lifetimeMs: LINK_MS });
  });
};

export const forgotPassword = (parts: RegistrationParts, email: string, address: string): void => {
  parts.mailRates.takeFrom(address);
  postTo(parts, email, () => draftFor(parts, email));
};

/** Whoever opened the link has the address. */
const VERIFY = `UPDATE user SET email_verified = 1 WHERE id = ? AND active = 1 RETURNING hex(uuid) AS id, username AS name`;

const store = async (
  tx: Tx,
  token: string,
  passwordHash: string,
  now: number,
): Promise<{ id: string; name: string }> => {
  const key = await useLink(tx, token, 'reset_password', now);
  const [user] = await tx.all<{ id: string; name: string }>(VERIFY, [key]);
  if (user === undefined) return refuseLink();
  await storePassword(tx, key, passwordHash, now);
  return user;
};

/** Ends every session of the account, and every other link that was sent for it. */
export const resetByLink = async (
  { db, clock, passwords }: RegistrationParts,
  by: Actor,
  { token, newPassword }: { readonly token: string; readonly newPassword: string },
): Promise<void> => {
  checkPassword(newPassword, 'newPassword');
  await checkLink(db, token, 'reset_password', clock.now());
  const passwordHash = await passwords.hash(newPassword);
  const now = clock.now();
  await db.write(SYSTEM, 'interactive', async (tx) => {
    const { id, name } = await store(tx, token, passwordHash, now);
    const target = { kind: 'user', id: uuidOfHex(id), name };
    await audited(tx, {
      at: now,
      by,
      action: 'user.update',
      target,
      ownOf: target.id,
      details: { changed: ['password'] },
    });
  });
};
